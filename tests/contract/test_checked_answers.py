"""An answer that the description does not have is found, whatever differs."""

import json
from typing import Any

import pytest
from django.http import HttpResponse, JsonResponse, StreamingHttpResponse

from tests.contract import seen
from tests.contract.checked_answers import NotDescribed, check

TOP = {"id": "r1", "c": 1.5, "m": "glm", "cl": "ide", "t": "2026-09-07 12:30:00", "px": ""}
TAGGED = {"ETag": 'W/"1"'}


def answer(body: Any, status: int = 200, **headers: str) -> HttpResponse:
    return JsonResponse(body, safe=False, status=status, headers={**TAGGED, **headers})


def test_an_answer_as_it_is_described_passes() -> None:
    check("GET", "/api/top", answer([TOP]))


@pytest.mark.parametrize(
    "item",
    [TOP | {"more": 1}, {"id": "r1"}, TOP | {"c": "1.5"}, TOP | {"t": "2026-09-07T12:30:00"}, TOP | {"px": "x" * 121}],
    ids=["a field too many", "fields too few", "another type", "another form", "longer"],
)
def test_another_item_is_found(item: dict[str, Any]) -> None:
    with pytest.raises(NotDescribed, match="/api/top: 200"):
        check("GET", "/api/top", answer([TOP, item]))


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (418, {}),
        (404, {"ok": False, "message": ""}),
        (400, {"ok": False, "error": "new", "message": ""}),
        (400, {"ok": False, "message": ""}),
        (400, {"ok": True, "error": "bad_request", "message": ""}),
        (400, {"ok": False, "error": "bad_request", "message": "", "more": 1}),
    ],
)
def test_another_status_or_error_is_found(status: int, body: dict[str, Any]) -> None:
    with pytest.raises(NotDescribed):
        check("GET", "/api/top", answer(body, status))


def test_a_missing_header_is_found() -> None:
    refused = {"ok": False, "error": "too_frequent", "message": ""}
    check("GET", "/api/top", answer(refused, 429, **{"Retry-After": "1"}))
    with pytest.raises(NotDescribed, match="Retry-After"):
        check("GET", "/api/top", answer(refused, 429))


def test_json_in_place_of_a_file_is_found() -> None:
    check("GET", "/api/account/export", StreamingHttpResponse([b"PK"], content_type="application/zip"))
    with pytest.raises(NotDescribed, match="application/zip"):
        check("GET", "/api/account/export", answer({}))


def test_a_method_that_a_path_lacks_is_answered_as_each_of_its_operations() -> None:
    wrong = {"ok": False, "error": "method_not_allowed", "message": ""}
    check("PUT", "/api/top", answer(wrong, 405, Allow="GET, HEAD"))
    with pytest.raises(NotDescribed):
        check("PUT", "/api/top", answer({"ok": True, "message": ""}, 201))


@pytest.mark.parametrize("path", ["/", "/api/docs", "/api/nothing", "/nowhere"])
def test_pages_and_unknown_paths_are_left_alone(path: str) -> None:
    check("GET", path, HttpResponse(status=418))


def test_fields_that_may_be_absent_are_noted_where_they_are_there() -> None:
    inner = {"type": "object", "properties": {"b": {}, "c": {}}, "required": ["b"]}
    schema = {"type": "array", "items": {"type": "object", "properties": {"a": inner, "d": {}}, "required": ["a"]}}
    assert set(seen.optional(schema)) == {"a.c", "d"}
    assert set(seen.present(schema, [{"a": {"b": 1}}, {"a": {"b": 1, "c": 1}}])) == {"a", "a.b", "a.c"}


def test_what_was_never_answered_is_named() -> None:
    body = {"items": [], "total": 0, "page": 1, "size": 50, "pages": 1, "next": None}
    body["window"] = {"from": None, "to": None, "days": None}
    check("GET", "/api/records", answer(json.loads(json.dumps(body))))
    missing = seen.never_seen({"GET /api/records 200", "GET /api/records 200 has next"})
    assert "GET /api/records 200 has next" in seen.take()
    assert "GET /api/records 200 has next" not in missing
    assert "GET /api/records 200 has sums" in missing
    assert "GET /api/records/{request_id} 404" in missing
