"""A quarter with all sources at once: `python -m tests.soaks.quarter [--days N] [--seed N]`.

One account has an archive of each kind, gateways of several builds, and the bills of two vendors, which prove one of
them. On each day every source plays another of the quirks and failures that its contract allows, and the process that
collects is killed before one of its statements; another one goes on. No day may ever be proved whose calls are not
those of its source. At the end every archive equals its simulator to the last digit, and each day that is not proved
has a reason.
"""

import argparse
import itertools
import logging
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from accounts import config
from accounts.models import INSTANCE, Archive, User
from accounts.store_identity import open_store
from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import Days
from collection import tasks
from collection.models import Run
from collection.sources import billing, kinds
from collection.sources.anthropic_usage import simulator as anthropic
from collection.sources.litellm import reader as litellm_reader
from collection.sources.litellm.simulator import Proxy
from collection.sources.new_api import reader as new_api_reader
from collection.sources.new_api.simulator import Gateway
from collection.sources.openai_costs import simulator as openai
from collection.sources.openrouter import reader as openrouter_reader
from collection.sources.openrouter.simulator import Router
from collection.sources.over_http.simulated_api import ANSWERS, SimulatedApi
from tests.collection.collector_run import collected_by
from tests.collection.simulator_client import simulator_at
from tests.dying import KILLED, dying_before, in_child
from tests.factories import make_user
from tests.soaks import say
from tests.sources.codebuddy.player import PlayedCodeBuddy
from tests.sources.litellm.player import PlayedLiteLLM
from tests.sources.new_api.player import PlayedNewApi
from tests.sources.openrouter.player import PlayedOpenRouter
from tests.sources.played import PLAYERS
from tests.sources.player import A_CAP, WAITS, Played
from tests.sources.whole_calls import calls_of
from tests.standing_clock import SetClock, standing
from usage.coverage.ledger import Ledger, State, ledger
from usage.measures import What
from usage.proofs import stored_bills
from usage.proofs.bill import Sums
from usage.proofs.day_proofs import ProofState

BEGIN = datetime(2026, 8, 1, 11, tzinfo=UTC)
PER_DAY = 12
# After the last day every source is read for so long, until all has settled.
CALM = timedelta(days=7)
STEP = timedelta(hours=7)
# The builds of a gateway keep what names its calls for good, and a key is not gone for a day.
TRIES = 20
KEPT = ("generation", "dialect", "keys that are gone", "beginnings of texts")
PAUSES = ((litellm_reader, "PAUSE"), (new_api_reader, "PAUSE"), (openrouter_reader, "PAUSE"), (billing, "PAUSE"))
VENDORS = {"openai-costs": ("example-1", "example-3"), "anthropic-usage": ("example-2",)}
Open = Callable[[Any, User, pytest.MonkeyPatch], Played]


class Member:
    """An archive and its source: `build` names what its build is like for good."""

    def __init__(self, kind: str, played: Played, build: str, dice: random.Random) -> None:
        self.kind, self.played, self.build = kind, played, build
        player = PLAYERS[kind]
        lists = (player.quirks, player.short, player.odd, player.foreign, player.busy, player.dead, player.other_sums)
        # A cap changes what the process counts, for all archives of the kind.
        names = [name for name in itertools.chain(*lists) if name != A_CAP and not any(word in name for word in KEPT)]
        dice.shuffle(names)
        self.coming = itertools.cycle(names)
        self.calm()

    @property
    def name(self) -> str:
        return f"{self.kind} {self.played.archive_id}"

    def misbehave(self) -> str:
        """Play another quirk or failure; gives its name."""
        name = next(self.coming)
        self.played.play(name)
        return name

    def calm(self) -> None:
        self.played.calm()
        if self.build:
            self.played.play(self.build)

    def wrong_days(self) -> list[str]:
        """The days that are proved, though their calls are not those of the source."""
        found, here, there = self.ledger(), calls_of(self.played.archive_id), self.played.truth()
        proved = {day for day, state in found.states().items() if state is State.PROVED}
        differing = {call.ts[:10] for _, call in here.items() ^ there.items()}
        return sorted(proved & differing)

    def ledger(self) -> Ledger:
        return ledger(self.played.archive_id, Days(), wants_prompts=False)


