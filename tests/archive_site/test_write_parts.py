"""Long writes in parts, beside other writers: docs/decisions/store.md#long-writes-in-parts."""

import threading
import time
from functools import partial

import pytest
from django.conf import settings
from django.db import transaction

from accounts.models import User
from archive_site.lib.locks import file_lock
from archive_site.lib.storage import write_parts
from archive_site.lib.storage.write_parts import AIM, GAP, Parts
from tests.concurrency import together

pytestmark = pytest.mark.django_db


class Clock:
    """A time that passes only where a test says so; sleeping passes it, too."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(write_parts, "time", made)
    return made


def sizes_after(clock: Clock, parts: Parts, *parts_taken: tuple[int | None, float]) -> list[int]:
    sizes = []
    for amount, seconds in parts_taken:
        with parts.part(amount):
            clock.now += seconds
        sizes.append(parts.size)
    return sizes


def test_a_slow_part_makes_the_next_one_fit(clock: Clock) -> None:
    assert sizes_after(clock, Parts(1000, most=10_000), (1000, 10 * AIM)) == [100]


def test_quick_parts_grow_by_no_more_than_double_each_time(clock: Clock) -> None:
    assert sizes_after(clock, Parts(1000, most=3000), (None, 0.001), (None, 0.001)) == [2000, 3000]


def test_a_small_part_that_was_quick_says_nothing_of_the_size(clock: Clock) -> None:
    assert sizes_after(clock, Parts(1000, most=10_000), (1, 0.1)) == [1000]


def test_a_part_has_at_least_the_least_size(clock: Clock) -> None:
    assert sizes_after(clock, Parts(1000, least=50, most=1000), (1000, 100.0)) == [50]


@pytest.mark.sqlite_only
@pytest.mark.parametrize(("seconds", "gap"), [(0.01, 0.01), (0.4, GAP)])
def test_the_store_stays_free_after_a_part_as_long_as_it_took(clock: Clock, seconds: float, gap: float) -> None:
    sizes_after(clock, Parts(1, most=1), (None, seconds))
    assert clock.slept[0] == pytest.approx(gap)


def test_a_part_within_another_one_is_refused_and_the_outer_one_goes_on() -> None:
    parts = Parts(1, most=1)
    with parts.part():
        with pytest.raises(RuntimeError, match="within another part"), parts.part():
            pass
        User.objects.create(username="kept")
    assert User.objects.filter(username="kept").exists()


def test_a_part_within_a_transaction_is_refused_before_it_waits_for_its_turn() -> None:
    waits = file_lock.held(settings.DATA_FOLDER.home / write_parts._LOCK)
    with waits, transaction.atomic(), pytest.raises(RuntimeError, match="transaction"), Parts(1, most=1).part():
        pass


def test_a_part_is_a_transaction_of_its_own() -> None:
    def broken_part() -> None:
        with Parts(1, most=1).part():
            User.objects.create(username="undone")
            raise LookupError

    with pytest.raises(LookupError):
        broken_part()
    assert not User.objects.filter(username="undone").exists()


@pytest.mark.sqlite_only
def test_no_other_long_write_begins_within_the_gap_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    lock = settings.DATA_FOLDER.home / "long-writes.lock"
    held: list[bool] = []
    monkeypatch.setattr(time, "sleep", lambda seconds: held.append(file_lock.is_held(lock)))
    with Parts(1, most=1).part():
        pass
    assert held == [True, False]


@pytest.mark.landing
@pytest.mark.sqlite_only
@pytest.mark.django_db(transaction=True)
def test_two_long_writes_and_a_small_one_have_their_turns() -> None:
    """The small one writes while two others hold the store in parts of 50 milliseconds, until they had 12 of them."""
    begin, done = threading.Barrier(3), threading.Event()
    had = [0, 0]

    def long_write(which: int) -> None:
        parts = Parts(1, most=1)
        ready(begin)
        while not done.is_set():
            with parts.part():
                User.objects.filter(username="nobody").update(display_name="")
                time.sleep(0.05)
            had[which] += 1

    def small_writes() -> tuple[int, float]:
        ready(begin)
        longest, number = 0.0, 0
        try:
            while sum(had) < 12:
                longest, number = max(longest, seconds_of_a_small_write()), number + 1
        finally:
            done.set()
        return number, longest

    *_, (number, longest) = together(partial(long_write, 0), partial(long_write, 1), small_writes)
    assert min(had) > max(had) / 3
    assert number > 3
    assert longest < 2


def ready(begin: threading.Barrier) -> None:
    """Wait for the other threads, with a connection that is open already."""
    User.objects.exists()
    begin.wait(30)


def seconds_of_a_small_write() -> float:
    begun = time.monotonic()
    with transaction.atomic():
        User.objects.filter(username="nobody").update(email=None)
    return time.monotonic() - begun
