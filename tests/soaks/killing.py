"""Kills during collections: `python -m tests.soaks.killing [--minutes N] [--kills N] [--seed N]`.

The real `manage.py up` with its cluster on a separate data folder, a slot due every minute, a slow upstream in a
separate process. SIGKILL at random moments to one of the workers, to their whole group, to `up`
itself. Then two clusters on one store, and SIGTERM in the middle of a run, also with an upstream that hangs.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.collection.running_instance import Instance, made_instance
from tests.soaks import say
from tests.soaks.killed_instance import Soak

# Long enough to miss the heartbeat and to restart everything.
QUIET_WITHIN = 420.0
CLEAN_LATER = """
import django
django.setup()
from datetime import timedelta
from archive_site.lib import clock
from collection import queue_rows
now = clock.now() + timedelta(hours=8)
clock.now = lambda: now
queue_rows.delete_dead_rows()
"""


def kill_for(soak: Soak, minutes: int, kills: int) -> None:
    say(f"{kills} kills in {minutes} minutes")
    soak.set_slots(minutes + 2)
    soak.start_up()
    moments = sorted(soak.dice.uniform(10, minutes * 60 + 60) for _ in range(kills))
    began = time.monotonic()
    for moment in moments:
        time.sleep(max(0.0, began + moment - time.monotonic()))
        soak.kill_something()
    soak.wait_for(soak.all_is_served, QUIET_WITHIN, "all slots served")
    say(f"  {dict(soak.kills)}, quiet {time.monotonic() - began - moments[-1]:.0f} s after the last")
    soak.check()


def two_clusters(soak: Soak, minutes: int) -> None:
    say(f"two clusters for {minutes} minutes")
    soak.set_slots(minutes)
    second = soak.instance.start("qcluster", stdout=soak.log, stderr=soak.log)
    soak.wait_for(soak.all_is_served, 60.0 * (minutes + 4), "all slots served")
    second.terminate()
    soak.check()
    os.killpg(second.pid, signal.SIGKILL)
    second.wait()


def stop_in_the_middle(soak: Soak, *, hanging: bool) -> None:
    what = "SIGTERM while the upstream hangs" if hanging else "SIGTERM in the middle of a run"
    say(what)
    interrupted = soak.count("status = 'interrupted'")
    soak.pipe.send(hanging)
    soak.set_slots(1)
    soak.wait_for(lambda: soak.count("status = 'running'"), 240, "a run under way")
    time.sleep(0.5)
    soak.stop_up(what)
    more = soak.count("status = 'interrupted'") - interrupted
    soak.expect(more == 1, f"{what}: {more} runs were interrupted")
    soak.pipe.send(False)
    soak.start_up()
    soak.wait_for(lambda: soak.count("status IN ('queued', 'running')") == 0, QUIET_WITHIN, "the others' runs")


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.soaks.killing")
    options.add_argument("--minutes", type=int, default=5)
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    # A signal to this program also ends its child processes.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit("Stopped."))
    with tempfile.TemporaryDirectory(prefix="usage-archive-soak-") as folder:
        template = made_instance(Path(folder) / "template")
        with Instance.copied(template, Path(folder) / "home") as instance:
            soak = Soak(instance, random.Random(chosen.seed), chosen.seed)
            try:
                kill_for(soak, chosen.minutes, chosen.kills)
                two_clusters(soak, 2)
                stop_in_the_middle(soak, hanging=False)
                stop_in_the_middle(soak, hanging=True)
                soak.stop_up("SIGTERM when all is quiet")
                instance.python(CLEAN_LATER)
                left = instance.sql("SELECT COUNT(*) FROM django_q_ormq WHERE lock > datetime('now')")
                soak.expect(left == [(0,)], f"{left} dead deliveries stay in the queue")
            finally:
                soak.end()
    for words in soak.wrong:
        say(words)
    sys.exit(f"{len(soak.wrong)} things are wrong." if soak.wrong else 0)


if __name__ == "__main__":
    main()
