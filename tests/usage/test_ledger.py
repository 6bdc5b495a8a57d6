"""The ledger of days: what a page of new or changed calls does to it, and when a day is read again."""

from datetime import date, datetime, timedelta

import pytest

from accounts.models import User
from archive_site.lib import clock
from tests.usage.record_factories import archive, call
from usage.coverage import ledger_writes
from usage.coverage.ledger_writes import DayReading
from usage.erasure import erase_archive
from usage.models import CoverageDay, DayTotal, Reach

pytestmark = pytest.mark.django_db
DAY = date(2026, 9, 1)
END = clock.day_start(DAY + timedelta(days=1))
HOUR = timedelta(hours=1)


def row(user: User) -> CoverageDay:
    return CoverageDay.objects.get(archive_id=user.pk, day=DAY.isoformat())


def read(user: User, at: datetime, *, empty: int = 0, settles: bool = True, **facts: bool) -> int:
    reading = DayReading(DAY, 3, empty, **{"is_bare": False, "changed": False, **facts})
    return ledger_writes.note_readings(user.pk, [reading], at, settles=settles)


# Pages


def test_a_new_call_of_a_known_day_raises_its_count_and_opens_it_again(alice: User) -> None:
    archive(alice, call("r1", ts=f"{DAY} 10:00:00"))
    CoverageDay.objects.create(archive_id=alice.pk, day=DAY.isoformat(), upstream=1, settled_at=END)
    archive(alice, call("r2", ts=f"{DAY} 11:00:00"))
    assert (row(alice).upstream, row(alice).settled_at) == (2, None)
    assert row(alice).next_read_at is not None


def test_a_count_above_the_records_stays(alice: User) -> None:
    CoverageDay.objects.create(archive_id=alice.pk, day=DAY.isoformat(), upstream=5)
    archive(alice, call("r1", ts=f"{DAY} 10:00:00"))
    assert row(alice).upstream == 5


def test_a_day_without_a_count_stays_without(alice: User) -> None:
    CoverageDay.objects.create(archive_id=alice.pk, day=DAY.isoformat())
    archive(alice, call("r1", ts=f"{DAY} 10:00:00"))
    assert row(alice).upstream is None


def test_a_known_call_changes_nothing(alice: User) -> None:
    archive(alice, call("r1", ts=f"{DAY} 10:00:00"))
    CoverageDay.objects.create(archive_id=alice.pk, day=DAY.isoformat(), upstream=1, settled_at=END)
    archive(alice, call("r1", ts=f"{DAY} 10:00:00"))
    assert (row(alice).settled_at, row(alice).next_read_at) == (END, None)


@pytest.mark.parametrize("change", [{"credits": 9}, {"ts": "2026-09-03 10:00:00"}, {"prompt": "a prompt"}])
def test_a_changed_call_opens_its_day_again(alice: User, change: dict[str, object]) -> None:
    archive(alice, call("r1", ts=f"{DAY} 10:00:00"))
    CoverageDay.objects.create(archive_id=alice.pk, day=DAY.isoformat(), upstream=1, settled_at=END)
    archive(alice, call("r1", **{"ts": f"{DAY} 10:00:00", **change}))
    assert row(alice).settled_at is None


def test_the_records_without_a_prompt_are_counted(alice: User) -> None:
    def without() -> list[tuple[str, int]]:
        return list(DayTotal.objects.order_by("day").values_list("day", "without_prompt"))

    archive(alice, *[call(f"r{n}", ts=f"{DAY} 10:00:00", prompt="why" if n else "") for n in range(3)])
    assert without() == [(DAY.isoformat(), 1)]
    archive(alice, call("r0", ts=f"{DAY} 10:00:00", prompt="late"))
    assert without() == [(DAY.isoformat(), 0)]
    archive(alice, call("r9", ts=f"{DAY} 10:00:00", prompt="not kept"), max_prompt=0)
    assert without() == [(DAY.isoformat(), 1)]
    archive(alice, call("r9", ts="2026-09-02 10:00:00"))
    assert without() == [(DAY.isoformat(), 0), ("2026-09-02", 1)]


# Readings


@pytest.mark.parametrize(
    ("hours", "changed", "next_hours", "settled"),
    [
        (1, True, 24, 0),
        (1, False, 24, 0),
        (24, False, 72, 0),
        (24, True, 48, 0),
        (60, True, 72, 0),
        (72, True, 96, 0),
        (72, False, None, 1),
        (500, True, 524, 0),
    ],
)
def test_a_day_is_read_again_until_a_late_reading_changes_nothing(
    alice: User, hours: int, changed: bool, next_hours: int | None, settled: int
) -> None:
    assert read(alice, END + hours * HOUR, changed=changed) == settled
    kept = row(alice)
    assert kept.next_read_at == (None if next_hours is None else END + next_hours * HOUR)
    assert kept.settled_at == (END + hours * HOUR if settled else None)


