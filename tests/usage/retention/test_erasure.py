"""Calls and prompts that an account keeps no longer are erased (docs/decisions/records.md#retention)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from accounts.models import Notice, User
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from archive_site.lib.task_turns import turn_of
from tests.concurrency import together
from tests.factories import ApiClient, further_archive
from tests.standing_clock import SetClock
from tests.usage import export_reads
from tests.usage.record_factories import archive, counted_bytes, ids, kept_bytes, on, prompt_of, stored
from tests.usage.retention.kept_archives import DAYS, KEPT_FROM, TODAY, calls, fill, keep, sums
from usage import erasure, stored_size
from usage.export import kept_files
from usage.models import DayTotal, ErasedSums, Horizon, Prompt, Record, RecordChange, RemovedRecord, Retention
from usage.retention import choices, erasing
from usage.retention.choices import Choice, of_account

pytestmark = [pytest.mark.landing, pytest.mark.django_db]
ApiOf = Callable[[User], ApiClient]
DEAR = {"spent": "1", "model": "m"}


def horizon_of(archive_id: int) -> tuple[str, str]:
    row = Horizon.objects.get(archive_id=archive_id)
    assert (row.calls_gone, row.prompts_gone) == (row.calls_from, row.prompts_from)
    return row.calls_from, row.prompts_from


def test_today_and_the_days_before_it_are_kept(alice: User, time: SetClock) -> None:
    archive(alice, on("2026-09-16", "a"), on("2026-09-15", "b"), on("2026-09-14", "c"))
    keep(alice, calls_days=1)
    assert (sorted(Record.objects.values_list("request_id", flat=True)), horizon_of(alice.pk)) == (
        ["a", "b"], ("2026-09-15", ""),
    )  # fmt: skip
    # A day of the server's zone begins at its midnight.
    time.now = clock.day_start(TODAY + timedelta(days=1)) - timedelta(seconds=1)
    assert erasing.go_on()
    assert Record.objects.count() == 2
    time.now += timedelta(seconds=1)
    assert erasing.go_on()
    assert [*Record.objects.values_list("request_id", flat=True)] == ["a"]


@pytest.mark.engine
def test_all_archives_of_the_account_are_erased_and_its_size_follows(alice: User) -> None:
    further = further_archive(alice)
    for archive_id in (alice.pk, further):
        fill(archive_id, 150)
    used = stored_size.of_account(alice.pk).used
    keep(alice, calls_days=DAYS)
    for archive_id in (alice.pk, further):
        assert not Record.objects.filter(archive_id=archive_id, day__lt=KEPT_FROM).exists()
        rows = ErasedSums.objects.filter(archive_id=archive_id).count()
        assert rows > 50
        [(kept,)], [(counted,)] = kept_bytes(archive_id), counted_bytes(archive_id)
        assert kept == counted + rows * stored_size.ERASED_BYTES
        assert not stored_size.repair(archive_id)
        assert horizon_of(archive_id) == (KEPT_FROM, "")
    assert stored_size.of_account(alice.pk).used < used


def test_nothing_is_known_of_an_erased_call(alice: User, api_of: ApiOf) -> None:
    archive(alice, on("2026-08-06", "gone", prompt="a secret"), on("2026-08-07", "stays", prompt="no secret"))
    keep(alice, calls_days=DAYS)
    api = api_of(alice)
    assert api.get("/api/records/gone").status_code == 404
    assert [one["request_id"] for one in api.get("/api/records", q="secret").json()["items"]] == ["stays"]
    assert not RemovedRecord.objects.exists()
    assert RecordChange.objects.count() == Record.objects.count() == 1


def test_lists_have_kept_calls_alone_and_say_their_number(alice: User, api_of: ApiOf) -> None:
    archive(alice, *(on(f"2026-08-{day:02}", f"{day:02}", prompt="ask", credits=day) for day in range(1, 11)))
    api = api_of(alice)
    keep(alice, calls_days=DAYS)
    for params in (
        {},
        {"order": "credits_asc"},
        {"order": "ts_asc", "model": "glm"},
        {"q": "ask"},
        {"with_prompt": "1"},
    ):
        answer = api.get("/api/records", size=3, sums="1", **params).json()
        assert (answer["total"], answer["pages"], answer["sums"]["credits"]) == (4, 2, 34), params
        assert sorted(ids(answer) + ids(api.get("/api/records", size=3, page=2, **params).json())) == sorted("07080910")
    bundle = api.get("/api/bundle").json()
    assert (bundle["recordsTotal"], len(bundle["records"]), bundle["totals"]["calls"]) == (4, 4, 10)
    assert [one["id"] for one in api.get("/api/top", topN=20).json()] == ["10", "09", "08", "07"]
    before = api.get("/api/records", **{"from": "2026-08-01", "to": "2026-08-06"}).json()
    assert (before["items"], before["total"], before["window"]["days"]) == ([], 0, 6)
    place = api.get("/api/records", size=3).json()["next"]
    assert ids(api.get("/api/records", size=3, after=place).json()) == "07"
    assert export_reads.ids(api.get("/records/export")) == ["10", "09", "08", "07"]


@pytest.mark.engine
def test_prompts_are_erased_and_sums_stay(alice: User, api_of: ApiOf) -> None:
    fill(alice, 200, measured=True)
    api = api_of(alice)
    old = Prompt.objects.filter(record__archive_id=alice.pk, record__day__lt=KEPT_FROM)
    bare = set(Record.objects.filter(without_prompt=True).values_list("request_id", flat=True))
    before, asked = sums(alice), old.values_list("record__request_id", flat=True)[0]
    with_prompt = api.get("/api/records", with_prompt="1").json()["total"]
    keep(alice, prompts_days=DAYS)
    assert not old.exists()
    assert Prompt.objects.exists()
    assert Record.objects.count() == 200
    assert sums(alice) == before
    assert set(Record.objects.filter(without_prompt=True).values_list("request_id", flat=True)) == bare
    assert api.get("/api/records", with_prompt="1").json()["total"] == with_prompt
    record = stored(alice, asked)
    assert (record.prompt_truncated, record.prompt_key, prompt_of(alice, asked)) == (True, 0, None)
    assert not Record.objects.filter(day__lt=KEPT_FROM, prompt_key__gt=0).exists()
    assert RecordChange.objects.get(record_id=record.pk).number > 1
    assert api.get("/api/records", q=f"prompt {int(asked[1:])} asks").json()["total"] == 0
    assert not stored_size.repair(alice.pk)
    assert horizon_of(alice.pk) == ("", KEPT_FROM)


@pytest.mark.engine
def test_no_prompt_comes_back(alice: User) -> None:
    archive(alice, on("2026-08-06", "old", prompt="first"), on("2026-08-07", "young", prompt="second"))
    keep(alice, prompts_days=DAYS)
    result = archive(
        alice,
        on("2026-08-06", "old", prompt="first"),
        on("2026-08-06", "changed", prompt="third"),
        on("2026-08-06", "bare"),
        on("2026-08-07", "young", prompt="second, and more"),
    )
    assert (result.dup, result.added, result.prompts_filled, result.too_old) == (2, 2, 1, 0)
    assert sorted(Prompt.objects.values_list("text", flat=True)) == ["second, and more"]
    # What the source gave stays known, also where other values of the call change.
    archive(alice, on("2026-08-06", "old", credits=7), on("2026-08-06", "changed", credits=8))
    assert {one.request_id: one.without_prompt for one in Record.objects.all()} == {
        "old": False, "changed": False, "bare": True, "young": False,
    }  # fmt: skip
    assert not stored_size.repair(alice.pk)


@pytest.mark.engine
def test_a_call_that_moves_to_a_day_without_prompts_loses_its_own(alice: User, api_of: ApiOf) -> None:
    archive(alice, on("2026-08-07", "moves", prompt="words"))
    keep(alice, prompts_days=DAYS)
    archive(alice, on("2026-08-06", "moves", prompt="words"))
    assert (stored(alice, "moves").day, prompt_of(alice, "moves")) == ("2026-08-06", None)
    assert not stored(alice, "moves").without_prompt
    assert api_of(alice).get("/api/records", q="words").json()["total"] == 0
    assert not stored_size.repair(alice.pk)


@pytest.mark.parametrize("choice", [{"calls_days": DAYS}, {"prompts_days": DAYS}])
def test_notices_and_kept_exports_forget_what_is_erased(alice: User, choice: dict[str, int]) -> None:
    archive(alice, on("2026-08-06", "old", prompt="canary"), on("2026-08-07", "young", prompt="bird"))
    kept_files.write_export(alice, alice.pk, purpose=False, language="en")
    for when, prompt in (("2026-08-06 23:59", "canary"), ("2026-08-07 00:00", "bird")):
        text = Message("notice_summary_call_prompt", **DEAR, when=when, prompt=prompt).stored()
        Notice.objects.create(user_id=alice.pk, event="week", cause=when, stored_begin=text, began_at=clock.now())
    keep(alice, **choice)
    assert kept_files.exports_of(alice.pk) == []
    assert [("canary" in one.stored_begin, "bird" in one.stored_begin) for one in Notice.objects.order_by("pk")] == [
        (False, False), (False, True),
    ]  # fmt: skip
    # Where nothing more is erased, an export stays.
    kept_files.write_export(alice, alice.pk, purpose=False, language="en")
    assert erasing.go_on()
    assert len(kept_files.exports_of(alice.pk)) == 1


@pytest.mark.parametrize("dies_in", ["delete_records", "erased_prompts.erase", "note_other_size", "raise_version"])
def test_it_goes_on_where_it_broke_off(alice: User, monkeypatch: pytest.MonkeyPatch, dies_in: str) -> None:
    fill(alice, 200)
    before = sums(alice)
    choices.choose(alice.pk, Choice(prompts_days=10, calls_days=DAYS))

    def dies(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(f"usage.retention.erasing.{dies_in}", dies)
        with pytest.raises(KeyboardInterrupt):
            erasing.go_on()
        # Whatever is left is consistent.
        assert sums(alice) == before
    assert not erasing.go_on(seconds=-1)
    assert erasing.go_on()
    assert sums(alice) == before
    assert not Record.objects.filter(day__lt=KEPT_FROM).exists()
    assert not Prompt.objects.filter(record__day__lt="2026-09-06").exists()
    assert horizon_of(alice.pk) == (KEPT_FROM, "2026-09-06")
    assert not stored_size.repair(alice.pk)


def test_it_erases_in_parts(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(alice, 60)
    before = sums(alice)
    monkeypatch.setattr("usage.retention.erasing._FIRST", 1)
    monkeypatch.setattr("usage.retention.erasing._MOST", 1)
    choices.choose(alice.pk, Choice(calls_days=DAYS))
    days = Record.objects.filter(day__lt=KEPT_FROM).values_list("day", flat=True).distinct().count()
    steps = erasing.advance(alice.pk, lambda known: of_account(alice.pk).moved(known, TODAY))
    passed = [next(steps, None) or Horizon.objects.get().calls_from for _ in range(days)]
    assert passed == sorted(set(passed))
    assert passed[-1] == KEPT_FROM
    assert sums(alice) == before
    assert erasing.go_on()
    assert sums(alice) == before


@pytest.mark.engine
def test_switching_it_off_brings_nothing_back(alice: User, time: SetClock) -> None:
    fill(alice, 100)
    keep(alice, calls_days=DAYS, prompts_days=10)
    keep(alice)
    time.now += timedelta(days=5)
    assert erasing.go_on()
    assert horizon_of(alice.pk) == (KEPT_FROM, "2026-09-06")
    assert archive(alice, on("2026-08-06", "late")).too_old == 1
    # Nor does a longer time.
    keep(alice, calls_days=DAYS + 100)
    assert horizon_of(alice.pk) == (KEPT_FROM, "2026-09-06")


def test_what_was_begun_is_finished_after_it_was_switched_off(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(alice, 100)
    with monkeypatch.context() as patch:
        patch.setattr("usage.retention.erasing.erase_rest", lambda archive_id: iter(()))
        keep(alice, calls_days=DAYS)
    keep(alice)
    assert not Record.objects.filter(day__lt=KEPT_FROM).exists()


def test_an_erased_archive_begins_afresh(alice: User) -> None:
    fill(alice, 100)
    keep(alice, calls_days=DAYS)
    erasure.erase_archive(alice.pk)
    assert not Horizon.objects.exists()
    assert not ErasedSums.objects.exists()
    assert archive(alice, on("2026-01-01", "again")).added == 1


def test_off_by_default(alice: User) -> None:
    fill(alice, 50)
    assert erasing.go_on()
    assert (Record.objects.count(), Horizon.objects.count(), Retention.objects.count()) == (50, 0, 0)


@pytest.mark.engine
def test_a_mirror_misses_no_change_and_learns_what_was_erased(alice: User, api_of: ApiOf) -> None:
    archive(alice, on("2026-08-10", "kept", prompt="words"))
    archive(alice, on("2026-08-01", "late", prompt="words"))
    api = api_of(alice)
    first = api.get("/api/changes").json()
    assert ([one["request_id"] for one in first["added"]], first["calls_from"]) == (["kept", "late"], None)
    keep(alice, calls_days=DAYS)
    nothing = api.get("/api/changes", since=first["next"]).json()
    assert (nothing["added"], nothing["removed"], nothing["calls_from"]) == ([], [], KEPT_FROM)
    # The number of the erased call, which was the highest, is not given again.
    archive(alice, on("2026-08-11", "new"))
    for place in (first["next"], nothing["next"]):
        answer = api.get("/api/changes", since=place).json()
        assert [one["request_id"] for one in answer["added"]] == ["new"]
    keep(alice, prompts_days=30, calls_days=DAYS)
    changed = api.get("/api/changes", since=answer["next"]).json()
    assert [(one["request_id"], one["prompt"], one["prompt_truncated"]) for one in changed["changed"]] == [
        ("kept", "", True)
    ]


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_two_that_erase_at_once_do_it_once(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_FIRST", "_MOST"):
        monkeypatch.setattr(f"usage.retention.erasing.{name}", 5)
    fill(alice, 150)
    before = sums(alice)
    choices.choose(alice.pk, Choice(prompts_days=10, calls_days=DAYS))

    def erase() -> int:
        return sum(1 for _ in erasing._steps())

    # Without their turn, which one loses that takes too long.
    assert all(isinstance(steps, int) for steps in together(erase, erase, erase))
    assert sums(alice) == before
    assert horizon_of(alice.pk) == (KEPT_FROM, "2026-09-06")
    assert not Record.objects.filter(day__lt=KEPT_FROM).exists()
    assert not stored_size.repair(alice.pk)


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_calls_that_come_meanwhile_are_counted_or_left_out(alice: User) -> None:
    fill(alice, 100)
    archive(alice, on("2026-08-06", "in time"))
    choices.choose(alice.pk, Choice(calls_days=DAYS))

    def late() -> list[tuple[int, int]]:
        found = [archive(alice, on("2026-08-06", f"late{number}")) for number in range(20)]
        return [(one.added, one.too_old) for one in found]

    _, came = together(erasing.go_on, late)
    added = came.count((1, 0))
    assert came == [(1, 0)] * added + [(0, 1)] * (20 - added)
    assert not Record.objects.filter(day__lt=KEPT_FROM).exists()
    day = DayTotal.objects.get(archive_id=alice.pk, day="2026-08-06")
    of_day = sum(record.ts[:10] == "2026-08-06" for record in calls(100))
    assert day.calls == of_day + 1 + added
    assert sum(ErasedSums.objects.filter(day="2026-08-06").values_list("calls", flat=True)) == day.calls


def test_one_erases_at_a_time(alice: User) -> None:
    fill(alice, 50)
    choices.choose(alice.pk, Choice(calls_days=DAYS))
    with turn_of("retention-erasure"):
        assert erasing.go_on()
        assert not Horizon.objects.exists()
    assert erasing.go_on()
    assert horizon_of(alice.pk)[0] == KEPT_FROM
