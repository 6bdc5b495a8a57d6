"""What others do while days are erased, and what a wrong clock does (docs/decisions/records.md#retention)."""

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.db import DataError, IntegrityError, OperationalError

from accounts.actor import Actor
from accounts.models import Notice, User
from archive_site.account_deletion import delete_account, delete_archive
from archive_site.archive_adoption import adopt_archive
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message, Value
from tests.factories import ApiClient, further_archive
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, on, prompt_of
from tests.usage.retention.kept_archives import DAYS, KEPT_FROM, fill, keep, sums
from usage import erasure, ingest, node_files
from usage.export import csv_file, kept_files
from usage.models import DataVersion, DayMeasures, DayTotal, ErasedSums, Horizon, Prompt, Record, RemovedRecord
from usage.retention import choices, erasing
from usage.retention.choices import Choice
from usage.rollups import day_measures, day_totals
from usage.rollups.differing_rows import differing

pytestmark = [pytest.mark.landing, pytest.mark.django_db]
ApiOf = Callable[[User], ApiClient]


def nothing(archive_id: int) -> Iterator[None]:
    yield from ()


def ids(user: User) -> list[str]:
    return sorted(Record.objects.filter(archive_id=user.pk).values_list("request_id", flat=True))


def left_before(archive_id: int) -> int:
    return Record.objects.filter(archive_id=archive_id, day__lt=KEPT_FROM).count()


# An archive that cannot be erased, or is deleted meanwhile.


@pytest.mark.engine
def test_an_archive_that_is_deleted_meanwhile_leaves_nothing_and_stops_nobody(alice: User, bob: User) -> None:
    further, far = further_archive(alice), further_archive(bob)
    for archive_id in (alice.pk, further, bob.pk, far):
        fill(archive_id, 50)
    for user in (alice, bob):
        choices.choose(user.pk, Choice(calls_days=DAYS))
    steps = erasing._steps()
    next(steps)
    delete_archive(alice.pk, further, "At work", Actor("alice", alice.pk))
    assert [None for _ in steps]
    assert not any(model.objects.filter(archive_id=further).exists() for model in (Horizon, ErasedSums, DataVersion))
    assert [left_before(archive_id) for archive_id in (alice.pk, bob.pk, far)] == [0, 0, 0]


