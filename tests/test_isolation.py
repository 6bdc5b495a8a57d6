"""No endpoint shows data of another account, whatever `user_id` is sent: docs/api.md#accounts-and-roles."""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.cache import caches
from django.urls import URLPattern, URLResolver, get_resolver

from accounts import archives, config
from accounts.models import FIRST_ARCHIVE, ApiToken, Archive, User, Webhook
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.models import Run, RunReport
from collection.runs import runs
from collection.runs.run_outcomes import OK
from tests.accounts.webhooks.hooks import make_webhook
from tests.factories import ApiClient, further_archive, make_user
from tests.standing_clock import SetClock
from tests.tokens import make_token
from tests.usage.record_factories import archive, call
from usage.budgets import stored_budgets
from usage.export import kept_files as export_files
from usage.models import Budget, SavedView

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.landing]

# In everything that Mallory archived, ran or set.
MARKERS = ("zzmallory", "7777.6")
# Her records are before and after all others.
MALLORYS = ("zzmallory", 7777.654321, "2019-03", "2031-01")
# In her account data, which administrators may see.
NAME = "qqperson"
# Pages that show the filters they were asked for; what they filter comes through the API.
ECHOING = ("/", "/records", "/repeated")
IDS = {
    "request_id": "zzmallory-r1",
    "token": "x",
    "invitation_id": 1,
    "passkey_id": 1,
    "rest": "nothing",
    "filename": "nothing",
    "action": "recount",
    "kind": "month",
    "day": "2026-08-01",
    "month": "2026-09",
}


def routes(patterns: list[Any], prefix: str = "") -> Iterator[str]:
    """All routes of the project but the admin site, which is for administrators only and has its own tests."""
    for pattern in patterns:
        route = prefix + str(pattern.pattern).lstrip("^").rstrip("$")
        if isinstance(pattern, URLResolver) and not route.startswith("admin/"):
            yield from routes(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern) and not route.startswith("admin/"):
            yield route


ROUTES = sorted(routes(get_resolver().url_patterns))


@pytest.fixture(autouse=True)
def still(time: SetClock) -> None:
    """The clock stands still, so that equal answers are equal to the byte."""
    time.now = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


def fill_archive(archive_id: int, mark: str, credits: float, *months: str) -> None:
    """Give an archive some of each kind of data, with a mark in it."""
    fields: dict[str, Any] = {"model": f"{mark}-m", "client": f"{mark}-c", "prompt": f"{mark} asks", "credits": credits}
    days = [f"{month}-{day:02}" for month in months for day in (1, 2)]
    archive(
        archive_id,
        *(call(f"{mark}-r{n}", ts=f"{day} 10:00:00", agent_purpose=mark, **fields) for n, day in enumerate(days, 1)),
        call("shared", ts=f"{days[0]} 23:00:00", **fields),
    )
    run = runs.begin(archive_id, Run.Trigger.MANUAL, clock.now(), clock.now())
    journal = runs.Journal(run.pk)
    journal.note(Message("connection_failed", host=f"{mark} in the detail"))
    runs.finish(run, OK, Message("connection_failed", host=f"{mark} in the message"), journal, actor=mark)
    RunReport.objects.create(run=run, text=f"{mark} in the report")
    stored_budgets.create(archive_id, {"period": "month", "credits": credits, "model": f"{mark}-m"})
    written = config.write(
        {"cookie": f"session=secret{mark}", "user_agent": f"{mark}/1.0"}, archive_id=archive_id, may_edit_instance=False
    )
    assert not written.errors


def fill(user: User, mark: str, credits: float, *months: str) -> None:
    """Give an account and its archive some of each kind of data, with a mark in it."""
    fill_archive(user.pk, mark, credits, *months)
    SavedView.objects.create(user_id=user.pk, name=f"{mark} view", query=f"model={mark}-m")
    export_files.write_export(user, user.pk)
    make_token(user, name=f"{mark} token")
    make_webhook(user, f"https://{mark}.example.org/")


@pytest.fixture
def mallory(db: None) -> User:
    return make_user(NAME, display_name=NAME, email=f"{NAME}@example.org", register_ip=NAME)


