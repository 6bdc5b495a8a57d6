"""A month whose bill changes late: `python -m tests.soaks.late_bill [--seed N] [--days N]`. Exit code 1 if it differs.

Four runs a day over a real store and a simulator with every quirk at once: rows up to three days late, credits that
change for two days, prompts a day late or left out, capped windows, pages that slide, one failing answer in ten, a
cookie that dies twice, and a process that dies every day. At the end every record, credit and prompt equals the
simulator's, and the ledger settled no day too early (docs/decisions/collection.md#the-ledger-of-days).
"""

import argparse
import logging
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from django.core.management import call_command

from accounts.models import User
from accounts.store_identity import open_store
from archive_site.lib.http.parameter_parsing import Days
from collection.sources.codebuddy.simulator.simulator import FAULT_NAMES, SimulatedCall, Simulator
from tests.collection.collector_run import collected, server_text, set_up
from tests.factories import make_user
from tests.soaks import say
from tests.soaks.injected_life import Death, injected, leave_lease_of_dead_process
from usage.coverage.ledger import State, ledger
from usage.models import Prompt, Record

BEGIN = datetime(2026, 9, 1, 22, tzinfo=UTC)
RUN_EVERY = timedelta(hours=6)
# After the last call everything has its final value, and each day has been read at every time.
AFTERWARDS = timedelta(days=6)
# A row with wrong values cannot be detected; an answer that never ends takes real seconds.
LIES = {"negative_credit", "lone_surrogate", "nul_in_prompt"}
SLOW = {"hang", "drip", "huge_body", "gzip_bomb"}
FAULTS = [name for name in FAULT_NAMES if name not in LIES | SLOW]
FAULT_RATE = 0.1
# Cuts of a prompt by the upstream's own limit are no concern here.
LONGEST_PROMPT = 100_000
# Request id to credits in millionths, the server's wall clock, and the prompt.
Bill = dict[str, tuple[int, str, str]]


