"""Kills during backups and restores: `python -m tests.soaks.backup_kills [--kills N] [--records N] [--seed N]`.

SIGKILL at random moments to the real `manage.py backup create` and `backup restore`, in turn with a store that is a
plain file and one that is already a link. After each kill the store must be the old one or that of the backup, complete
and with its key; no partial backup is listed, no other store is left; and the next start reports what it found.
"""

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.backups.filled_instance import COOKIE
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.collection.running_instance import Instance, made_instance
from tests.soaks import say

# The store of the backup: alice's cookie and all records. Then another key, bob with a cookie, and one record less.
PREPARE = f"""
import django
django.setup()
from cryptography.fernet import Fernet
from django.conf import settings
from django.db import connection
from accounts.credentials import credential
from accounts.models import User
from accounts.store_identity import open_store
from backups import creation
from tests.benchmarks.delete_account import FILL, PROMPTS
from tests.factories import make_user
from usage.rollups import recompute as rollup
from usage.search import engine_index as search_index
from usage.erasure import delete_records
from usage.models import Record
alice = User.objects.get(username="alice")
with connection.cursor() as cursor:
    cursor.execute(FILL, [{{records}}, alice.pk, {{records}}])
    cursor.execute(PROMPTS, [alice.pk])
search_index.fill()
rollup.recount(alice.pk)
credential.store(alice.pk, {COOKIE!r})
creation.create("manual")
settings.DATA_FOLDER.instance_key.write_bytes(Fernet.generate_key())
open_store()
credential.store(make_user("bob").pk, {COOKIE!r})
delete_records([Record.objects.latest("id").pk])
rollup.recount(alice.pk)
"""
LOOK = """
import json
import django
django.setup()
from accounts.credentials import credential
from accounts.models import User
from backups import catalog, creation
from backups.restore import backup_reader, recovery
from usage.models import Record
names = sorted(User.objects.values_list("username", flat=True))
readable = [user.username for user in User.objects.all() if credential.state(user.pk).usable]
said = [*creation.clear_broken_backups(), *recovery.clear_broken_restores()]
for archive in catalog.archives():
    backup_reader.verify(archive.path)
    assert archive.manifest, archive.path
print(json.dumps([names, readable, Record.objects.count(), said]))
"""


class Soak:
    """A prepared data folder; each kill gets a copy."""

    def __init__(self, template: Path, folder: Path, records: int, seed: int) -> None:
        self.template, self.folder, self.records, self.dice = template, folder, records, random.Random(seed)
        self.old = [["alice", "bob", "root"], ["bob"], records - 1]
        self.new = [["alice", "root"], ["alice"], records]
        self.wrong: list[str] = []

    def arguments(self, action: str) -> list[str]:
        (backup,) = (self.template / "backups").glob("*-manual.zip")
        return ["backup", "restore", backup.name, "--yes"] if action == "restore" else ["backup", "create"]

    def duration(self, action: str) -> float:
        """The time of the command without a kill."""
        with Instance.copied(self.template, self.folder / f"whole-{action}") as instance:
            begun = time.monotonic()
            done = instance.run(*self.arguments(action))
            assert done.returncode == 0, done.stderr
            return time.monotonic() - begun

    def kill(self, action: str, number: int, after: float) -> str:
        """Kill a command at a time after its start (seconds); return the outcome in a word."""
        with Instance.copied(self.template, self.folder / f"{action}-{number}") as instance:
            if number % 2:
                file = instance.store.rename(instance.home / f"store-{'0' * 32}.sqlite3")
                instance.store.symlink_to(file.name)
            process = instance.start(*self.arguments(action))
            time.sleep(after)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            found = json.loads(instance.python(LOOK))
            state, said = found[:3], found[3]
            word = "old" if state == self.old else "new" if state == self.new else "broken"
            self.expect(word == "old" or (action == "restore" and word == "new"), f"{action} {number}: {state}")
            self.expect(instance.sql("PRAGMA integrity_check") == [("ok",)], f"{action} {number}: integrity")
            self.expect(not any(instance.sql(query) for query in ROLLUP_ERRORS), f"{action} {number}: sums")
            left = [path.name for path in instance.home.rglob("*") if path.name.startswith((".restore", ".unfinished"))]
            own = instance.store.resolve().name
            left += [path.name for path in instance.home.glob("store-*") if not path.name.startswith(own)]
            self.expect(not left and not (instance.home / "instance.key.new").exists(), f"{action} {number}: {left}")
            again = instance.run(*self.arguments(action))
            self.expect(again.returncode == 0, f"{action} {number}: afterwards {again.stderr}")
        say(f"  {action} killed after {after:.2f} s: {word}{''.join(f'; {line}' for line in said)}")
        return word

    def expect(self, is_right: bool, words: str) -> None:
        if not is_right:
            self.wrong.append(words)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tests.soaks.backup_kills")
    options.add_argument("--kills", type=int, default=20)
    options.add_argument("--records", type=int, default=30_000)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="usage-archive-soak-") as name:
        folder = Path(name)
        template = made_instance(folder / "template")
        with Instance(template) as instance:
            instance.python(PREPARE.format(records=chosen.records))
        soak = Soak(template, folder, chosen.records, chosen.seed)
        for action in ("create", "restore"):
            whole = soak.duration(action)
            say(f"{action} takes {whole:.1f} s; {chosen.kills} kills")
            for number in range(chosen.kills):
                # The first part is the start of Python.
                soak.kill(action, number, soak.dice.uniform(0.2 * whole, whole))
    for words in soak.wrong:
        say(words)
    sys.exit(f"{len(soak.wrong)} things are wrong." if soak.wrong else 0)


if __name__ == "__main__":
    main()
