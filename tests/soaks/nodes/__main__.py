"""Nodes that are killed: `python -m tests.soaks.nodes [--accounts N] [--kills N] [--seed N]`.

Two web and two worker nodes collect from a simulated upstream, six accounts at once, through three slots, while
clients read and write. In the first two slots nodes are killed at random points, and PostgreSQL crashes once and is
restarted once; between the slots a backup is restored, and nodes are killed in restores. The third slot runs
undisturbed. Then each slot must have run once for each account, the archives must be what the upstream served, and
limits must be exact.
"""

import argparse
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.private_servers import cluster, redis_server
from tests.soaks import say
from tests.soaks.nodes import checks, limits
from tests.soaks.nodes.clients import Clients
from tests.soaks.nodes.disturbances import Disturbances, planned
from tests.soaks.nodes.instance import WORKERS, ZONES, Filled, running
from tests.soaks.nodes.upstream import DAYS, Upstream, World

# What is committed outlives a crash.
DURABLE = {"synchronous_commit": "on", "full_page_writes": "on", "log_min_messages": "panic"}
ENDED = "collection_run WHERE created_at >= %s AND status NOT IN ('queued', 'running')"
# Seconds that an account takes at most, and what comes on top of it: a tick a minute, and a node that is noticed late.
PATIENCE_EACH, PATIENCE = 5.0, 600.0
CONNECTIONS = "SELECT application_name, count(*) FROM pg_stat_activity WHERE application_name ~ '-[ab]$' GROUP BY 1"
# The last line of a traceback.
RAISED = re.compile(r"(?m)^([a-z][\w.]*\.[A-Z]\w+|[A-Z]\w*Error)(?=: |$)")
MOST_LINES = 8
# While PostgreSQL is away.
EXPECTED = {"psycopg.OperationalError", "django.db.utils.OperationalError", "psycopg.errors.AdminShutdown"}
# Seconds for setting the slot before it falls due.
AHEAD = 20


@dataclass
class Trial:
    filled: Filled
    clients: Clients
    disturbances: Disturbances
    zone: ZoneInfo
    slots: list[datetime] = field(default_factory=list)
    # The nodes that held a lease in each slot.
    collecting: list[set[str]] = field(default_factory=list)
    # The most connections to PostgreSQL that each node had at once.
    connections: Counter[str] = field(default_factory=Counter)

    def slot(self, what: list[str]) -> None:
        """Let the next slot fall due, disturb it, and wait until all its runs have ended."""
        instance = self.filled.instance
        slot = _next_minute()
        node = instance.web[0]
        instance.manage(node, "config", "set", "schedule_times", f"{slot.astimezone(self.zone):%H:%M}")
        if not self.slots:
            instance.manage(node, "config", "set", "schedule_enabled", "1")
        self.slots.append(slot)
        self.collecting.append(set())
        say(f"slot {len(self.slots)}, at {slot.astimezone(self.zone):%H:%M}: {', '.join(what) or 'undisturbed'}")
        with self.clients.reading():
            self.disturbances.disturb(what, self.progress)
            until = time.monotonic() + PATIENCE + PATIENCE_EACH * len(self.filled.accounts)
            while self.progress() < 1:
                if time.monotonic() > until:
                    self.disturbances.wrong.append(f"slot {len(self.slots)} did not end: {self.progress():.0%}")
                    break
                time.sleep(0.5)
        say(f"  ended after {(datetime.now(UTC) - slot).total_seconds():.0f} s: {self._tally(slot)}")

    def progress(self) -> float:
        """The share of the accounts whose run of the newest slot has ended."""
        instance = self.filled.instance
        holders = instance.sql("SELECT holder FROM collection_lease WHERE token <> ''")
        self.collecting[-1].update(str(holder).rpartition(" ")[2] for (holder,) in holders)
        for name, number in instance.sql(CONNECTIONS):
            self.connections[name] = max(self.connections[name], number)
        return instance.count(ENDED, self.slots[-1]) / len(self.filled.accounts)

    def _tally(self, slot: datetime) -> dict[str, int]:
        query = "SELECT status, count(*) FROM collection_run WHERE created_at >= %s GROUP BY 1 ORDER BY 1"
        return dict(self.filled.instance.sql(query, slot))

    def faults(self, world: World, first_day: date) -> Iterator[str]:
        """All that is wrong at the end."""
        instance = self.filled.instance
        yield from self.disturbances.wrong
        yield from checks.slots_of(instance, self.slots)
        if set(self._tally(self.slots[-1])) != {"ok"}:
            yield f"runs of the undisturbed slot ended as {self._tally(self.slots[-1])}"
        if self.collecting[-1] != set(WORKERS):
            yield f"only {sorted(self.collecting[-1])} collected in the undisturbed slot"
        yield from checks.records(self.filled, world, self.zone, first_day)
        yield from checks.sums(instance)
        yield from checks.leftovers(instance)
        yield from self.clients.faults()
        yield from checks.reads(self.filled, first_day)
        yield from limits.sessions(self.filled)
        yield from limits.reads(self.filled)
        yield from limits.failed_sign_ins(self.filled)


