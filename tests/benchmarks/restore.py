"""The time of a restore, compared with a backup and a file copy: `python -m tests.benchmarks.restore [--home FOLDER]`.

The store is a copy of the benchmarks' data set (a million records of one account, a million of others). The switch may
take 4 times as long as copying the file, the whole restore 1.5 times as long as creating the backup.
"""

import argparse
import os
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from tests.benchmarks.dataset import HOME

MOST_COPIES = 4.0
MOST_BACKUPS = 1.5


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.restore")
    parser.add_argument("--home", type=Path, default=HOME)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="usage-archive-restore-", dir=options.home.parent) as home:
        for name in ("archive.sqlite3", "instance.key", "secret.key"):
            shutil.copyfile(options.home / name, Path(home) / name)
        os.environ.update(ARCHIVE_HOME=home, DJANGO_SETTINGS_MODULE="archive_site.settings")
        os.environ.setdefault("TZ", "Europe/Berlin")
        return measure(Path(home))


def measure(home: Path) -> int:
    import django

    django.setup()
    from django.core.management import call_command

    from accounts.store_identity import open_store
    from backups import creation
    from backups.restore import backup_reader, new_store, restore_backup, schema_check, store_switch
    from usage.models import Record

    call_command("migrate", verbosity=0)
    open_store()
    before = Record.objects.count()
    print(f"{before:,} records, {(home / 'archive.sqlite3').stat().st_size / 1e6:,.0f} MB")
    copies = [copy_of(home / "archive.sqlite3")]
    kept: list[Any] = []
    create = timed("a backup", lambda: kept.append(creation.create("manual")))
    steps = [
        (backup_reader, "unpack"), (schema_check, "check"), (new_store, "prepare"), (creation, "create_unlocked"),
        (new_store, "merge"), (store_switch, "switch"), (store_switch, "complete"),
    ]  # fmt: skip
    seconds: dict[str, float] = {}
    for module, name in steps:
        setattr(module, name, noting(seconds, getattr(module, name)))
    restore = timed(
        "its restore",
        lambda: restore_backup.restore(kept[0].path, include_instance=True, actor="benchmark", user_id=None, ip=""),
    )
    for name, took in seconds.items():
        print(f"  {name}: {took:.1f} s")
    # Once before and once after, since other writes may slow down either.
    copies.append(copy_of(home / "archive.sqlite3"))
    copy = sum(copies) / len(copies)
    switch = seconds["switch"] + seconds["complete"]
    print(f"the switch: {switch / copy:.1f} file copies (at most {MOST_COPIES})")
    print(f"in all: {restore / create:.2f} backups (at most {MOST_BACKUPS})")
    print(f"memory at its highest: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")
    assert Record.objects.count() == before
    return 0 if switch <= MOST_COPIES * copy and restore <= MOST_BACKUPS * create else 1


def timed(what: str, act: Callable[[], object]) -> float:
    os.sync()
    begun = time.perf_counter()
    act()
    seconds = time.perf_counter() - begun
    print(f"{what}: {seconds:.1f} s", flush=True)
    return seconds


def noting(seconds: dict[str, float], act: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, with its duration recorded."""

    @wraps(act)
    def noted(*args: Any, **options: Any) -> Any:
        begun = time.perf_counter()
        try:
            return act(*args, **options)
        finally:
            seconds[act.__name__] = time.perf_counter() - begun

    return noted


def copy_of(source: Path) -> float:
    """Seconds in which a file is copied and the copy is on the disk."""
    target = source.with_name("copy")

    def copied() -> None:
        shutil.copyfile(source, target)
        with target.open("rb") as file:
            os.fsync(file.fileno())

    seconds = timed("a file copy, synced", copied)
    target.unlink()
    return seconds


if __name__ == "__main__":
    sys.exit(main())