@dataclass
class Month:
    """The upstream, one account, and what went wrong."""

    days: int
    seed: int
    upstream: Simulator = field(init=False)
    user: User = field(init=False)
    instant: datetime = BEGIN
    dies_in: int = -1
    outcomes: Counter[str] = field(default_factory=Counter)
    settled: set[str] = field(default_factory=set)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.end = BEGIN + timedelta(days=self.days)
        self.upstream = Simulator(days=self.days + 3, per_day=200, seed=self.seed, until=self.end, now=self.now)
        quirks = self.upstream.faults
        quirks.hide_minutes, quirks.hide_share = 3 * 24 * 60, 0.1
        quirks.settle_minutes, quirks.late_prompt_minutes, quirks.bare_share = 2 * 24 * 60, 24 * 60, 0.1
        quirks.window_cap, quirks.growing, quirks.string_credits = 1000, 1, True

    def now(self) -> datetime:
        return self.instant

    def _dies(self) -> bool:
        self.dies_in -= 1
        return self.dies_in == 0

    def live(self) -> None:
        self.user = make_user("payer")
        with self.upstream, injected(self.now, self._dies):
            set_up(self.user, self.upstream, page_size=200, verify_days=2, max_prompt=LONGEST_PROMPT)
            while self.instant < self.end:
                self._run(self._fault_of_the_day())
            self.upstream.faults.clear()
            self.upstream.faults.growing = 0
            self.upstream.faults.bare_share = 0
            while self.instant < self.end + AFTERWARDS:
                self._run("")
            self._check()

    def _fault_of_the_day(self) -> str:
        """The cookie dies on two days, each time until it is pasted again a day later."""
        day = (self.instant - BEGIN).days
        return "expired_401_html" if day in (self.days // 4, self.days // 2) else ""

    def _run(self, fault: str) -> None:
        self.instant += RUN_EVERY
        self.upstream.faults.clear()
        if fault:
            self.upstream.faults.fail(fault)
        elif self.instant < self.end:
            for name in FAULTS:
                self.upstream.faults.fail(name, rate=FAULT_RATE / len(FAULTS))
        is_last_of_day = self.instant.hour >= 18
        self.dies_in = self.dice.randrange(12) if is_last_of_day and self.instant < self.end else -1
        try:
            self.outcomes[collected(self.user).run.status] += 1
        except Death:
            self.outcomes["killed"] += 1
            leave_lease_of_dead_process(self.instant)
        self._look_at_settled_days()

    def _look_at_settled_days(self) -> None:
        """A day that has settled equals the final bill, whatever came before."""
        found = ledger(self.user.pk, Days(), wants_prompts=True)
        settled = {day for day in found.days() if found.state(day) is State.SETTLED}
        final = by_day(self._truth())
        kept = by_day(bill_of(self.user))
        for day in settled - self.settled:
            if kept.get(day, {}) != final.get(day, {}):
                self.wrong.append(f"{day} settled too early, at {self.instant:%Y-%m-%d %H:%M}: "
                                  f"{differences(kept.get(day, {}), final.get(day, {}))}")  # fmt: skip
        self.settled |= settled

    def _truth(self) -> Bill:
        calls: list[SimulatedCall] = self.upstream.rows()
        return {call.request_id: (call.amount, server_text(call, self.upstream.zone), call.prompt) for call in calls}

    def _check(self) -> None:
        kept, true = bill_of(self.user), self._truth()
        if kept != true:
            self.wrong.append(f"the archive differs from the bill: {differences(kept, true)}")
        found = ledger(self.user.pk, Days(), wants_prompts=True)
        for day in found.days():
            if found.state(day) is not State.SETTLED:
                say(f"  {day} is {found.state(day)}")
        counts = {state: number for state, number in found.counts().items() if number}
        say(f"  {len(true):,} calls; runs: {dict(self.outcomes)}; days: {counts}")
        say(f"  {self.upstream.request_count:,} requests in {sum(self.outcomes.values())} runs")


def bill_of(user: User) -> Bill:
    prompts = dict(Prompt.objects.filter(record__archive_id=user.pk).values_list("record_id", "text"))
    rows = Record.objects.filter(archive_id=user.pk).values_list("pk", "request_id", "credits", "ts")
    return {request_id: (credits, ts, prompts.get(pk, "")) for pk, request_id, credits, ts in rows}


def by_day(bill: Bill) -> dict[str, Bill]:
    days: dict[str, Bill] = {}
    for request_id, row in bill.items():
        days.setdefault(row[1][:10], {})[request_id] = row
    return days


def differences(kept: Bill, true: Bill) -> str:
    both = [(kept[key], true[key]) for key in kept.keys() & true.keys()]
    counts = {
        "missing": len(true.keys() - kept.keys()),
        "too many": len(kept.keys() - true.keys()),
        "other credits": sum(here[0] != there[0] for here, there in both),
        "other prompts": sum(here[2] != there[2] for here, there in both),
    }
    owed = sum(row[0] for row in true.values()) - sum(row[0] for row in kept.values())
    return ", ".join(f"{number} {words}" for words, number in counts.items() if number) + f"; {owed / 1e6:+.6f} credits"


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.soaks.late_bill")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--days", type=int, default=30)
    chosen = options.parse_args()
    logging.disable(logging.WARNING)
    call_command("migrate", verbosity=0)
    call_command("flush", verbosity=0, interactive=False)
    open_store()
    began = time.monotonic()
    say(f"{chosen.days} days, seed {chosen.seed}")
    month = Month(chosen.days, chosen.seed)
    month.live()
    say(f"  {time.monotonic() - began:.0f} s")
    for words in month.wrong:
        say(words)
    sys.exit(f"{len(month.wrong)} things are wrong." if month.wrong else 0)


if __name__ == "__main__":
    main()
