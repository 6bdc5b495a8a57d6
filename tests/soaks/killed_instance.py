"""A data folder whose `manage.py up` is killed while it collects from a slow upstream, and the checks of what stays."""

import multiprocessing
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from multiprocessing.connection import Connection
from typing import Any
from unittest import mock
from zoneinfo import ZoneInfo

import psutil

from archive_site.serving.child_processes import end_leftovers
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests import processes
from tests.collection.collector_run import Contents, server_text
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.collection.running_instance import Instance, eventually
from tests.soaks import say

BERLIN = ZoneInfo("Europe/Berlin")
NAMES = ("alice", "root", "carol")
DAYS = 10
STOPPED_WITHIN = 10.0
# Slow enough that a collection runs half of the time.
ANSWER_TAKES = 0.3
SETTINGS = """
import django
django.setup()
from accounts import config
from accounts.credentials import credential
from accounts.models import User
from tests.factories import make_user
User.objects.filter(username="carol").exists() or make_user("carol")
url, times, *cookies = {arguments!r}
values = {{"api_base": url, "schedule_times": times, "max_schedule_slots_per_day": 48, "page_size": 20,
           "rewind_minutes": 10080, "collect_max_range_days": {days}, "catch_up_grace_hours": 1}}
outcome = config.write(values, archive_id=0, may_edit_instance=True)
assert not outcome.errors, outcome.errors
for name, cookie in zip({names!r}, cookies):
    credential.store(User.objects.get(username=name).pk, cookie)
"""
Spans = list[tuple[datetime, datetime]]


def simulator(until: datetime, seed: int) -> Simulator:
    """Three accounts with ten days of calls, and no new ones."""
    return Simulator(accounts=len(NAMES), days=DAYS, per_day=60, seed=seed, until=until)


def serve(pipe: Connection, until: datetime, seed: int) -> None:
    """The process of the slow upstream; messages through the pipe make it hang or continue."""
    upstream = simulator(until, seed)
    respond = upstream.respond

    def slowly(*request: Any) -> Any:
        time.sleep(ANSWER_TAKES)
        return respond(*request)

    with upstream, mock.patch.object(upstream, "respond", slowly):
        pipe.send([upstream.base_url, *(upstream.cookie(place) for place in range(len(NAMES)))])
        while True:
            if pipe.recv():
                upstream.faults.fail("hang")
            else:
                upstream.faults.clear()