def address(route: str, other: User) -> str:
    """A route with data of the other account in place of each parameter."""
    run = Run.objects.filter(archive_id=other.pk).values_list("pk", flat=True).first()
    exported = [path.name for path in export_files.exports_of(other.pk)]
    view = SavedView.objects.filter(user_id=other.pk).values_list("pk", flat=True).first()
    budget = Budget.objects.filter(archive_id=other.pk).values_list("pk", flat=True).first()
    token = ApiToken.objects.filter(user_id=other.pk).values_list("pk", flat=True).first()
    webhook = Webhook.objects.filter(user_id=other.pk).values_list("pk", flat=True).first()
    values = {
        **IDS,
        "user_id": other.pk,
        "run_id": run or 10**6,
        "view_id": view or 10**6,
        "budget_id": budget or 10**6,
        "token_id": token or 10**6,
        "webhook_id": webhook or 10**6,
        "archive_id": other.pk,
        "name": exported[-1] if exported else "none.csv",
    }

    def value(found: re.Match[str]) -> str:
        assert found[1] in values, f"say in this file what stands for <{found[1]}> of {route}"
        return str(values[found[1]])

    plain = re.sub(r"\(\?P(<\w+>)[^)]*\)", r"\1", route)
    return "/" + re.sub(r"<(?:\w+:)?(\w+)>", value, plain)


def answers(visitor: ApiClient, path: str, other: User) -> list[tuple[int, str]]:
    """The answers of a route to a plain request and to requests for data of the other account."""
    asked: list[dict[str, Any]] = [
        {},
        {"q": "zzmallory"},
        {"model": "zzmallory-m"},
        {"client": "zzmallory-c", "order": "credits_desc", "size": 500},
        {"purpose": "zzmallory", "columns": "purpose"},
        {"dim": "purpose", "columns": "purpose"},
        {"from": "2019-01-01", "to": "2031-12-31", "limit": 500},
    ]
    responses = [visitor.get(path, user_id=other.pk, **params) for params in asked]
    caches["counters"].clear()
    texts = [b"".join(response).decode("utf-8", "replace") + str(response.headers) for response in responses]
    if path in ECHOING:
        texts = [without(text, params) for text, params in zip(texts, asked, strict=True)]
    return [(response.status_code, text) for response, text in zip(responses, texts, strict=True)]


def without(text: str, params: dict[str, Any]) -> str:
    """A text without the words that the visitor sent."""
    for value in params.values():
        text = text.replace(str(value), "")
    return text


def marks_in(found: list[tuple[int, str]], *more: str) -> set[str]:
    return {mark for _, text in found for mark in (*MARKERS, *more) if mark in text}


# Some at a time: to fill two accounts takes longer than to ask a route.
@pytest.mark.parametrize("some", [ROUTES[first::10] for first in range(10)])
def test_nothing_of_another_account_is_in_any_answer(
    some: list[str], alice: User, mallory: User, api_of: ApiOf
) -> None:
    fill(alice, "alice", 1, "2026-09")
    fill(mallory, *MALLORYS)
    for route in some:
        found = answers(api_of(alice), address(route, mallory), mallory)
        assert marks_in(found, NAME) == set(), route
        assert not [status for status, _ in found if status >= 500], route


# A page has a nonce, new in each answer.
@pytest.mark.thorough
@pytest.mark.parametrize("route", [route for route in ROUTES if route.startswith("api/") and route != "api/docs"])
def test_an_answer_is_the_same_to_the_byte_whatever_another_account_has(
    route: str, alice: User, mallory: User, api_of: ApiOf
) -> None:
    fill(alice, "alice", 1, "2026-09")
    visitor = api_of(alice)
    before = answers(visitor, address(route, mallory), mallory)
    fill(mallory, *MALLORYS)
    assert answers(visitor, address(route, mallory), mallory) == before


# These belong to the account, not to an archive; the file of the account has both, and so has what it stores.
OF_ACCOUNT = {"api/archives", "api/archives/totals", "api/audit", "api/webhooks", "api/account/export", "api/status"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "route", [route for route in ROUTES if route.startswith("api/") and route not in {"api/docs", *OF_ACCOUNT}]
)
def test_an_answer_is_the_same_to_the_byte_whatever_a_second_archive_has(
    route: str, alice: User, api_of: ApiOf
) -> None:
    fill(alice, "alice", 1, "2026-09")
    second = User(pk=Archive.objects.create(user_id=alice.pk, **FIRST_ARCHIVE).pk)
    visitor = api_of(alice)
    before = answers(visitor, address(route, second), second)
    fill_archive(second.pk, *MALLORYS)
    assert answers(visitor, address(route, second), second) == before