class Vendor:
    """The bills of a vendor, of the models of the gateway that go to it."""

    def __init__(self, kind: str, owner: User, gateway: Played, service: Any) -> None:
        self.models, self.gateway, self.service = VENDORS[kind], gateway, service
        self.used = openai.Used if kind == "openai-costs" else anthropic.Used
        self.has_cached_in_input = kind == "openai-costs"
        made = Archive.objects.create(
            user_id=owner.pk, kind=kind, unit="USD", label=kind, address=service.base_url, proves_id=gateway.archive_id
        )
        self.archive_id = made.pk
        way = kinds.KINDS[kind].way
        assert way
        way.store(made.pk, {"key": service.key})

    def misbehave(self, dice: random.Random) -> str:
        """Fail in some way of the service, with one request or with all; gives its name."""
        name: str = dice.choice([*ANSWERS, *self.service.own_answers])
        self.service.fail(name, times=dice.choice([1, None]))
        return name

    def calm(self) -> None:
        self.service.clear()

    def differing(self) -> list[str]:
        """The days whose calls and tokens here are not those of the vendor."""
        there: dict[date, Counter[tuple[str, What]]] = defaultdict(Counter)
        for used in self.service.used:
            fresh = used.input - (used.cached if self.has_cached_in_input else 0)
            for what, number in (
                (What.CALLS, used.requests),
                (What.TOKENS_IN, fresh),
                (What.TOKENS_OUT, used.output),
                (What.CACHE_READ, used.cached),
            ):
                there[used.day][used.model, what] += number
        here = stored_bills.sums_of(self.archive_id, list(there))
        return [str(day) for day, sums in there.items() if +sums != _counted(here.get(day, {}))]

    def bill(self) -> None:
        """Bill what the gateway has sent until now."""
        sums: dict[tuple[date, str], Counter[str]] = {}
        for call in self.gateway.truth().values():
            model = call.model.rpartition("/")[2]
            measures = call.measures
            if model not in self.models or measures is None or measures.tokens is None or measures.at is None:
                continue
            tokens = measures.tokens
            of_day = sums.setdefault((measures.at.astimezone(UTC).date(), model), Counter())
            cached = tokens.cache_read or 0
            of_day.update(
                requests=1,
                input=(tokens.input or 0) + (cached if self.has_cached_in_input else 0),
                output=tokens.output or 0,
                cached=cached,
            )
        self.service.used[:] = [
            self.used(day, model, of_day["requests"], of_day["input"], of_day["output"], of_day["cached"])
            for (day, model), of_day in sums.items()
        ]


class Quarter:
    def __init__(self, days: int, seed: int, time: SetClock, running: ExitStack) -> None:
        self.days, self.time, self.dice = days, time, random.Random(seed)
        self.wrong: list[str] = []
        self.deaths, self.statements, self.quirks = 0, 400, set[str]()
        self.owner = make_user("owner", is_admin=True)
        given = config.write(
            {"collect_min_interval_seconds": "0", "page_size": "20"}, archive_id=INSTANCE, may_edit_instance=True
        )
        assert not given.errors
        # The simulators invent the calls of the whole quarter, and show those until now.
        time.now = BEGIN + timedelta(days=days)
        self.members = list(self._members(running, seed))
        self.vendors = [
            Vendor(kind, self.owner, self.members[1].played, running.enter_context(service(clock.now)))
            for kind, service in (("openai-costs", openai.Organisation), ("anthropic-usage", anthropic.Organisation))
        ]
        time.now = BEGIN

    def _members(self, running: ExitStack, seed: int) -> Iterator[Member]:
        def patched() -> pytest.MonkeyPatch:
            """Patches of one source, which it undoes when it calms."""
            return running.enter_context(pytest.MonkeyPatch.context())

        first = simulator_at(days=self.days, per_day=PER_DAY, now=clock.now(), seed=seed)
        running.enter_context(first)
        first.now = clock.now
        yield Member("codebuddy", PlayedCodeBuddy(first, self.owner, patched()), "", self.dice)
        further: list[tuple[str, type[SimulatedApi], Open, str]] = [
            ("litellm", Proxy, PlayedLiteLLM, ""),
            ("litellm", Proxy, PlayedLiteLLM, "the older route alone"),
            ("new-api", Gateway, PlayedNewApi, ""),
            ("new-api", Gateway, PlayedNewApi, "the newest generation, without ids"),
            ("new-api", Gateway, PlayedNewApi, "the one-api dialect, without ids"),
            ("openrouter", Router, PlayedOpenRouter, ""),
        ]
        for number, (kind, service, player, build) in enumerate(further):
            made = service(clock.now, days=self.days, per_day=PER_DAY, seed=f"{seed}/{number}")
            yield Member(kind, player(running.enter_context(made), self.owner, patched()), build, self.dice)

    def live(self) -> None:
        for number in range(1, self.days + 1):
            self.time.now = BEGIN + timedelta(days=number, minutes=self.dice.randrange(600))
            quirks = [member.misbehave() for member in self.members]
            quirks += [vendor.misbehave(self.dice) for vendor in self.vendors]
            self.quirks.update(quirks)
            self._bill()
            self._die_once()
            self._collect()
            self._look(f"day {number}, {', '.join(quirks)}")
            for member in self.members:
                member.calm()
            for vendor in self.vendors:
                vendor.calm()
            if number % 10 == 0:
                say(f"  day {number}, {self.deaths} deaths, {Run.objects.count()} runs")
        until = clock.now() + CALM
        while clock.now() < until:
            self.time.now += STEP
            self._bill()
            self._collect(must_succeed=True)
        self._look("the end")
        self._compare()

    def _bill(self) -> None:
        for vendor in self.vendors:
            vendor.bill()

    def _archives(self) -> list[int]:
        return [*(member.played.archive_id for member in self.members), *(each.archive_id for each in self.vendors)]

    def _die_once(self) -> None:
        """Collect all archives, in a process that dies before one of its statements."""
        for _ in range(TRIES):
            last = self.dice.randrange(self.statements)
            code = in_child(lambda: collect_all(self._archives(), last))  # noqa: B023 - called at once
            assert code in (0, KILLED), code
            if code == KILLED:
                self.deaths += 1
                self.statements = self.statements * 21 // 20
                return
            # The statements of a day are not known before: an end without a death shows that there are fewer.
            self.statements = self.statements * 9 // 10
        self.wrong.append(f"{clock.today()}: the process never died")

    def _collect(self, *, must_succeed: bool = False) -> None:
        """What the next process does: it ends what was left, and collects all archives."""
        assert in_child(tasks.run_due_collections) == 0
        assert in_child(lambda: collect_all(self._archives(), must_succeed=must_succeed)) == 0

    def _look(self, when: str) -> None:
        for member in self.members:
            if found := member.wrong_days():
                self.wrong.append(f"{when}: {member.name} proves {found}")

    def _compare(self) -> None:
        unproved = Counter[str]()
        for member in self.members:
            here, there = calls_of(member.played.archive_id), member.played.truth()
            differing = sorted(key for key in here.keys() & there.keys() if here[key] != there[key])
            if here != there:
                missing, above = sorted(there.keys() - here.keys()), sorted(here.keys() - there.keys())
                self.wrong.append(
                    f"{member.name}: {len(missing)} missing {missing[:3]}, {len(above)} too many {above[:3]}, "
                    f"{len(differing)} differ {[(here[key], there[key]) for key in differing[:1]]}"
                )
            found = member.ledger()
            for day, state in found.states().items():
                unproved[f"{member.name} {state}"] += 1
                if state is State.UNASKED:
                    self.wrong.append(f"{member.name}: {day} was never asked for")
                if state is State.SETTLED and found.second_sums and not reasons(found, day):
                    self.wrong.append(f"{member.name}: {day} is not proved, without a reason")
            say(f"  {member.name}: {len(here)} calls")
        for vendor in self.vendors:
            if found_days := vendor.differing():
                self.wrong.append(f"{vendor.archive_id}: the bills of {found_days} are not those of the vendor")
        say(f"  days: {dict(sorted(unproved.items()))}")
        say(f"  {self.deaths} deaths, {Run.objects.count()} runs, {len(self.quirks)} quirks and failures")
        with connection.cursor() as cursor:
            if cursor.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                self.wrong.append("the store is damaged")