def test_a_horizon_does_not_move_while_its_archive_is_deleted(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    further = further_archive(alice)
    fill(further, 50)
    choices.choose(alice.pk, Choice(calls_days=DAYS))
    real = erasure._erase_records

    def records(archive_id: int) -> Iterator[None]:
        assert erasing.go_on()
        yield from real(archive_id)

    monkeypatch.setattr(erasure, "_erase_records", records)
    delete_archive(alice.pk, further, "At work", Actor("alice", alice.pk))
    for model in (Horizon, ErasedSums, DataVersion, Record):
        assert not model.objects.filter(archive_id=further).exists()


@pytest.mark.engine
def test_a_horizon_that_an_earlier_version_left_behind_goes(alice: User) -> None:
    further = further_archive(alice)
    fill(alice, 20)
    delete_archive(alice.pk, further, "At work", Actor("alice", alice.pk))
    Horizon.objects.create(archive_id=further, calls_from=KEPT_FROM)
    keep(alice, calls_days=DAYS)
    assert [*Horizon.objects.values_list("archive_id", flat=True)] == [alice.pk]


@pytest.mark.parametrize("error", [RuntimeError, IntegrityError, DataError])
def test_an_error_of_one_archive_is_logged_and_the_others_are_erased(
    alice: User,
    bob: User,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: type[Exception],
) -> None:
    for user in (alice, bob):
        fill(user, 50)
        choices.choose(user.pk, Choice(calls_days=DAYS))
    move = erasing.move

    def broken(archive_id: int, *values: object) -> None:
        if archive_id == alice.pk:
            raise error("something is wrong with this archive")
        move(archive_id, *values)  # type: ignore[arg-type]

    monkeypatch.setattr(erasing, "move", broken)
    assert erasing.go_on()
    assert (left_before(alice.pk) > 0, left_before(bob.pk)) == (True, 0)
    [line] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert line.getMessage().startswith(f"archive {alice.pk}: ")
    assert line.exc_info


@pytest.mark.parametrize("error", [OperationalError, OSError])
def test_an_error_of_the_store_ends_the_erasure(
    alice: User, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    fill(alice, 50)
    choices.choose(alice.pk, Choice(calls_days=DAYS))

    def broken(*values: object) -> None:
        raise error("no room")

    monkeypatch.setattr(erasing, "move", broken)
    with pytest.raises(error):
        erasing.go_on()


# Clocks.


def test_a_clock_that_runs_ahead_for_hours_erases_nothing(alice: User, time: SetClock) -> None:
    archive(alice, on("2026-09-15", "a"), on("2026-09-16", "b"))
    keep(alice, calls_days=90, prompts_days=30)
    time.now += timedelta(days=365)
    for _ in range(3):
        assert erasing.go_on()
        time.now += timedelta(hours=9)
    time.now -= timedelta(days=365, hours=27)
    assert erasing.go_on()
    result = archive(alice, on("2026-09-16", "today", prompt="words"))
    assert (ids(alice), result.added, prompt_of(alice, "today")) == (["a", "b", "today"], 1, "words")
    # The next leap is the first one again.
    time.now += timedelta(days=365)
    assert erasing.go_on()
    assert Record.objects.count() == 3


@pytest.mark.parametrize("days", [7, 8, 100])
def test_after_a_pause_of_the_instance_it_goes_on_once_a_whole_day_has_followed(
    alice: User, time: SetClock, days: int
) -> None:
    archive(alice, on("2026-09-10", "old"), on("2026-09-16", "young"))
    keep(alice, calls_days=10)
    time.now += timedelta(days=days)
    assert erasing.go_on()
    assert ("old" in ids(alice)) is (days != 7)
    time.now += timedelta(days=1)
    assert erasing.go_on()
    assert ("old" in ids(alice)) is (days != 7)
    time.now += timedelta(days=1)
    assert erasing.go_on()
    assert "old" not in ids(alice)


def test_a_new_choice_believes_the_clock(alice: User, time: SetClock) -> None:
    archive(alice, on("2026-09-10", "old"))
    keep(alice, calls_days=10)
    time.now += timedelta(days=100)
    keep(alice, calls_days=10)
    assert not Record.objects.exists()


@pytest.mark.engine
def test_a_choice_under_the_right_clock_sets_a_later_horizon_back(alice: User, time: SetClock) -> None:
    fill(alice, 50)
    before = sums(alice)
    time.now += timedelta(days=365)
    keep(alice, calls_days=90, prompts_days=30)
    time.now -= timedelta(days=365)
    late = on("2026-09-16", "today", prompt="words")
    assert archive(alice, late).too_old == 1
    keep(alice, calls_days=90)
    assert (Horizon.objects.get().calls_from, Horizon.objects.get().prompts_from) == ("2026-09-16", "2026-09-16")
    assert sums(alice) == before
    assert (archive(alice, late).added, prompt_of(alice, "today")) == (1, "words")


@pytest.mark.engine
def test_a_day_whose_calls_are_gone_stays_erased_where_the_horizon_is_set_back(alice: User, time: SetClock) -> None:
    today = [on("2026-09-16", "a", prompt="words"), on("2026-09-16", "b")]
    archive(alice, on("2026-09-15", "old"), *today)
    before = sums(alice)
    time.now += timedelta(days=5)
    keep(alice, calls_days=1)
    assert Horizon.objects.get().calls_from == "2026-09-20"
    time.now -= timedelta(days=5)
    for _ in range(2):
        keep(alice, calls_days=1)
        assert (Horizon.objects.get().calls_from, Horizon.objects.get().calls_gone) == ("2026-09-17", "2026-09-17")
    # The next collection brings the calls of today again.
    assert archive(alice, *today, on("2026-09-16", "c")).too_old == 3
    assert sums(alice) == before
    time.now += timedelta(days=1)
    assert archive(alice, on("2026-09-17", "d")).added == 1
    time.now += timedelta(days=3)
    assert erasing.go_on()
    assert (Horizon.objects.get().calls_from, ids(alice)) == ("2026-09-19", [])


# Recounts, fillings and adoptions.


def test_a_recount_leaves_days_alone_that_are_erased_meanwhile(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(alice, 100, measured=True)
    before = sums(alice)
    totals = [*DayTotal.objects.order_by("day").values_list()]
    measures = [*DayMeasures.objects.order_by("day", "model").values_list("day", "model", "tokens_in")]
    DayMeasures.objects.filter(day=measures[0][0], model=measures[0][1]).update(tokens_in=999_999)
    days = day_totals._days

    def found_days(archive_id: int) -> list[str]:
        found = days(archive_id)
        keep(alice, calls_days=DAYS)
        return found

    def found_differing(*values: object) -> object:
        found = differing(*values)  # type: ignore[arg-type]
        keep(alice, calls_days=DAYS)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(day_measures, "differing", found_differing)
        day_measures.repair(alice.pk)
    assert [(day, model) for day, model, _ in measures] == [
        *DayMeasures.objects.order_by("day", "model").values_list("day", "model")
    ]
    Horizon.objects.all().delete()
    with monkeypatch.context() as patch:
        patch.setattr(day_totals, "_days", found_days)
        assert day_totals.repair(alice.pk) == 0
    assert [*DayTotal.objects.order_by("day").values_list()] == totals
    DayMeasures.objects.filter(day=measures[0][0], model=measures[0][1]).update(tokens_in=measures[0][2])
    assert sums(alice) == before


def test_a_filling_with_another_day_brings_no_prompt_back(alice: User) -> None:
    archive(alice, call("old", ts="2026-08-06 23:59:59", prompt="first secret"))
    keep(alice, prompts_days=DAYS)
    moved = call("old", ts="2026-08-07 00:00:00", prompt="first secret")
    assert ingest.fill_prompts(alice.pk, [moved], max_prompt=1000).prompts_filled == 0
    assert not Prompt.objects.exists()


@pytest.mark.engine
def test_ids_of_removed_records_go_with_the_days_of_their_calls(alice: User, bob: User, time: SetClock) -> None:
    archive(alice, on("2026-08-01", "own-key"), on("2026-08-20", "young-key"), on("2026-08-01", "twin"))
    archive(
        alice,
        replace(on("2026-08-01", "given-id"), earlier_id="own-key"),
        replace(on("2026-08-20", "young-id"), earlier_id="young-key"),
    )
    time.now += timedelta(hours=1)
    archive(bob, on("2026-08-01", "twin", credits=3))
    delete_account(bob.pk, keep_data=True, actor=Actor("root", None))
    adopt_archive(bob.pk, alice)
    assert sorted(RemovedRecord.objects.values_list("request_id", flat=True)) == ["own-key", "twin", "young-key"]
    keep(alice, calls_days=DAYS)
    assert [*RemovedRecord.objects.values_list("request_id", flat=True)] == ["young-key"]


# What others keep of a call.


@pytest.mark.engine
def test_notices_forget_single_calls(alice: User) -> None:
    archive(alice, on("2026-08-06", "old"), on("2026-09-16", "young"))
    facts = {"spent": "1", "usual": "1", "model": "m", "dearest": "7.77", "when": "2026-08-06 12:00"}
    days = ("2026-08-06", "2026-08-09")
    shown = [Message("notice_summary_call", spent="7.77", model="m", when=f"{day} 12:00") for day in days]
    week: dict[str, Value] = {
        "first": "2026-08-03",
        "last": days[1],
        "spent": "9",
        "calls": 2,
        "more": "",
        "models": [],
        "path": "/",
    }
    texts = [
        Message("notice_summary", **week, dearest=shown),
        Message("notice_summary", **week, dearest=shown[:1]),
        Message("notice_spike_day", **facts, day="2026-08-06"),
        Message("notice_spike_hour", **facts, day="2026-08-06", hour="12"),
        Message("notice_spike_day", **{**facts, "when": "2026-08-07 12:00"}, day="2026-08-07"),
    ]
    for place, text in enumerate(texts):
        Notice.objects.create(
            user_id=alice.pk, event="summary", cause=str(place), began_at=clock.now(), stored_begin=text.stored()
        )
    keep(alice, calls_days=DAYS)
    kept = [*Notice.objects.order_by("pk").values_list("stored_begin", flat=True)]
    assert ["2026-08-06 12:00" in text for text in kept] == [False] * 5
    assert ["7.77" in text for text in kept] == [True, False, False, False, True]
    begins = [item["text"] for item in ApiClient.signed_in(alice).get("/api/notices/sent").json()["items"]]
    assert all(begins)


def test_exports_that_another_node_made_before_are_not_given(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_files, "are_apart", lambda: True)
    archive(alice, on("2026-08-06", "old", prompt="canary"), on("2026-09-16", "young"))
    path = kept_files.write_export(alice, alice.pk)
    content, before = path.read_bytes(), (clock.now() - timedelta(hours=2)).timestamp()
    keep(alice, calls_days=DAYS)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    os.utime(path, (before, before))
    kept_files.note_all()
    assert (kept_files.newest_first(alice.pk), path.exists()) == ([], False)


def test_an_export_that_is_being_written_while_calls_are_erased_is_none(
    alice: User, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(alice, on("2026-08-06", "old", prompt="canary"), on("2026-09-16", "young"))
    read = csv_file.pieces

    def pieces(*about: object, **more: object) -> Iterator[bytes]:
        yield from read(*about, **more)  # type: ignore[arg-type]
        # Another node erases, and has no folder to remove.
        with monkeypatch.context() as there:
            there.setattr(kept_files, "remove_exports", lambda archive_id: None)
            keep(alice, calls_days=DAYS)
        time.now += timedelta(seconds=1)

    monkeypatch.setattr(kept_files, "pieces", pieces)
    with pytest.raises(ApiError) as refused:
        kept_files.write_export(alice, alice.pk)
    assert (refused.value.error, [*kept_files.exports_of(alice.pk)]) == ("interrupted", [])


def test_a_call_whose_last_time_is_of_a_day_without_prompts_keeps_none(alice: User) -> None:
    archive(alice, on("2026-09-16", "young"))
    keep(alice, prompts_days=DAYS)
    prompts_from = Horizon.objects.get(archive_id=alice.pk).prompts_from
    before = str(date.fromisoformat(prompts_from) - timedelta(days=1))
    archive(alice, on(prompts_from, "twice", prompt="canary"), on(before, "twice", prompt="canary"))
    assert Record.objects.get(request_id="twice").day == before
    assert not Prompt.objects.filter(record__request_id="twice").exists()


def test_where_nothing_is_erased_exports_stay_and_nothing_is_said(alice: User, time: SetClock, api_of: ApiOf) -> None:
    archive(alice, on("2026-09-16", "young"))
    keep(alice, calls_days=3650, prompts_days=3650)
    kept_files.write_export(alice, alice.pk)
    time.now += timedelta(days=1)
    assert erasing.go_on()
    assert len(kept_files.exports_of(alice.pk)) == 1
    found = api_of(alice).get("/api/retention").json()
    assert (found["prompts_from"], found["calls_from"]) == (None, None)


@pytest.mark.engine
def test_calls_of_days_that_are_being_erased_are_not_read(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(alice, *(on("2026-08-01", f"old{n}", prompt="a secret", credits=50) for n in range(3)))
    archive(alice, on("2026-08-10", "new", prompt="x"), on("2026-08-11", "newer", prompt="x"))
    api = api_of(alice)
    assert "old1" in api.get("/api/top").content.decode()
    with monkeypatch.context() as patch:
        patch.setattr("usage.retention.erasing.erase_rest", nothing)
        keep(alice, calls_days=DAYS)
    assert api.get("/api/records/old1").status_code == 404
    for path in ("/api/top", "/api/repeated", "/api/changes", "/api/records", "/api/bundle"):
        text = api.get(path).content.decode()
        assert "old1" not in text, path
        assert "a secret" not in text, path
    for path in ("/api/top?to=2026-08-02", "/api/repeated?to=2026-08-02"):
        assert "old1" not in api.get(path).content.decode()
