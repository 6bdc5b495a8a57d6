"""What happens to nodes and store during a slot, and to a restore between two slots."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle, islice

import psycopg
import requests

from tests.collection.running_instance import eventually
from tests.soaks import say
from tests.soaks.nodes.clients import post
from tests.soaks.nodes.instance import Filled, Node

# In this order, so that few kills are of different kinds, too.
KINDS = ("page", "web", "restore", "workers", "process")
PAGE_SECONDS = 150.0
RESTORE_SECONDS = 120.0
# Ticks come to a node in turn, and stuck workers show when one came; three minutes later their node restarts them.
NOTICED_SECONDS, AGAIN_SECONDS = 90.0, 300.0
BEATING = "collection_heartbeat WHERE name LIKE 'workers of %' AND at > now() - interval '45 seconds'"
# Of the progress of a slot: what happens later has nothing to disturb.
LATEST = 0.8
# Writers of records wait for this lock, in the middle of their transactions.
HOLD = "LOCK TABLE usage_record IN SHARE MODE"
HELD = """
    SELECT DISTINCT application_name FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE relation = 'usage_record'::regclass AND NOT granted AND application_name LIKE 'workers%'"""
# What a restore of a backup that was just created leaves as it is.
STATE = """
    SELECT
        (SELECT count(*) || coalesce(md5(string_agg(username, ',' ORDER BY id)), '') FROM accounts_user),
        (SELECT count(*) || coalesce(md5(string_agg(concat_ws(' ', user_id, request_id, credits, ts, model), ','
            ORDER BY user_id, request_id)), '') FROM usage_record),
        (SELECT count(*) || coalesce(md5(string_agg(text, ',' ORDER BY record_id)), '') FROM usage_prompt),
        (SELECT count(*) || coalesce(md5(string_agg(concat_ws(' ', id, user_id, status, fetched, added), ','
            ORDER BY id)), '') FROM collection_run),
        (SELECT count(*) || coalesce(md5(string_agg(concat_ws(' ', user_id, complete_through), ',' ORDER BY user_id)),
            '') FROM collection_progress),
        (SELECT count(*) || coalesce(md5(string_agg(concat_ws(' ', user_id, day, upstream, checked_at), ','
            ORDER BY user_id, day)), '') FROM usage_coverageday),
        (SELECT count(*) || coalesce(md5(string_agg(concat_ws(' ', user_id, key, value), ',' ORDER BY user_id, key)),
            '') FROM accounts_setting),
        (SELECT count(*) || coalesce(md5(string_agg(concat_ws(' ', user_id, name), ',' ORDER BY user_id, name)), '')
            FROM usage_savedview)"""


def planned(kills: int) -> tuple[list[str], int]:
    """The kinds of the kills during slots, and how many fall into restores."""
    kinds = list(islice(cycle(KINDS), kills))
    return [kind for kind in kinds if kind != "restore"], kinds.count("restore")


@dataclass
class Disturbances:
    filled: Filled
    dice: random.Random
    done: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.instance = self.filled.instance

    # During a slot

    def disturb(self, what: list[str], progress: Callable[[], float]) -> None:
        """Do each of these at a random point of a slot, which is at `progress` (0 to 1)."""
        order = self.dice.sample(what, len(what))
        points = sorted(self.dice.uniform(0, LATEST) for _ in order)
        for kind, point in zip(order, points, strict=True):
            while progress() < point:
                time.sleep(0.2)
            time.sleep(self.dice.uniform(0, 1))
            words = self._acts[kind](self)
            self.done[kind] += 1
            say(f"  at {progress():.0%}: {words}")

    def _kill_web(self) -> str:
        return self._kill_node(self.dice.choice(self.instance.web))

    def _kill_workers(self) -> str:
        return self._kill_node(self.dice.choice(self.instance.workers))

    def _kill_node(self, node: Node) -> str:
        leaving = self.dice.random() < 0.3
        self.instance.kill(node, leaving_children=leaving)
        time.sleep(self.dice.uniform(0, 3))
        self.instance.start(node)
        return f"{node.name} killed, {'its supervisor alone' if leaving else 'all of it'}"

    def _kill_process(self) -> str:
        """One process of a node's workers: the node looks after it itself."""
        node = self.dice.choice(self.instance.workers)
        assert node.process
        supervisor = node.process.pid
        members = sorted((one for one in node.processes() if one.pid != supervisor), key=lambda one: one.pid)
        victim = self.dice.choice(members)
        is_leader = victim.ppid() == supervisor
        victim.kill()
        return f"{'the leader' if is_leader else 'a process'} of the workers of {node.name} killed"

    def _kill_in_page(self) -> str:
        """A node whose workers are in the middle of the transaction of a page."""
        begun = time.monotonic()
        with psycopg.connect(self.instance.cluster.url) as holding:
            holding.execute(HOLD)
            eventually(self._blocked, PAGE_SECONDS)
            found = self._blocked()
            if not found:
                self.wrong.append("no page was stored, so none could be broken off")
                return "no page came"
            node = self.instance.nodes[self.dice.choice(found)]
            self.instance.kill(node)
        self.instance.start(node)
        return f"{node.name} killed in the transaction of a page ({time.monotonic() - begun:.1f} s)"

    def _blocked(self) -> list[str]:
        """The nodes whose workers wait for the lock of `HOLD`."""
        return sorted(name for (name,) in self.instance.sql(HELD))

    def _crash_store(self) -> str:
        self.instance.restart_store(crash=True)
        return "PostgreSQL crashed and started again"

    def _restart_store(self) -> str:
        self.instance.restart_store(crash=False)
        return "PostgreSQL shut down and started again"

    _acts = {
        "web": _kill_web, "workers": _kill_workers, "process": _kill_process, "page": _kill_in_page,
        "crash": _crash_store, "restart": _restart_store,
    }  # fmt: skip

    # Between slots

    def wait_until_all_work(self) -> None:
        """Wait until stuck workers would have been noticed, and every node has a heartbeat again."""
        quiet = time.monotonic() + NOTICED_SECONDS
        well = eventually(
            lambda: time.monotonic() > quiet and self.instance.count(BEATING) == len(self.instance.workers),
            NOTICED_SECONDS + AGAIN_SECONDS,
        )
        self._expect(well, "not every node works again")

    def restore(self, kills: int) -> None:
        """A whole restore on a web node, and others that are killed at random points; all leave the same state."""
        node = self.dice.choice(self.instance.web)
        self.instance.manage(node, "backup", "create")
        [name] = sorted(path.name for path in (node.home / "backups").glob("*-manual.zip"))[-1:]
        before, begun = self.instance.sql(STATE), time.monotonic()
        answer = self._ask_to_restore(node, name)
        whole = time.monotonic() - begun
        self._expect(answer == 200, f"a restore was answered {answer}")
        self._expect(self.instance.sql(STATE) == before, "a restore changed more than it should")
        say(f"  a restore takes {whole:.1f} s")
        for _ in range(kills):
            self._kill_in_a_restore(node, name, self.dice.uniform(0.1, 1) * whole, before)
        self.filled.sign_all_in()

    def _kill_in_a_restore(self, node: Node, name: str, after: float, before: object) -> None:
        self.filled.sign_all_in()
        answers: list[int] = []
        asking = threading.Thread(target=lambda: answers.append(self._ask_to_restore(node, name)))
        asking.start()
        time.sleep(after)
        self.instance.kill(node)
        asking.join()
        self.instance.start(node)
        is_new = self.instance.count("accounts_session WHERE user_id = %s", self.filled.root) == 0
        self._expect(self.instance.sql(STATE) == before, f"a restore killed after {after:.1f} s changed the store")
        free = eventually(lambda: self.instance.count("collection_lease WHERE token <> ''") == 0, RESTORE_SECONDS)
        self._expect(free, "the lease of a killed restore stays")
        self.done["restore"] += 1
        say(f"  {node.name} killed {after:.1f} s after the start of a restore: the {'new' if is_new else 'old'} store")

    def _ask_to_restore(self, node: Node, name: str) -> int:
        session = self.filled.sessions[self.filled.root]
        try:
            return post(node, f"/api/backups/{name}/restore", session, seconds=RESTORE_SECONDS).status_code
        except requests.RequestException:
            return 0

    def _expect(self, is_right: bool, words: str) -> None:
        if not is_right:
            self.wrong.append(words)