def _next_minute() -> datetime:
    soon = datetime.now(UTC) + timedelta(seconds=AHEAD)
    return soon.replace(second=0, microsecond=0) + timedelta(minutes=1)


def split(what: list[str], dice: random.Random) -> tuple[list[str], list[str]]:
    """Kills in the first and in the second slot; PostgreSQL crashes in the one and is restarted in the other."""
    mixed = dice.sample(what, len(what))
    half = (len(mixed) + 1) // 2
    return [*mixed[:half], "crash"], [*mixed[half:], "restart"]


def live(trial: Trial, kills: int, dice: random.Random) -> None:
    during, restores = planned(kills)
    first, second = split(during, dice)
    trial.slot(first)
    trial.disturbances.restore((restores + 1) // 2)
    trial.slot(second)
    trial.disturbances.restore(restores // 2)
    trial.disturbances.wait_until_all_work()
    trial.slot([])


def main() -> int:
    options = argparse.ArgumentParser(prog="python -m tests.soaks.nodes")
    options.add_argument("--accounts", type=int, default=500)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    # A signal to this program also ends its child processes.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit("Stopped."))
    now, dice = datetime.now(UTC), random.Random(chosen.seed)
    zone = next(name for name in ZONES if 2 <= now.astimezone(ZoneInfo(name)).hour < 20)
    first_day = now.astimezone(ZoneInfo(zone)).date() - timedelta(days=DAYS - 1)
    world = World(chosen.accounts, chosen.seed, now + timedelta(hours=6))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="usage-archive-soak-")))
        store, counters = stack.enter_context(cluster(**DURABLE)), stack.enter_context(redis_server())
        upstream = stack.enter_context(Upstream(world))
        filled = stack.enter_context(running(folder, store, counters, upstream, zone))
        say(f"{chosen.accounts} accounts, {chosen.kills} kills, seed {chosen.seed}, in the zone {zone}")
        trial = Trial(filled, Clients(filled, dice), Disturbances(filled, dice), ZoneInfo(zone))
        live(trial, chosen.kills, dice)
        most, wrong = checks.politeness(upstream.times())
        wrong += trial.faults(world, first_day)
        for node in filled.instance.nodes.values():
            if (code := filled.instance.stop(node)) != 0:
                wrong.append(f"{node.name} stopped with exit code {code}")
        _report(trial, most)
    for words in wrong:
        say(f"FAILS  {words}")
    say(f"{len(wrong)} things are wrong." if wrong else "Nothing is lost, nothing is there twice.")
    return 1 if wrong else 0


def _report(trial: Trial, most: float) -> None:
    instance = trial.filled.instance
    records, runs = instance.count("usage_record"), instance.count("collection_run")
    logs = instance.logs()
    logged = Counter(RAISED.findall(logs))
    say(f"kills: {dict(trial.disturbances.done)}")
    say(f"{records:,} records, {runs:,} runs; at most {most:.2f} requests a second in any minute")
    say(f"most connections to PostgreSQL at once: {dict(sorted(trial.connections.items()))}")
    say(trial.clients.line)
    say(f"errors in the log: {dict(logged)}")
    for name in sorted(logged.keys() - EXPECTED):
        # With the lines above it, which say where.
        places = (found.start() for found in RAISED.finditer(logs) if found[1] == name)
        start = next(places)
        say("\n".join([*logs[:start].splitlines()[-MOST_LINES:], *logs[start:].splitlines()[:1]]))


if __name__ == "__main__":
    sys.exit(main())
