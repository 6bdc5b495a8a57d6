"""Lists and objects in the place of a text, and numbers that are no JSON, in the body of each endpoint.

The rules: docs/api.md#requests-and-bodies.
"""

import json
from typing import Any

import pytest
from django.core.cache import caches

from accounts.models import User
from archive_site.lib.http.described import FORM
from archive_site.lib.http.json_views import body_of
from archive_site.lib.http.operations import Operation, operations
from archive_site.lib.http.type_schemas import schema_of
from tests import test_roles
from tests.factories import ApiClient
from tests.test_roles import visitor

pytestmark = pytest.mark.django_db
ids = test_roles.ids
PASSWORD = "another Horse 8"
NO_TEXTS: list[Any] = [{"a": 1}, ["a"], [], {}, [["@"]]]
# What stands beside the field, so that nothing else is refused.
BESIDE: dict[str, dict[str, Any]] = {
    "/api/users": {"username": "carol", "password": PASSWORD, "password2": PASSWORD},
    "/api/users/{user_id}": {"password": PASSWORD, "password2": PASSWORD},
    "/api/budgets": {"period": "day", "credits": 1},
    "/api/tokens": {"name": "mine", "scopes": ["read"]},
    "/api/webhooks": {"name": "mine", "url": "https://example.org/"},
    "/api/views": {"name": "mine", "query": "free=1"},
}
# Any value that is no word for yes means no.
SWITCHES = {"status"}
BODIES = [one for one in operations() if one.method == "POST" and one.description.body]


def texts_of(operation: Operation) -> list[str]:
    """The fields of a body that take a text, and no list or object."""
    fields: dict[str, Any] = schema_of(operation.description.body or {}).get("properties", {})
    others = ("array", "object", "boolean")
    kinds = {name: json.dumps(schema, default=str) for name, schema in fields.items() if name not in SWITCHES}
    return [
        name for name, kind in kinds.items() if '"string"' in kind and not any(f'"{one}"' in kind for one in others)
    ]


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize("operation", BODIES, ids=lambda one: one.path)
def test_a_list_or_an_object_is_no_text(operation: Operation, ids: dict[str, Any], settings: Any) -> None:
    # For passkeys.
    settings.ORIGIN = "https://usage.example.org"
    if operation.description.body_type == FORM:
        return
    path, client = operation.path.format_map({**ids, "action": "export-csv"}), visitor("admin").entered().entered()
    for name in texts_of(operation):
        for value in NO_TEXTS:
            # Some endpoints let an account try again after seconds only.
            caches["counters"].clear()
            answer = client.post(path, {**BESIDE.get(operation.path, {}), name: value})
            # As in tests/test_halves_of_characters.py.
            expected = {400, 404} if operation.path_names else {400, 503 if path == "/api/verify" else 400}
            assert answer.status_code in expected, (name, value, answer.content)


def test_fields_of_every_account_are_among_them() -> None:
    found = {one.path: texts_of(one) for one in BODIES}
    assert found["/api/profile"] == ["display_name", "email", "language", "theme"]
    assert {"username", "password", "password2", "display_name", "email"} == {*found["/api/users"]}
    assert found["/api/password"] == ["old", "new", "new2"]
    assert found["/api/backups"] == ["note"]


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("shape", ['{"display_name": %s}', '{"display_name": "Al", "x": [{"y": %s}]}'])
def test_numbers_that_json_does_not_have_make_a_body_none(number: str, shape: str, rf: Any, alice: User) -> None:
    text = shape % number
    assert body_of(rf.post("/", text, content_type="application/json")) == {}
    answer = ApiClient.signed_in(alice).post("/api/profile", text)
    assert (answer.status_code, answer.json()["message"]) == (
        400, "There is nothing to change: give display_name or email.",
    )  # fmt: skip
    assert User.objects.get(pk=alice.pk).display_name == alice.display_name


def test_the_largest_number_is_one(rf: Any) -> None:
    assert body_of(rf.post("/", '{"a": 1.7e308}', content_type="application/json")) == {"a": 1.7e308}


@pytest.mark.parametrize("number", ["1e999", "-1e999"])
def test_a_number_that_no_double_holds_is_no_text(number: str, alice: User) -> None:
    answer = ApiClient.signed_in(alice).post("/api/profile", f'{{"display_name": {number}}}')
    said = "'display_name' must be a text, a number or a boolean."
    assert (answer.status_code, answer.json()["message"]) == (400, said)
    assert User.objects.get(pk=alice.pk).display_name == alice.display_name


def test_the_refusal_names_the_field(alice: User) -> None:
    answer = ApiClient.signed_in(alice).post("/api/notices/test", {"id": {"a": 1}})
    said = "'id' must be a text, a number or a boolean."
    assert answer.json() == {"ok": False, "error": "bad_request", "message": said}


@pytest.mark.parametrize(
    ("path", "name"), [("/api/profile", "display_name"), ("/api/password", "new"), ("/api/reauthenticate", "password")]
)
def test_a_refusal_without_a_code_names_the_field(path: str, name: str, alice: User) -> None:
    answer = ApiClient.signed_in(alice).post(path, {name: {"a": 1}})
    assert answer.json() == {"ok": False, "message": f"'{name}' must be a text, a number or a boolean."}
