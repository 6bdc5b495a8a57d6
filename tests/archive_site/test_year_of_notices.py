"""A year of an account: each cause is reported once, and its end once, whatever dies or looks at the same time."""

import random
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.credentials import credential
from accounts.delivery import addresses, outbox
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.sending.send import Outcome
from accounts.models import Delivery, Notice, User
from archive_site import notice_causes
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import API, COOKIE_EXPIRED, OK, RunOutcome
from tests.concurrency import together
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.models import Budget

pytestmark = pytest.mark.django_db(transaction=True)
BEGIN = datetime(2026, 1, 1, 3, tzinfo=UTC)
STEP = timedelta(hours=6)
STEPS = 4 * 365
FAILED = Message("internal_error", event="00aa11bb")
A_DAY = 20.0
THRESHOLDS = (50, 80, 100)
BUDGET = 500.0


class Killed(BaseException):
    """A process died."""


@dataclass
class Life:
    """What happens to the account, and which notices it has to get: the causes that are there at each look."""

    user: User
    chance: random.Random
    time: SetClock
    cookie_until: datetime = BEGIN
    dies_at: datetime = BEGIN
    pasted: int = 0
    outcomes: list[RunOutcome] = field(default_factory=list)
    fails_until: datetime = BEGIN
    spent: Counter[str] = field(default_factory=Counter)
    spikes: set[str] = field(default_factory=set)
    # The causes that were there at some look; how often one that may come again began.
    once: set[str] = field(default_factory=set)
    again: Counter[str] = field(default_factory=Counter)
    present: set[str] = field(default_factory=set)

    @property
    def now(self) -> datetime:
        return self.time.now

    def paste(self) -> None:
        self.cookie_until = self.now + timedelta(days=self.chance.uniform(3, 7))
        # One in three is signed out before its end.
        self.dies_at = self.cookie_until - timedelta(days=2 * (self.chance.random() < 1 / 3))
        self.pasted += 1
        credential.store(self.user.pk, f"session=marker-{self.pasted}|{int(self.cookie_until.timestamp())}|0123abcd")

    def step(self) -> None:
        """Six hours: a run, some calls, perhaps a new cookie."""
        is_dead = self.now >= self.dies_at
        if is_dead and self.chance.random() < 0.3:
            self.paste()
            is_dead = False
        if self.now >= self.fails_until and self.chance.random() < 0.01:
            self.fails_until = self.now + timedelta(days=self.chance.uniform(0.3, 3))
        outcome = COOKIE_EXPIRED if is_dead else API if self.now < self.fails_until else OK
        made = runs.begin(self.user.pk, Run.Trigger.SCHEDULE, self.now, self.now)
        runs.finish(made, outcome, FAILED, runs.Journal(made.pk), actor="scheduler")
        self.outcomes.append(outcome)
        if outcome is OK:
            self._spend()

    def _spend(self) -> None:
        day = (clock.local_text(self.now) or "")[:10]
        # Away from the ends of months, at which a clock that runs ahead ends a budget.
        is_spike = 10 <= self.now.day <= 20 and self.now > BEGIN + timedelta(days=60) and self.chance.random() < 0.005
        spent = A_DAY / 4 * self.chance.uniform(0.8, 1.2) + (20 * A_DAY if is_spike else 0)
        if is_spike:
            self.spikes.add(day)
        self.spent[day[:7]] += spent  # type: ignore[assignment]
        ts = clock.local_text(self.now) or ""
        archive(self.user, call(f"r{self.now.isoformat()}", ts=ts, credits=round(spent, 2)))

    def note_causes(self) -> None:
        """What a look has to find now."""
        day = (clock.local_text(self.now) or "")[:10]
        if self.cookie_until - self.now <= timedelta(days=2):
            self.once.add(f"cookie_ends {self.pasted}")
        percent = 100 * self.spent[day[:7]] / BUDGET
        passed = [threshold for threshold in THRESHOLDS if percent >= threshold]
        if passed:
            self.once.add(f"budget {day[:7]} {passed[-1]}")
        if day in self.spikes:
            self.once.add(f"spike {day}")
        is_refused = self.outcomes[-1] is COOKIE_EXPIRED
        judged = [outcome for outcome in self.outcomes if outcome is not COOKIE_EXPIRED]
        here = {"cookie_refused"} if is_refused else set()
        if is_refused:
            here |= self.present & {"collection_failed"}
        elif len(judged) >= 3 and all(outcome is API for outcome in judged[-3:]):
            here.add("collection_failed")
        self.again.update(here - self.present)
        self.present = here


