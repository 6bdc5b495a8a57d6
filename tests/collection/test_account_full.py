"""Runs of an account that stores as much as it may: docs/decisions/accounts.md#what-an-account-stores."""

import io
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from accounts import config
from accounts.config import MEGABYTE
from accounts.models import INSTANCE, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from collection import watermark
from collection.models import ImportProgress, Run
from collection.reading.older import fetch_older
from collection.runs import lease
from collection.runs.run_outcomes import ACCOUNT_FULL, ERRORS
from collection.runs.run_start import take_other_run
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.transfer import import_storing
from collection.transfer.import_run import Importer, import_file
from tests.collection.collect_endpoint import collect
from tests.collection.collector_run import WEEK, call_at, collected, contents, set_up, truth, week_of
from tests.collection.import_endpoint import send
from tests.collection.maintenance_endpoint import ask
from tests.collection.prompt_gaps import days_ago, lacks_prompts
from tests.factories import ApiClient
from tests.usage.import_files import HEADER, file_of
from tests.usage.record_factories import archive, call, counted_bytes, kept_bytes, prompt_of
from usage import stored_size
from usage.coverage import left_windows
from usage.importing.file_format import Options
from usage.models import CoverageDay, Record

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream)
    return alice


def limit(megabytes: int) -> None:
    written = config.write({"max_account_megabytes": str(megabytes)}, archive_id=INSTANCE, may_edit_instance=True)
    assert not written.errors


def fill(user: User, left: int) -> None:
    """Leave room for this number of bytes below a limit of one megabyte."""
    archive(user, call("filling", ts="2020-01-01 12:00:00", prompt="x" * (MEGABYTE - 1000 - left)), max_prompt=MEGABYTE)
    limit(1)


def content(calls: int) -> str:
    return HEADER + "".join(f"r{number},1,why?,glm,ide,2026-09-07 12:3{number}:00\r\n" for number in range(calls))


def imported(user: User, folder: Path, calls: int = 5) -> Run:
    return import_file(Importer(user, Run.Trigger.CLI, "alice"), file_of(folder, content(calls)), Options({}))[0]


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call of an import is a part."""
    for name in ("_FIRST", "_LEAST", "_MOST"):
        monkeypatch.setattr(import_storing, name, 1)


# Collecting


def test_a_collection_ends_as_account_full(api: ApiClient, alice: User) -> None:
    fill(alice, left=0)
    answer = collect(api)
    assert (answer.status_code, answer.json()["error"]) == (507, "account_full")
    run = Run.objects.get()
    assert (run.status, run.exit_code, run.cause) == ("failed", 7, "account_full")
    assert run.message == answer.json()["message"]
    assert "it stores 1.0 MB of the 1.0 MB that it may" in run.message
    assert not lease.is_held()
    assert Record.objects.count() == 1


def test_the_pages_before_stay_and_the_mark_does_not_pass_the_rest(alice: User, upstream: Simulator) -> None:
    watermark.ensure_mark(alice.pk, clock.day_start(WEEK))
    before = watermark.mark(alice.pk)
    fill(alice, left=100_000)
    result = collected(alice)
    assert result.outcome is ACCOUNT_FULL
    assert 0 < result.run.added == Record.objects.count() - 1 < len(truth(upstream))
    assert (watermark.mark(alice.pk), CoverageDay.objects.count()) == (before, 0)
    assert not left_windows.failed(alice.pk, is_over=False)
    assert "What came is stored" in result.run.message
    assert kept_bytes(alice.pk) == counted_bytes(alice.pk)


def test_the_next_run_completes_it_after_the_limit_is_raised(alice: User, upstream: Simulator) -> None:
    fill(alice, left=100_000)
    collected(alice, WEEK, WEEK.replace(day=7))
    limit(50)
    assert collected(alice, WEEK, WEEK.replace(day=7)).outcome.exit_code == 0
    got = contents(alice)
    del got["filling"]
    assert got == week_of(upstream)


def test_a_run_that_brings_nothing_new_ends_well(alice: User) -> None:
    days = WEEK, WEEK.replace(day=7)
    collected(alice, *days)
    size = stored_size.of_account(alice.pk).used
    archive(alice, call("filling", prompt="x" * 2 * MEGABYTE), max_prompt=2 * MEGABYTE)
    limit(1)
    assert size > 0
    assert collected(alice, *days).outcome.exit_code == 0


def test_a_full_account_asks_the_upstream_for_one_page(alice: User, upstream: Simulator) -> None:
    fill(alice, left=0)
    before = upstream.request_count
    collected(alice, WEEK, WEEK.replace(day=7))
    # Before it, one looks whose calls these are.
    assert upstream.request_count == before + 2


def test_older_calls_end_with_the_full_account(alice: User) -> None:
    fill(alice, left=0)
    run, token = take_other_run(alice.pk, Run.Kind.OLDER, Run.Trigger.CLI)
    assert fetch_older(run, token, actor="alice").outcome is ACCOUNT_FULL
    assert not left_windows.failed(alice.pk, is_over=False)


def test_the_command_says_so_in_one_line(alice: User) -> None:
    fill(alice, left=0)
    with pytest.raises(CommandError, match="^The account is full: ") as ended:
        call_command("collect", "alice", stdout=io.StringIO())
    assert ended.value.returncode == 1


def test_another_account_still_collects(alice: User, bob: User, upstream: Simulator) -> None:
    fill(alice, left=0)
    set_up(bob, upstream)
    limit(1)
    collected(alice, WEEK, WEEK)
    assert collected(bob, WEEK, WEEK).outcome.exit_code == 0


# Filling prompts


def test_a_filling_ends_as_account_full(api: ApiClient, alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, 3)
    fill(alice, left=-1000)
    upstream.add(0, call_at(days_ago(3).replace(hour=12, minute=0, second=0), "gap-3", prompt="late"))
    answer = ask(api, "fill-prompt")
    assert (answer.status_code, answer.json()["error"]) == (507, "account_full")
    assert answer.json()["message"].startswith("The account is full: ")
    assert not prompt_of(alice, "gap-3")
    assert not lease.is_held()


# Importing


def test_an_import_ends_as_account_full_and_says_what_is_stored(api: ApiClient, alice: User, small_parts: None) -> None:
    fill(alice, left=2100)
    answer = send(api, content(5).encode())
    run = Run.objects.get()
    assert (answer.status_code, answer.json()["error"]) == (507, "account_full")
    assert re.match(r"The account is full.* 2 of its calls are stored;", answer.json()["message"])
    assert (run.status, run.exit_code, run.cause, run.added) == ("failed", 7, "account_full", 2)
    assert (Record.objects.count(), ImportProgress.objects.count()) == (3, 0)
    assert kept_bytes(alice.pk) == counted_bytes(alice.pk)


def test_importing_again_after_the_limit_is_raised_adds_the_rest(
    alice: User, tmp_path: Path, small_parts: None
) -> None:
    fill(alice, left=2100)
    with pytest.raises(ApiError):
        imported(alice, tmp_path)
    limit(2)
    run = imported(alice, tmp_path)
    assert (run.status, run.added, run.dup) == ("ok", 3, 2)


def test_a_file_of_known_calls_is_imported_into_a_full_account(alice: User, tmp_path: Path) -> None:
    imported(alice, tmp_path)
    fill(alice, left=-5000)
    assert imported(alice, tmp_path).dup == 5


def test_the_outcome_has_its_code() -> None:
    assert ERRORS[7] == "account_full"
