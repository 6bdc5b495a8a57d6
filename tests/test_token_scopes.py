"""Every URL of the project, requested with a token of each scope: docs/api.md#tokens.

A route of the API without a row is for sessions alone: it is 403 for every token.
"""

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import get_resolver

from accounts.models import User
from archive_site.lib.http.bearer import SCOPES
from tests.factories import make_user
from tests.test_roles import routes
from tests.tokens import TokenClient

DOCUMENT = Path(__file__).resolve().parents[1] / "docs/api.md"
READING, COLLECTING = ("read",), ("collect",)
# The scopes that open a route, by its method.
TABLE: dict[str, dict[str, tuple[str, ...]]] = {
    "api/summary": {"GET": READING},
    "api/daily": {"GET": READING},
    "api/dims": {"GET": READING},
    "api/coverage": {"GET": READING},
    "api/bills": {"GET": READING},
    "api/packages": {"GET": READING},
    "api/orders": {"GET": READING},
    "api/forecast": {"GET": READING},
    "api/budgets": {"GET": READING},
    "api/changes": {"GET": READING},
    "api/top": {"GET": READING},
    "api/repeated": {"GET": READING},
    "api/records": {"GET": READING},
    "api/records/<anything:request_id>": {"GET": READING},
    "api/views": {"GET": READING},
    "api/manifest": {"GET": READING},
    "api/bundle": {"GET": READING},
    "api/archives/totals": {"GET": READING},
    "api/runs": {"GET": ("read", "collect")},
    "api/runs/<number:run_id>": {"GET": ("read", "collect")},
    "api/runs/<number:run_id>/stop": {"POST": COLLECTING},
    "api/collect": {"POST": COLLECTING},
    "api/collect/older": {"POST": COLLECTING},
    "api/verify": {"POST": COLLECTING},
    "api/openapi.json": {"GET": SCOPES},
    "api/status": {"GET": SCOPES},
    "api/account/export": {"GET": ("export",)},
    "records/export": {"GET": ("export",)},
    "exports/<str:name>": {"GET": ("export",)},
}
PAGE = "api/docs"
UNKNOWN = r"^api/(?P<rest>(?s:.*))\Z"
ROUTES = sorted(set(routes(get_resolver())))
# Those who write have methods of their own.
BOTH = {"api/budgets": {"GET", "POST"}, "api/views": {"GET", "POST"}}


def is_for_programs(route: str) -> bool:
    return route in TABLE or ("api/" in route and route != PAGE)


def path_of(route: str) -> str:
    """A path of the route; what it names does not exist."""
    plain = re.sub(r"\(\?P<\w+>.*?\)+", "unknown", route)
    return "/" + re.sub(r"<\w+:\w+>|[\^$]|\\Z", lambda found: "1" if found[0][0] == "<" else "", plain)


def expected(route: str, method: str, scope: str) -> int | None:
    """401, 403, 404 or 405 for a token of that scope; None where the view decides."""
    opened = TABLE.get(route, {})
    if route == UNKNOWN:
        return 404
    if method in opened:
        return None if scope in opened[method] else 403
    if method in BOTH.get(route, set()) or scope not in {each for scopes in opened.values() for each in scopes}:
        return 403
    return 405


def asked(program: TokenClient, method: str, path: str) -> int:
    answer = (program.get if method == "GET" else program.post)(path)
    # An export holds its place until it is read to its end.
    list(answer)
    return int(answer.status_code)


def test_every_row_has_a_route() -> None:
    assert set(TABLE) <= set(ROUTES)


@pytest.mark.django_db
@pytest.mark.parametrize("is_admin", [False, True])
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("route", [route for route in ROUTES if is_for_programs(route)])
def test_a_token_opens_what_its_scope_names_and_nothing_else(route: str, scope: str, is_admin: bool) -> None:
    program = TokenClient.of(make_user("alice", is_admin=is_admin), scope)
    for method in ("GET", "POST"):
        status, due = asked(program, method, path_of(route)), expected(route, method, scope)
        assert status == due if due else status not in (400, 401, 403, 405), method
    assert User.objects.get().is_admin == is_admin


@pytest.mark.django_db
@pytest.mark.parametrize("route", [route for route in ROUTES if not is_for_programs(route)])
def test_elsewhere_a_token_counts_as_anonymous(route: str) -> None:
    program = TokenClient.of(make_user("root", is_admin=True))
    stranger, path = Client(enforce_csrf_checks=True, raise_request_exception=False), path_of(route)
    for method, answer in (("GET", stranger.get(path)), ("POST", stranger.post(path))):
        assert asked(program, method, path) == answer.status_code


@pytest.mark.django_db
def test_a_token_of_two_scopes_opens_both(alice: User) -> None:
    program = TokenClient.of(alice, "read", "export")
    paths = ("/api/summary", "/records/export", "/api/status", "/api/settings")
    assert [asked(program, "GET", path) for path in paths] == [200, 200, 200, 403]
    assert asked(program, "POST", "/api/collect") == 403


def test_the_document_lists_the_same_scopes() -> None:
    section = DOCUMENT.read_text(encoding="utf-8").split("\n### Tokens\n")[1].split("\n### ")[0]
    rows = re.findall(r"(?m)^\| `(read|collect|export)` \|(.*)\|$", section)
    documented = {
        (scope, re.sub(r"<\w+>", "<>", one)) for scope, cell in rows for one in re.findall(r"`([^`]+)`", cell)
    }
    opened = {
        (scope, f"{method} /" + re.sub(r"<[^>]+>", "<>", route))
        for route, by_method in TABLE.items()
        for method, scopes in by_method.items()
        for scope in scopes
    }
    assert documented == opened