class Soak:
    """One data folder, its `up`, and the upstream."""

    def __init__(self, instance: Instance, dice: random.Random, seed: int) -> None:
        self.instance, self.dice = instance, dice
        self.until = datetime.now(UTC)
        self.first_day = f"{self.until.astimezone(BERLIN) - timedelta(days=DAYS - 1):%Y-%m-%d}"
        self.pipe, theirs = multiprocessing.Pipe()
        context = multiprocessing.get_context("spawn")
        self.upstream = context.Process(target=serve, args=(theirs, self.until, seed), daemon=True)
        self.upstream.start()
        self.address = self.pipe.recv()
        self.truth = simulator(self.until, seed)
        self.log = (instance.home.parent / "up.log").open("a")
        self.up: subprocess.Popen[str] | None = None
        self.slots: list[datetime] = []
        self.kills: Counter[str] = Counter()
        self.wrong: list[str] = []

    # Actions

    def set_slots(self, minutes: int) -> None:
        """From the next whole minute but one on, a slot every minute."""
        first = datetime.now(UTC).replace(second=0, microsecond=0) + timedelta(minutes=2)
        new = [first + timedelta(minutes=number) for number in range(minutes)]
        self.slots += new
        times = ",".join(sorted({f"{slot.astimezone(BERLIN):%H:%M}" for slot in new}))
        url, *cookies = self.address
        self.instance.python(SETTINGS.format(days=DAYS, names=NAMES, arguments=[url, times, *cookies]))

    def start_up(self) -> None:
        self.up = self.instance.start("up", "--bind", "127.0.0.1:0", stdout=self.log, stderr=self.log)

    def kill_something(self) -> None:
        assert self.up
        cluster = self._cluster()
        kind = self.dice.choice(["worker", "worker", "group", "up"]) if cluster else "up"
        if kind == "up" or cluster is None:
            self.up.kill()
            self.up.wait()
            time.sleep(self.dice.uniform(0, 3))
            self.start_up()
        elif kind == "group":
            os.killpg(cluster.pid, signal.SIGKILL)
        else:
            members = cluster.children(recursive=True)
            if members:
                processes.kill([self.dice.choice(members)])
        self.kills[kind] += 1

    def _cluster(self) -> psutil.Process | None:
        assert self.up
        try:
            children = psutil.Process(self.up.pid).children()
            return next((child for child in children if child.name() == "workers"), None)
        except psutil.Error:
            return None

    def stop_up(self, what: str) -> None:
        """SIGTERM to `up`: it must be gone in ten seconds, and leave no run under way."""
        assert self.up
        began = time.monotonic()
        self.up.terminate()
        try:
            self.up.wait(STOPPED_WITHIN)
            say(f"  {what}: stopped in {time.monotonic() - began:.1f} s")
        except subprocess.TimeoutExpired:
            self.wrong.append(f"{what}: not stopped in {STOPPED_WITHIN:g} s")
            self.up.kill()
        left = self.count("status = 'running'")
        self.expect(left == 0, f"{what}: {left} runs are left running")

    def end(self) -> None:
        if self.up and self.up.poll() is None:
            self.up.terminate()
            self.up.wait(20)
        end_leftovers(self.instance.home / "scheduler.lock")
        self.upstream.kill()
        self.log.close()

    # Checks

    def count(self, condition: str) -> int:
        return int(self.instance.sql(f"SELECT COUNT(*) FROM collection_run WHERE {condition}")[0][0])

    def expect(self, is_right: bool, words: str) -> None:
        if not is_right:
            self.wrong.append(words)

    def wait_for(self, true: Callable[[], object], seconds: float, words: str) -> None:
        self.expect(eventually(true, seconds), f"not within {seconds:g} s: {words}")

    def all_is_served(self) -> bool:
        """Whether every slot so far is marked for every account and its run has ended."""
        last = max(self.slots).astimezone(BERLIN)
        marked = self.instance.sql(
            "SELECT COUNT(*) FROM accounts_setting WHERE key = ? AND value = ?",
            f"slot:{last:%H:%M}",
            f"{last:%Y-%m-%d}",
        )
        return marked == [(len(NAMES),)] and self.count("status IN ('queued', 'running')") == 0

    def check(self) -> None:
        """Check the invariants of an idle instance."""
        for place, name in enumerate(NAMES):
            self._check_slots(name)
            kept, true = self._contents(name), self._truth(place)
            # A first run that was killed is followed by one that begins a little earlier.
            due = {request_id for request_id, (_, text) in true.items() if text >= self.first_day}
            self.expect(kept.items() <= true.items(), f"{name}: records that are not the upstream's")
            self.expect(due <= kept.keys(), f"{name}: {len(due - kept.keys())} records of {len(due)} are missing")
        overlaps = [pair for pair in pairwise(self._spans()) if pair[1][0] < pair[0][1]]
        self.expect(not overlaps, f"two collections at once: {overlaps}")
        self.expect(self.instance.sql("PRAGMA integrity_check") == [("ok",)], "the store's integrity")
        self.expect(not any(self.instance.sql(query) for query in ROLLUP_ERRORS), "the sums are wrong")
        self.expect(self.instance.sql("SELECT token FROM collection_lease") == [("",)], "the lease is held")
        unfinished = self.count("status IN ('queued', 'running')")
        self.expect(unfinished == 0, f"{unfinished} runs are unfinished")
        tally = self.instance.sql("SELECT trigger || ' ' || status, COUNT(*) FROM collection_run GROUP BY 1 ORDER BY 1")
        say(f"  {len(self.slots)} slots, runs of {len(NAMES)} accounts: {dict(tally)}")

    def _check_slots(self, name: str) -> None:
        """Every slot has its run; between two runs of an account, a slot fell due that the newer run covers."""
        made = [began for began, _ in self._rows(name)]
        for older, newer in pairwise(made):
            between = [slot for slot in self.slots if older < slot <= newer]
            self.expect(bool(between), f"{name}: two runs for one slot, at {older} and {newer}")
        waits = [(began, ended) for began, ended in self._rows(name)]
        for slot in self.slots:
            # Its own run began after it, or a queued or caught-up run covers it.
            after = [began for began, _ in waits if began >= slot]
            standing = [began for began, started in waits if began < slot and (started is None or started >= slot)]
            self.expect(bool(after or standing), f"{name}: no run for the slot of {slot}")

    def _rows(self, name: str) -> list[tuple[datetime, datetime | None]]:
        """When each run of an account was made, and when it began."""
        rows = self.instance.sql(
            "SELECT created_at, started_at FROM collection_run WHERE user_id = "
            "(SELECT id FROM accounts_user WHERE username = ?) ORDER BY id", name
        )  # fmt: skip
        return [(_instant(made), _instant(began) if began else None) for made, began in rows]

    def _spans(self) -> Spans:
        rows = self.instance.sql(
            "SELECT started_at, finished_at FROM collection_run WHERE started_at IS NOT NULL ORDER BY started_at"
        )
        return [(_instant(began), _instant(ended)) for began, ended in rows]

    def _contents(self, name: str) -> Contents:
        rows = self.instance.sql(
            "SELECT request_id, credits, ts FROM usage_record WHERE user_id = "
            "(SELECT id FROM accounts_user WHERE username = ?)", name
        )  # fmt: skip
        return {request_id: (credits, ts) for request_id, credits, ts in rows}

    def _truth(self, place: int) -> Contents:
        rows = self.truth.rows(place)
        return {call.request_id: (call.amount, server_text(call, self.truth.zone)) for call in rows}


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
