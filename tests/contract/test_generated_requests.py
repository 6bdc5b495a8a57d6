"""Requests that are made of the description: whatever they hold, no answer is a 500 or outside of the description."""

import re
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from archive_site.lib.http.operations import Operation, operations
from archive_site.lib.http.schemas import Schema
from tests.factories import ApiClient
from tests.test_roles import ids as ids
from tests.test_roles import visitor

ROLES = ("anonymous", "user", "admin")
# A file in a form has tests of its own.
JSON = [one for one in operations() if one.path.startswith("/api/") and one.path != "/api/import"]
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)


def valid(schema: Schema) -> st.SearchStrategy[Any]:
    """Values that a schema of a parameter or a field accepts."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of(*(valid(one) for one in schema["anyOf"]))
    kinds = schema.get("type", "object")
    return st.one_of(*(_of_kind(kind, schema) for kind in (kinds if isinstance(kinds, list) else [kinds])))


def _of_kind(kind: str, schema: Schema) -> st.SearchStrategy[Any]:
    if kind == "integer":
        return st.integers(schema.get("minimum"), schema.get("maximum"))
    if kind == "number":
        return st.floats(schema.get("minimum"), schema.get("maximum"), allow_nan=False)
    if kind == "boolean":
        return st.booleans()
    if kind == "array":
        return st.lists(valid(schema["items"]), max_size=3)
    if kind == "object":
        return st.dictionaries(TEXTS, ANYTHING, max_size=2)
    if schema.get("format") == "date":
        return st.dates().map(str)
    return TEXTS | st.sampled_from(schema.get("examples", [""]))


def mixed(fields: dict[str, Schema]) -> st.SearchStrategy[dict[str, Any]]:
    """Some of the fields: with values that are accepted, or with any."""
    return st.fixed_dictionaries({}, optional={name: valid(field) | ANYTHING for name, field in fields.items()})


def path_of(operation: Operation, ids: dict[str, Any], named: Any) -> str:
    """The path of something that is there, or with a text in place of each name."""
    return re.sub(
        r"{(\w+)}",
        lambda found: quote(str(ids[found[1]]) if named is None else str(named), safe="") or "x",
        operation.path,
    )


def ask(client: ApiClient, operation: Operation, path: str, asked: dict[str, Any]) -> Any:
    if operation.method == "POST":
        return client.post(path, asked)
    return client.get(path, **{name: _as_text(value) for name, value in asked.items()})


def _as_text(value: Any) -> Any:
    return [str(one) for one in value] if isinstance(value, list) else str(value)


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("operation", JSON, ids=lambda one: f"{one.method} {one.path}")
def test_no_request_gets_an_answer_that_is_not_described(operation: Operation, role: str, ids: dict[str, Any]) -> None:
    told = operation.description
    fields = (told.body or {}).get("properties", {}) if operation.method == "POST" else {}
    names = fields or {one.name: one.schema for one in told.parameters}
    client = visitor(role)

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=15)
    @given(asked=mixed(names), named=st.none() | TEXTS)
    def answered(asked: dict[str, Any], named: Any) -> None:
        assert ask(client, operation, path_of(operation, ids, named), asked).status_code != 500

    answered()