def test_a_day_that_settles_twice_is_counted_once(alice: User) -> None:
    assert [read(alice, END + hours * HOUR) for hours in (80, 90)] == [1, 0]


def test_without_settling_only_the_count_is_kept(alice: User) -> None:
    assert read(alice, END + 80 * HOUR, settles=False) == 0
    assert (row(alice).upstream, row(alice).settled_at) == (3, None)


def test_an_old_reading_says_nothing_of_prompts(alice: User) -> None:
    read(alice, END + 80 * HOUR, empty=2)
    read(alice, END + timedelta(days=40), empty=0)
    assert row(alice).empty == 2


def test_a_reading_without_prompts_keeps_what_is_known_of_them(alice: User) -> None:
    archive(alice, *[call(f"r{n}", ts=f"{DAY} 10:00:00", prompt="why" if n else "") for n in range(3)])
    read(alice, END + 72 * HOUR, empty=1, changed=True)
    assert read(alice, END + 96 * HOUR, is_bare=True) == 1
    assert row(alice).empty == 1


def test_an_early_reading_says_nothing_of_prompts_that_come_late(alice: User) -> None:
    archive(alice, *[call(f"r{n}", ts=f"{DAY} 10:00:00", prompt="why" if n else "") for n in range(3)])
    read(alice, END + 30 * HOUR, empty=1)
    assert read(alice, END + 80 * HOUR, is_bare=True) == 0
    assert row(alice).empty == 0


def test_a_day_that_lacks_prompts_is_read_again_while_the_upstream_gives_them(alice: User) -> None:
    archive(alice, *[call(f"r{n}", ts=f"{DAY} 10:00:00", prompt="why" if n else "") for n in range(3)])
    assert read(alice, END + 80 * HOUR, is_bare=True) == 0
    assert row(alice).next_read_at == END + 160 * HOUR
    assert read(alice, END + timedelta(days=32), is_bare=True) == 1
    assert row(alice).next_read_at is None


def test_a_day_that_lost_calls_settles_only_when_the_next_reading_agrees(alice: User) -> None:
    archive(alice, *[call(f"r{n}", ts=f"{DAY} 10:00:00", prompt="why") for n in range(4)])
    assert [read(alice, END + hours * HOUR) for hours in (72, 96)] == [0, 1]


def test_days_are_due_oldest_first_and_one_that_failed_a_day_later(alice: User) -> None:
    days = [DAY + timedelta(days=number) for number in range(3)]
    ledger_writes.note_passed(alice.pk, days)
    now = END + timedelta(days=3)
    assert ledger_writes.due(alice.pk, now, 2) == days[:2]
    ledger_writes.postpone(alice.pk, DAY, now)
    assert ledger_writes.due(alice.pk, now, 9) == days[1:]
    assert ledger_writes.due(alice.pk, now + 24 * HOUR, 9) == days
    ledger_writes.postpone(alice.pk, DAY, END + timedelta(days=40))
    assert ledger_writes.due(alice.pk, END + timedelta(days=99), 9) == days[1:]


def test_days_that_lack_prompts_are_read_again_ever_later(alice: User) -> None:
    archive(alice, call("r", ts=f"{DAY} 10:00:00", prompt=""))
    at: datetime | None = END + 72 * HOUR
    readings = []
    while at:
        readings.append((at - END) // HOUR)
        read(alice, at, is_bare=True)
        at = row(alice).next_read_at
    assert readings == [72, 144, 288, 576, 1152]


def test_a_day_that_was_passed_again_stays_as_it_is(alice: User) -> None:
    read(alice, END + 80 * HOUR)
    ledger_writes.note_passed(alice.pk, [DAY])
    assert row(alice).settled_at is not None


def test_the_reach_rises_and_falls_with_what_the_upstream_gives(alice: User) -> None:
    def reach() -> str | None:
        return Reach.objects.filter(archive_id=alice.pk).values_list("first_day", flat=True).first()

    ledger_writes.note_given(alice.pk, DAY)
    assert reach() is None
    ledger_writes.raise_reach(alice.pk, DAY)
    ledger_writes.raise_reach(alice.pk, DAY - timedelta(days=5))
    assert reach() == DAY.isoformat()
    ledger_writes.note_given(alice.pk, DAY - timedelta(days=9))
    assert reach() == "2026-08-23"


def test_an_erased_archive_has_no_ledger(alice: User, bob: User) -> None:
    for user in (alice, bob):
        ledger_writes.note_passed(user.pk, [DAY])
        ledger_writes.raise_reach(user.pk, DAY)
    erase_archive(alice.pk)
    assert set(CoverageDay.objects.values_list("archive_id", flat=True)) == {bob.pk}
    assert set(Reach.objects.values_list("archive_id", flat=True)) == {bob.pk}