def _counted(sums: Sums) -> Counter[tuple[str, What]]:
    """What a bill counts, without costs."""
    return +Counter({key: each.amount for key, each in sums.items() if key[1] is not What.AMOUNT})


def reasons(found: Ledger, day: str) -> list[str]:
    """Why a day is not proved: a bill that is not there or not complete, one that differs, models not counted."""
    assert found.second_sums
    proofs = found.second_sums.of(day)
    return [str(proof.state) for proof in proofs if proof.state is not ProofState.PROVED or proof.uncounted]


def collect_all(archive_ids: list[int], last: int | None = None, *, must_succeed: bool = False) -> None:
    """Collect each archive, and die before the statement of this number, if there is one."""
    with dying_before(last):
        for archive_id in archive_ids:
            result = collected_by(archive_id, "owner")
            assert not must_succeed or result.outcome.exit_code == 0, (archive_id, result.run.message)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.soaks.quarter")
    options.add_argument("--days", type=int, default=92, help="of the quarter (92)")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    logging.disable(logging.ERROR)
    call_command("migrate", verbosity=0)
    open_store()
    began = time.monotonic()
    with standing() as moved, ExitStack() as running, pytest.MonkeyPatch.context() as patched:
        for module, name, value in WAITS:
            patched.setattr(module, name, value)
        for module, name in PAUSES:
            patched.setattr(module, name, 0.0)
        patched.setattr(billing, "OVERLOAD_WAIT", 0.0)
        patched.setattr(settings, "SOURCES_PRIVATE", True)
        # The distance of several collections is kept by the clock, which stands.
        patched.setattr(settings, "COLLECTIONS_AT_ONCE", 1)
        quarter = Quarter(chosen.days, chosen.seed, moved, running)
        quarter.live()
    say(f"  {time.monotonic() - began:.0f} s")
    for words in quarter.wrong:
        say(words)
    sys.exit(f"{len(quarter.wrong)} things are wrong." if quarter.wrong else 0)


if __name__ == "__main__":
    main()