def test_a_second_archive_shows_in_the_status_as_what_the_account_stores_alone(alice: User, api_of: ApiOf) -> None:
    fill(alice, "alice", 1, "2026-09")
    second = Archive.objects.create(user_id=alice.pk, **FIRST_ARCHIVE).pk
    before = api_of(alice).get("/api/status").json()
    fill_archive(second, *MALLORYS)
    after = api_of(alice).get("/api/status").json()
    assert after.pop("stored")["bytes"] > before.pop("stored")["bytes"]
    assert after == before


@pytest.mark.thorough
def test_a_border_that_is_asked_about_a_second_archive_shows_nothing_of_the_first(
    root: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first archive has the account's id: elsewhere a border that takes the one for the other is not seen."""
    # Also in the months of summaries, statements and forecasts.
    fill_archive(root.pk, *MALLORYS, "2026-08", "2026-09")
    export_files.write_export(root, root.pk)
    second = further_archive(root)
    fill_archive(second, "second", 1, "2026-09")
    monkeypatch.setattr(archives, "first_of", {root.pk: second}.__getitem__)
    visitor = api_of(root)
    showing = {route for route in ROUTES if marks_in(answers(visitor, address(route, root), root), "2019-03-01")}
    # The audit log is the person's. So is the file of the account, with all archives, but it is compressed.
    assert showing == {"api/audit"}


# The audit log is left out: administrators see the entries of all accounts (docs/api.md#audit).
@pytest.mark.thorough
@pytest.mark.parametrize("route", [route for route in ROUTES if route != "api/audit"])
def test_an_administrator_does_not_see_the_data_of_another(
    route: str, root: User, mallory: User, api_of: ApiOf
) -> None:
    fill(root, "root", 1, "2026-09")
    fill(mallory, *MALLORYS)
    assert marks_in(answers(api_of(root), address(route, mallory), mallory)) == set()


@pytest.mark.thorough
def test_the_owner_sees_all_of_it(mallory: User, api_of: ApiOf) -> None:
    # Shows that the search above finds marks.
    fill(mallory, *MALLORYS)
    showing = {route for route in ROUTES if marks_in(answers(api_of(mallory), address(route, mallory), mallory))}
    assert {"api/records", "api/records/<anything:request_id>", "api/runs", "api/runs/<number:run_id>", "api/dims",
            "api/settings", "api/summary", "api/status", "config", "exports/<str:name>", "records/export",
            "runs/<number:run_id>/report", "api/views", "api/budgets", "api/tokens"} <= showing  # fmt: skip


def test_the_cookie_that_is_tried_is_the_own_one(alice: User, mallory: User, api_of: ApiOf) -> None:
    fill(mallory, *MALLORYS)
    response = api_of(alice).post("/api/credential/test", {"user_id": mallory.pk})
    assert (response.status_code, response.json()["error"]) == (409, "no_cookie")


@pytest.mark.parametrize("way", ["", "/delete"])
def test_anothers_view_is_missing_and_stays(way: str, alice: User, mallory: User, api_of: ApiOf) -> None:
    fill(mallory, *MALLORYS)
    view = SavedView.objects.get(user_id=mallory.pk)
    response = api_of(alice).post(f"/api/views/{view.pk}{way}", {"name": "taken", "user_id": mallory.pk})
    assert (response.status_code, set(response.json())) == (404, {"ok", "message"})
    assert SavedView.objects.get().name == view.name


@pytest.mark.parametrize("way", ["", "/{id}/delete"])
def test_anothers_budget_is_missing_and_stays(way: str, alice: User, mallory: User, api_of: ApiOf) -> None:
    fill(mallory, *MALLORYS)
    budget = Budget.objects.get(archive_id=mallory.pk)
    asked = {"id": budget.pk, "credits": 1, "user_id": mallory.pk}
    response = api_of(alice).post(f"/api/budgets{way.format(id=budget.pk)}", asked)
    assert (response.status_code, set(response.json())) == (404, {"ok", "message"})
    assert Budget.objects.get().credits == budget.credits


@pytest.mark.parametrize("path", ["records/zzmallory-r1", "runs/{run}"])
def test_what_is_anothers_is_missing_and_not_forbidden(path: str, alice: User, mallory: User, api_of: ApiOf) -> None:
    fill(mallory, *MALLORYS)
    run = Run.objects.get(archive_id=mallory.pk)
    response = api_of(alice).get(f"/api/{path.format(run=run.pk)}", user_id=mallory.pk)
    assert (response.status_code, set(response.json())) == (404, {"ok", "message"})
