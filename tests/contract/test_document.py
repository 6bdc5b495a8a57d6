"""The document of the API, the routes, and docs/api.md say the same (docs/api.md#openapi-description)."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.urls import get_resolver
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from accounts.config import KEYS
from accounts.models import User
from archive_site.lib.http import openapi
from archive_site.lib.http.operations import operations
from tests.api_reference import DOCUMENT
from tests.contract.reference import parts_of, with_reference
from tests.contract.schema_words import cell
from tests.factories import ApiClient
from tests.test_roles import routes

WHOLE = openapi.document()
OPERATIONS = [
    (path, method, operation) for path, methods in WHOLE["paths"].items() for method, operation in methods.items()
]
NAMES = [f"{method} {path}" for path, method, _ in OPERATIONS]
# Files outside of /api/.
FILES = {"/records/export", "/exports/{name}", "/runs/{run_id}/report"}
# Another spelling of the next route, the page that shows the document, and the route of paths that do not exist.
NO_ENDPOINTS = {"api/maintenance/", "api/docs", r"^api/(?P<rest>(?s:.*))\Z"}


def described(route: str) -> str:
    return "/" + re.sub(r"<\w+:(\w+)>", r"{\1}", route)


def responses(operation: dict[str, Any]) -> dict[str, Any]:
    by_name = WHOLE["components"]["responses"]
    return {
        status: by_name[answer["$ref"].rpartition("/")[2]] if "$ref" in answer else answer
        for status, answer in operation["responses"].items()
    }


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": WHOLE["components"]})


def test_the_document_is_openapi() -> None:
    assert [str(error) for error in OpenAPIV31SpecValidator(WHOLE).iter_errors()] == []


def test_every_route_of_the_api_is_described_and_every_described_path_is_a_route() -> None:
    known = {described(route) for route in set(routes(get_resolver())) - NO_ENDPOINTS if "api/" in route[:5]}
    assert set(WHOLE["paths"]) == known | FILES


@pytest.mark.django_db
@pytest.mark.parametrize("path", [path for path in WHOLE["paths"] if path.startswith("/api/")])
def test_a_path_has_the_methods_that_are_described_and_no_others(path: str, root: User) -> None:
    answer = ApiClient.signed_in(root).client.options(re.sub(r"{\w+}", "1", path))
    methods = {method.upper() for method in WHOLE["paths"][path]}
    allowed = set(answer.headers["Allow"].split(", "))
    assert answer.status_code == 405
    assert allowed == methods | ({"HEAD"} if "GET" in methods else set())


def test_every_operation_has_a_name_of_its_own() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_what_a_path_names_is_described(path: str, method: str, operation: dict[str, Any]) -> None:
    named = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "path"]
    assert named == re.findall(r"{(\w+)}", path)


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_every_example_is_one_of_its_schema(path: str, method: str, operation: dict[str, Any]) -> None:
    for status, answer in responses(operation).items():
        for media in answer.get("content", {}).values():
            if "example" in media:
                assert list(validator(media["schema"]).iter_errors(media["example"])) == [], status


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=NAMES)
def test_only_a_post_under_the_api_needs_the_token_of_csrf(path: str, method: str, operation: dict[str, Any]) -> None:
    by_session = [way for way in operation["security"] if openapi.SESSION in way]
    assert all((openapi.CSRF in way) == (method == "post") for way in by_session)
    assert ("413" in operation["responses"]) == path.startswith("/api/")


def _shared_by(operation: dict[str, Any]) -> list[str]:
    """The names of the shared answers of an operation."""
    return [one["$ref"].rpartition("/")[2] for one in operation["responses"].values() if "$ref" in one]


def test_answers_for_administrators_are_described_as_refused_to_others() -> None:
    answers = WHOLE["components"]["responses"]
    refused = {
        path
        for path, _, operation in OPERATIONS
        if "not an administrator" in str([operation["responses"], *(answers[name] for name in _shared_by(operation))])
    }
    assert "/api/backups" in refused
    assert "/api/summary" not in refused


def test_settings_are_described_as_they_are_declared() -> None:
    body = WHOLE["paths"]["/api/settings"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["properties"]) == set(KEYS)


def test_no_description_is_cut_by_a_table() -> None:
    assert cell("a|b\nc") == "a\\|b c"


def test_the_tables_of_the_document_for_people_are_current() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert with_reference(text) == text, "run: make api-reference"


def test_the_document_for_people_lists_the_errors_that_are_described() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    _, _, rest = text.partition("| error | HTTP | when |")
    rows = re.findall(r"(?m)^\| ((?:`\w+`(?:, )?)+) \| (\d+) \|", rest.partition("\n\n")[0])
    listed = {f"{status} {code}" for codes, status in rows for code in re.findall(r"\w+", codes)}
    # Errors without a code have a sentence of their own.
    known = {name for one in operations() for name in one.refusals if " " in name}
    assert listed == known


def test_the_document_for_people_has_each_part_once() -> None:
    parts = parts_of(DOCUMENT.read_text(encoding="utf-8"))
    assert sorted(set(parts)) == sorted(parts)


def test_a_part_without_marks_is_named() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").replace("<!-- schema: Run -->", "")
    with pytest.raises(ValueError, match="schema: Run"):
        with_reference(text)


@pytest.mark.parametrize("path", ["README.md", "docs/api.md"])
def test_people_find_the_document(path: str) -> None:
    assert "/api/openapi.json" in (Path(__file__).parents[2] / path).read_text(encoding="utf-8")
