"""Kills imports at their statements: `python -m tests.collection.transfer.killed_imports FIRST STEP`, in a data folder.

Each import is one of an account of its own, by a process of its own that ends without any cleaning up before its n-th
statement; another process then does what the next start does. Prints, as JSON, the statements of a whole import, and
the deaths after which something differed from it.
"""

import itertools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection, connections  # noqa: E402

from accounts.models import User  # noqa: E402
from collection import tasks  # noqa: E402
from collection.models import ImportProgress, Lease, Run  # noqa: E402
from collection.runs import import_progress  # noqa: E402
from collection.transfer import account_export, dead_imports, import_storing  # noqa: E402
from collection.transfer.import_run import Importer, import_file  # noqa: E402
from tests.factories import make_user  # noqa: E402
from tests.usage.record_factories import archive, call, counted_rollups, kept_rollups  # noqa: E402
from usage import saved_views  # noqa: E402
from usage.filters import RecordFilters  # noqa: E402
from usage.importing.file_format import Options  # noqa: E402
from usage.importing.file_source import source_at  # noqa: E402
from usage.models import Prompt, Record, RecordChange  # noqa: E402
from usage.reads import queries  # noqa: E402

# A part has two or three calls.
import_storing._FIRST = import_storing._LEAST = import_storing._MOST = 600
KILLED = 9
OF_RECORDS = ("request_id", "credits", "model", "client", "ts", "agent_purpose", "prompt_truncated")
OF_RUNS = ("kind", "trigger", "status", "fetched", "added", "dup", "conflicts", "total", "stored_message")


def main(first: int, step: int) -> None:
    path = exported()
    whole = filled("whole")
    statements = in_child(lambda: imported(whole, path, None))
    expected = state(whole)
    wrong = {}
    for number in itertools.count(first, step):
        user = filled(f"killed-{number}")
        if in_child(lambda user=user, number=number: imported(user, path, number)) != KILLED:  # type: ignore[misc]
            break
        after_restart(user, path)
        if (found := state(user)) != expected:
            wrong[number] = found
    left = [each.name for each in settings.DATA_FOLDER.imports.iterdir() if each.is_dir()]
    print(json.dumps({"whole": expected, "wrong": wrong, "left": left, "deaths": number // step}))  # noqa: T201
    assert statements == 0


def exported() -> Path:
    """The file of an account with calls on several days, runs and a view."""
    owner = make_user("owner")
    calls = [call(f"r{n}", credits=n, prompt=f"why {n}?", ts=f"2026-09-0{1 + n % 3} 12:30:00") for n in range(8)]
    archive(owner, *calls)
    for number in range(5):
        at = f"2026-09-07 10:0{number}:00+00:00"
        Run.objects.create(archive_id=owner.pk, trigger="schedule", status="ok", created_at=at, stored_detail="x" * 100)
    saved_views.create(owner.pk, "Free calls", "free=1")
    path = Path(settings.DATA_FOLDER.home) / "account.zip"
    path.write_bytes(b"".join(account_export.pieces(owner)))
    return path


def filled(name: str) -> User:
    """An account that has some of the calls: one is the same, one has other values, one has no prompt."""
    user = make_user(name)
    archive(user, call("r1", credits=1, prompt="why 1?", ts="2026-09-02 12:30:00"), call("r4"))
    archive(user, call("r6", credits=6, ts="2026-09-01 12:30:00"))
    return user


def in_child(work: Callable[[], object]) -> int:
    """The exit code of a process that does the work."""
    connections.close_all()
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - the parent sees the code
            print(repr(error), file=sys.stderr)  # noqa: T201
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def imported(user: User, path: Path, last: int | None) -> None:
    """Import the file, and die before the statement of this number."""
    left = itertools.count()

    def counted(execute: Any, *arguments: Any) -> Any:
        if next(left) == last:
            os._exit(KILLED)
        return execute(*arguments)

    with connection.execute_wrapper(counted):
        import_file(Importer(user, Run.Trigger.CLI, "command line"), source_at(path), Options({}))


def after_restart(user: User, path: Path) -> None:
    """What the tick and the housekeeping do; a file without a run is imported again."""
    assert in_child(tasks.run_due_collections) == 0
    if import_progress.are_dead():
        assert in_child(dead_imports.finish_all) == 0
    if not Run.objects.filter(archive_id=user.pk, kind="import").exists():
        assert in_child(lambda: imported(user, path, None)) == 0
    import_progress.remove_files_of_the_dead()
    assert not ImportProgress.objects.exists()
    assert not Lease.objects.exclude(token="").exists()


def state(user: User) -> list[Any]:
    """All that an import leaves behind."""
    records = Record.objects.filter(archive_id=user.pk).order_by("request_id")
    prompts = Prompt.objects.filter(record__archive_id=user.pk).order_by("record__request_id")
    changed = RecordChange.objects.filter(archive_id=user.pk)
    found = [
        list(records.values_list(*OF_RECORDS)),
        list(prompts.values_list("record__request_id", "text")),
        sorted(changed.values_list("record_id", flat=True)) == sorted(records.values_list("pk", flat=True)),
        list(Run.objects.filter(archive_id=user.pk).order_by("created_at").values_list(*OF_RUNS)),
        [view.name for view in saved_views.views_of(user.pk)],
        kept_rollups(user.pk) == counted_rollups(user.pk),
        queries.count_records(user.pk, RecordFilters(text="why")),
    ]
    return list(json.loads(json.dumps(found)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
