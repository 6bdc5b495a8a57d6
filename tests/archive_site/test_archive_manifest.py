"""GET /api/manifest: totals, months and health of the archive (docs/api.md#manifest)."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import RequestFactory
from pytest_django import DjangoAssertNumQueries

from accounts.credentials import credential
from accounts.models import Setting, User
from archive_site import __version__
from archive_site.combined_answers import api, archive_manifest
from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch
from collection.models import Run
from collection.runs import runs
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, plans_of
from usage.coverage.ledger import State

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
NOON = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)  # 12:00 in Berlin
NOTHING = {"credits": 0, "calls": 0, "free": 0, "paid": 0, "models": 0, "clients": 0}


@pytest.fixture
def at(time: SetClock) -> Callable[[datetime], None]:
    """Moves the clock."""

    def move(instant: datetime) -> None:
        time.now = instant

    return move


def manifest_of(visitor: ApiClient, **params: object) -> dict[str, Any]:
    response = visitor.get("/api/manifest", **params)
    assert response.status_code == 200
    body: dict[str, Any] = response.json()
    return body


def begin(user: User, **changes: Any) -> Run:
    run = runs.begin(user.pk, Run.Trigger.MANUAL, clock.now(), clock.now())
    Run.objects.filter(pk=run.pk).update(**changes)
    return run


def test_an_empty_archive_says_so(alice: User, api_of: ApiOf, at: Callable[[datetime], None]) -> None:
    at(NOON)
    assert manifest_of(api_of(alice)) == {
        "schema": 4,
        "generated": "2026-09-08 12:00:00",
        "archive": "usage-archive",
        "producer": f"usage-archive {__version__}",
        "note": "Times are of the zone Europe/Berlin.",
        "totals": NOTHING,
        "months": [],
        "focusDay": None,
        "coverage": {state.value: int(state is State.OPEN) for state in {*State} - {State.PROVED, State.ERASED}},
        "health": {"cookie": False, "lastRunAt": None, "lastRunStatus": None},
        "role": "user",
    }


def test_totals_months_and_focus_day_are_the_archives(alice: User, api_of: ApiOf) -> None:
    archive(
        alice,
        call("a", ts="2026-09-07 00:00:00", credits=0),
        call("b", ts="2025-12-31 23:59:59", model="kimi"),
        call("c", ts="2026-09-01 00:00:00"),
        call("d", ts="2026-01-01 00:00:00", client="cli"),
    )
    answer = manifest_of(api_of(alice))
    assert answer["totals"] == {"credits": 4.5, "calls": 4, "free": 1, "paid": 3, "models": 2, "clients": 2}
    assert answer["months"] == ["2025-12", "2026-01", "2026-09"]
    assert answer["focusDay"] == "2026-09-07"


def test_generated_is_when_the_accounts_data_changed_last(
    alice: User, api_of: ApiOf, at: Callable[[datetime], None]
) -> None:
    at(NOON)
    archive(alice, call())
    at(NOON + timedelta(days=1))
    assert manifest_of(api_of(alice))["generated"] == "2026-09-08 12:00:00"


def test_a_run_moves_generated_too(alice: User, api_of: ApiOf, at: Callable[[datetime], None]) -> None:
    at(NOON)
    archive(alice, call())
    at(NOON + timedelta(hours=1))
    begin(alice)
    assert manifest_of(api_of(alice))["generated"] == "2026-09-08 13:00:00"


def test_the_archives_name_is_the_instances(alice: User, api_of: ApiOf, settings: Any) -> None:
    settings.ARCHIVE_NAME = "team's own"
    assert manifest_of(api_of(alice))["archive"] == "team's own"


# Sources.


def test_an_administrator_sees_the_store(root: User, api_of: ApiOf) -> None:
    archive(root, call("a"), call("b"))
    answer = manifest_of(api_of(root))
    [source] = answer["sources"]
    assert (source["path"], source["role"], source["count"]) == (str(settings.DATABASES["default"]["NAME"]), "store", 2)
    stored = Path(source["path"]).stat().st_size if engine.IS_SQLITE else fetch(engine.STORE_BYTES)[0][0]
    # SQLite's file lacks what is in its write-ahead log.
    assert 0 < source["bytes"] <= stored + 100 * 2**20
    assert answer["role"] == "admin"


def test_an_ordinary_user_gets_neither_sources_nor_any_path(alice: User, api_of: ApiOf) -> None:
    archive(alice, call())
    response = api_of(alice).get("/api/manifest")
    assert "sources" not in response.json()
    assert str(settings.DATA_FOLDER.home) not in response.content.decode()
    assert "sqlite" not in response.content.decode()


# Health.


def test_health_reports_a_usable_cookie(alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, "session=1; marker=1")
    assert manifest_of(api_of(alice))["health"]["cookie"] is True


def test_a_broken_cookie_is_none(alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, "session=1; marker=1")
    Setting.objects.filter(key="cookie").update(value="of another key")
    assert manifest_of(api_of(alice))["health"]["cookie"] is False


def test_health_reports_the_newest_run(alice: User, api_of: ApiOf, at: Callable[[datetime], None]) -> None:
    at(NOON)
    begin(alice, status=Run.Status.FAILED)
    at(NOON + timedelta(minutes=5))
    begin(alice, status=Run.Status.OK)
    health = manifest_of(api_of(alice))["health"]
    assert (health["lastRunAt"], health["lastRunStatus"]) == ("2026-09-08 12:05:00", "ok")


def test_a_run_that_waits_has_the_time_at_which_it_was_made(
    alice: User, api_of: ApiOf, at: Callable[[datetime], None]
) -> None:
    at(NOON)
    begin(alice, status=Run.Status.QUEUED, started_at=None)
    health = manifest_of(api_of(alice))["health"]
    assert (health["lastRunAt"], health["lastRunStatus"]) == ("2026-09-08 12:00:00", "queued")


# Conditional: fields that the data version does not cover change the tag, too.


def test_another_cookie_state_makes_another_tag(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    before = visitor.get("/api/manifest").headers["ETag"]
    credential.store(alice.pk, "session=1; marker=1")
    assert visitor.get("/api/manifest").headers["ETag"] != before
    credential.clear(alice.pk)
    assert visitor.get("/api/manifest").headers["ETag"] == before


def test_another_name_of_the_archive_makes_another_tag(alice: User, api_of: ApiOf, settings: Any) -> None:
    before = api_of(alice).get("/api/manifest").headers["ETag"]
    settings.ARCHIVE_NAME = "team's own"
    assert api_of(alice).get("/api/manifest").headers["ETag"] != before


def test_a_store_that_grew_makes_another_tag_for_administrators_alone(
    alice: User, root: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tags() -> list[str]:
        return [api_of(user).get("/api/manifest").headers["ETag"] for user in (alice, root)]

    before = tags()
    monkeypatch.setattr(archive_manifest, "store_bytes", lambda: 12345)
    assert [old == new for old, new in zip(before, tags(), strict=True)] == [True, False]


# Accounts.


def test_no_answer_has_data_of_another_account(alice: User, bob: User, root: User, api_of: ApiOf) -> None:
    archive(alice, call())
    begin(alice)
    credential.store(alice.pk, "session=1; marker=1")
    for viewer in (bob, root):
        answer = manifest_of(api_of(viewer), user_id=alice.pk)
        assert (answer["totals"], answer["months"], answer["focusDay"]) == (NOTHING, [], None)
        assert answer["health"] == {"cookie": False, "lastRunAt": None, "lastRunStatus": None}


def test_anonymous_is_401(anonymous: ApiClient) -> None:
    assert anonymous.get("/api/manifest").status_code == 401


# Cost.


def request_of(user: User) -> Any:
    request: Any = RequestFactory().get("/api/manifest")
    request.user = user
    return request


@pytest.mark.parametrize(("name", "number"), [("alice", 14), ("root", 15)])
def test_it_makes_a_fixed_number_of_queries(
    alice: User, root: User, name: str, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(number):
        api.manifest(request_of({"alice": alice, "root": root}[name]))


def test_it_reads_the_rollup_and_never_the_records(alice: User) -> None:
    archive(alice, call())
    plans = plans_of(lambda: api.manifest(request_of(alice)))
    # PostgreSQL reads a table of few rows as a whole.
    assert not [plan for plan in plans if "SCAN usage" in plan or "usage_record" in plan]