class Receiver:
    """Takes what is sent, is away now and then, and is there when a sender dies."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.got: Counter[str] = Counter()
        self.repeated: set[str] = set()

    def __call__(self, address: str, title: str, body: str, identity: str) -> Outcome:
        if self.chance.random() < 0.1:
            return Outcome(sent=False, reason="timeout", again=True)
        self.got[identity] += 1
        if self.chance.random() < 0.02:
            self.repeated.add(identity)
            raise Killed
        return Outcome(sent=True)


def tolerant(*calls: Any) -> None:
    """Two nodes at once; each may die."""

    def survive(work: Any) -> Any:
        def run() -> None:
            with suppress(Killed):
                work()

        return run

    for result in together(*map(survive, calls)):
        if isinstance(result, Exception):
            raise result


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [1])
def test_each_cause_of_a_year_is_reported_once_and_its_end_once(
    seed: int, alice: User, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)  # noqa: S311 - a seeded history
    time.now = BEGIN
    life, receiver = Life(alice, chance, time), Receiver(chance)
    monkeypatch.setattr(outbox, "send", receiver)
    addresses.replace(alice.pk, [StoredAddress("json://marker", "json://…")])
    thresholds = str([*THRESHOLDS])
    Budget.objects.create(archive_id=alice.pk, period="month", credits=round(BUDGET * 10**6), thresholds=thresholds)
    life.paste()
    for number in range(STEPS):
        time.now = BEGIN + number * STEP
        life.step()
        if number % 97 == 50 and 5 < life.now.day < 9:
            # The clock of a node runs ten hours ahead for a look.
            time.pass_by(hours=10)
        life.note_causes()
        tolerant(notice_causes.look, notice_causes.look)
        for _ in range(2):
            tolerant(outbox.send_due, outbox.send_due)
            time.pass_by(minutes=20)
    drain(life)
    check(life, receiver)


def check(life: Life, receiver: Receiver) -> None:
    """Each cause was reported, and nothing else."""
    notices = Counter(Notice.objects.values_list("event", flat=True))
    for event in ("cookie_ends", "budget", "spike"):
        assert notices[event] == sum(one.startswith(event) for one in life.once), event
    for event in ("cookie_refused", "collection_failed"):
        assert notices[event] == life.again[event], event
    assert (
        min(notices[event] for event in ("cookie_ends", "cookie_refused", "collection_failed", "budget", "spike")) > 0
    )
    # Each part arrived once, or once more where the sender died after it.
    identities = {outbox.identity(one) for one in Delivery.objects.select_related("notice")}
    assert set(receiver.got) == identities
    assert {identity for identity, count in receiver.got.items() if count > 1} <= receiver.repeated
    assert set(Delivery.objects.values_list("state", flat=True)) == {"sent"}
    ended = Notice.objects.filter(ended_at__isnull=False).exclude(stored_end="").count()
    assert Delivery.objects.filter(part="end").count() == ended
    assert Delivery.objects.filter(part="begin").count() == Notice.objects.count()


def drain(life: Life) -> None:
    """Let all that waits be sent."""
    while is_waiting():
        life.time.pass_by(minutes=30)
        tolerant(outbox.send_due)


def is_waiting() -> bool:
    return Delivery.objects.filter(state="waiting").exists()
