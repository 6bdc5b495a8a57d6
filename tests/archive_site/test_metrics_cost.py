"""GET /metrics: what an answer costs (docs/decisions/web.md#metrics)."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.credentials import credential
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.metrics import page, store_metrics
from collection import watermark
from tests.archive_site.metrics_page import Scraper, ended_run
from tests.factories import make_user
from tests.usage.record_factories import archive, call, plans_of
from usage.models import CoverageDay

pytestmark = pytest.mark.django_db


def filled(name: str) -> User:
    user = make_user(name)
    archive(user, call())
    credential.store(user.pk, "session=1|2|3; marker=1")
    watermark.ensure_mark(user.pk, clock.now())
    CoverageDay.objects.create(archive_id=user.pk, day="2026-09-07")
    ended_run(user)
    return user


def queries(ask: Callable[[], object]) -> int:
    with CaptureQueriesContext(connection) as captured:
        ask()
    return len(captured)


def test_the_number_of_queries_does_not_depend_on_that_of_accounts(scraper: Scraper) -> None:
    filled("alice")
    one = queries(scraper.text)
    for number in range(5):
        filled(f"other{number}")
    assert queries(scraper.text) == one <= 20


def test_what_did_not_change_is_not_read_again(scraper: Scraper) -> None:
    alice = filled("alice")
    first = queries(scraper.text)
    assert queries(scraper.text) == first - 3
    archive(alice, call("r2"))
    assert queries(scraper.text) == first


@pytest.mark.engine
def test_many_accounts_that_changed_are_read_as_all_of_them(scraper: Scraper, monkeypatch: pytest.MonkeyPatch) -> None:
    users = [filled(f"user{number}") for number in range(4)]
    few = scraper.read().by_labels("records")
    monkeypatch.setattr("archive_site.metrics.accounts._MOST_NAMED", 2)
    monkeypatch.setattr(page, "store_metrics", store_metrics.StoreMetrics())
    assert scraper.read().by_labels("records") == few == {(("account", str(user.pk)),): 1 for user in users}


def test_an_answer_is_given_again_for_a_moment(scraper: Scraper, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_metrics, "KEPT", 3600.0)
    alice = filled("alice")
    scraper.text()
    archive(alice, call("r2"))
    # What is left are the locks that show whether a restore is under way, which nodes have in the database.
    assert queries(scraper.text) == (0 if engine.IS_SQLITE else queries(page._is_restoring))
    assert scraper.read().value("records", account=str(alice.pk)) == 1


@pytest.mark.sqlite_only
@pytest.mark.parametrize("most_named", [500, 0])
def test_no_table_of_calls_runs_or_settings_is_read_to_its_end(
    most_named: int, scraper: Scraper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("archive_site.metrics.accounts._MOST_NAMED", most_named)
    filled("alice")
    plans = plans_of(scraper.text)
    scans = {step for plan in plans for step in plan.split("; ") if step.startswith("SCAN")}
    # One row for each account, node, task or kind of run; of runs and notices those that have not ended.
    few = {"accounts_user", "u", "p", "usage_dataversion", "collection_runcount", "django_q_ormq"}
    few |= {"pragma_page_count", "pragma_page_size"}
    unfinished = {"SCAN accounts_delivery USING INDEX delivery_waiting"}
    # At the first answer of a process with many accounts: the days of all.
    days = {"usage_daytotal", "c"}
    allowed = few | (days if most_named == 0 else set())
    assert {scan for scan in scans if scan.split()[1] not in allowed} <= unfinished
    joined = "; ".join(plans)
    for step in (
        "SEARCH s USING INDEX sqlite_autoindex_accounts_setting_1 (user_id=? AND key=?)",
        "SEARCH r USING INDEX run_by_account (user_id=?)",
        "SEARCH collection_run USING INDEX run_by_status (status=?)",
        "SEARCH success USING INTEGER PRIMARY KEY (rowid=?)",
    ):
        assert step in joined
