"""What `make contract` takes for an answer outside of the description, and for a run that shows too little."""

import json
import random
from typing import Any

import pytest
import requests
from schemathesis import Response

from archive_site.lib.http import openapi
from tests.contract.generated import Operation, deviations, operations
from tests.contract.tally import Tally
from tests.contract.visitors import Role

JSON = {"content-type": "application/json"}
REFUSED = {"ok": False, "error": "too_frequent", "message": "wait"}


@pytest.fixture(scope="module")
def by_name() -> dict[str, Operation]:
    document = openapi.document()
    chosen = ("/api/tokens", "/api/users", "/api/summary", "/runs/{run_id}/report")
    document["paths"] = {path: document["paths"][path] for path in chosen}
    return {one.name: one for one in operations(document, random.Random(1))}


def answer(status: int, body: Any, headers: dict[str, str]) -> Response:
    request = requests.Request("GET", "http://127.0.0.1/api/tokens").prepare()
    content = json.dumps(body).encode()
    return Response(status, {name: [text] for name, text in headers.items()}, content, request, 0.1, True)


@pytest.mark.parametrize(
    ("status", "body", "headers", "named"),
    [
        (418, {}, JSON, "418"),
        (200, {"items": []}, {"content-type": "text/html"}, "text/html"),
        (200, {"items": [], "more": 1}, JSON, "more"),
        (200, {}, JSON, "items"),
        (429, REFUSED, JSON, "Retry-After"),
        (429, {**REFUSED, "error": "busy"}, {**JSON, "retry-after": "2"}, "too_frequent"),
    ],
)
def test_an_answer_outside_of_the_description_is_named(
    by_name: dict[str, Operation], status: int, body: Any, headers: dict[str, str], named: str
) -> None:
    found = deviations(by_name["GET /api/tokens"].case(), answer(status, body, headers))
    assert named in " ".join(found)


@pytest.mark.parametrize(
    ("status", "body", "headers"), [(200, {"items": []}, JSON), (429, REFUSED, {**JSON, "retry-after": "2"})]
)
def test_a_described_answer_is_right(
    by_name: dict[str, Operation], status: int, body: Any, headers: dict[str, str]
) -> None:
    assert deviations(by_name["GET /api/tokens"].case(), answer(status, body, headers)) == []


@pytest.mark.parametrize(
    ("name", "roles"),
    [
        ("GET /api/tokens", {Role.USER, Role.ADMINISTRATOR}),
        ("GET /api/users", {Role.ADMINISTRATOR}),
        ("POST /api/users", {Role.ADMINISTRATOR}),
        ("GET /api/summary", {Role.USER, Role.ADMINISTRATOR, Role.READ}),
        ("GET /runs/{run_id}/report", {Role.USER, Role.ADMINISTRATOR}),
    ],
)
def test_who_may_ask_is_in_the_description(by_name: dict[str, Operation], name: str, roles: set[Role]) -> None:
    assert {role for role in Role if by_name[name].is_open_to(role)} == roles


@pytest.mark.parametrize("status", [401, 403, 429])
def test_a_run_that_is_mostly_refused_fails(by_name: dict[str, Operation], status: int) -> None:
    tally = Tally()
    for number in range(20):
        tally.note(Role.USER, by_name["GET /api/tokens"], status if number else 200)
    tally.judge()
    assert [words.partition(":")[0] for words in tally.wrong] == ["user", "GET /api/tokens"]


def test_an_operation_that_is_never_done_is_named(by_name: dict[str, Operation]) -> None:
    tally = Tally()
    for _ in range(30):
        tally.note(Role.USER, by_name["GET /api/tokens"], 400)
    tally.judge()
    assert tally.never_done() == ["GET /api/tokens"]
    assert list(tally.wrong) == ["GET /api/tokens: never answered with success"]
