"""Kills imports at their statements: `python -m tests.collection.transfer.killed_imports FIRST STEP WHAT`, in a data
folder. WHAT is the file of an `account`, or a report of `bills`.

Each import is one of an account of its own, by a process of its own that ends without any cleaning up before its n-th
statement; another process then does what the next start does. Prints, as JSON, the statements of a whole import, and
the deaths after which something differed from it.
"""

import itertools
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import django

django.setup()

from django.conf import settings  # noqa: E402

from accounts.models import Archive, User  # noqa: E402
from collection import tasks  # noqa: E402
from collection.models import ImportProgress, Lease, Run  # noqa: E402
from collection.runs import import_progress  # noqa: E402
from collection.transfer import account_export, dead_imports, import_storing  # noqa: E402
from collection.transfer.import_run import Importer, import_file  # noqa: E402
from tests.collection.transfer.kept_packages import keep_packages, kept_packages  # noqa: E402
from tests.dying import KILLED, dying_before, in_child  # noqa: E402
from tests.factories import further_archive, make_user  # noqa: E402
from tests.usage.record_factories import archive, call, counted_rollups, kept_rollups  # noqa: E402
from tests.usage.test_service_reports import OPENAI_USAGE  # noqa: E402
from usage.filters import RecordFilters  # noqa: E402
from usage.importing.file_format import Options  # noqa: E402
from usage.importing.file_source import source_at  # noqa: E402
from usage.measures import Measures  # noqa: E402
from usage.models import BillDay, BillRead, DataVersion, DayProof, Prompt, Record, RecordChange  # noqa: E402
from usage.reads import queries  # noqa: E402
from usage.saved_views import stored_views  # noqa: E402

# A part has two or three calls.
import_storing._FIRST = import_storing._LEAST = import_storing._MOST = 600
MEASURED = Measures(at=datetime(2026, 6, 5, 12, tzinfo=UTC))
OF_RECORDS = ("request_id", "credits", "model", "client", "ts", "agent_purpose", "prompt_truncated")
OF_RUNS = ("kind", "trigger", "status", "fetched", "added", "dup", "conflicts", "total", "stored_message")


def main(first: int, step: int, what: str) -> None:
    way = WAYS[what]
    path = way.file()
    whole = way.account("whole")
    statements = in_child(lambda: way.imported(whole, path, None))
    expected = way.state(whole)
    wrong = {}
    for number in itertools.count(first, step):
        user = way.account(f"killed-{number}")
        if in_child(lambda user=user, number=number: way.imported(user, path, number)) != KILLED:  # type: ignore[misc]
            break
        after_restart(lambda user=user: way.imported(user, path, None), user)  # type: ignore[misc]
        if (found := way.state(user)) != expected:
            wrong[number] = found
    left = [each.name for each in settings.DATA_FOLDER.imports.iterdir() if each.is_dir()]
    print(json.dumps({"whole": expected, "wrong": wrong, "left": left, "deaths": number // step}))  # noqa: T201
    assert statements == 0


@dataclass(frozen=True)
class Way:
    """What is imported, into which account, and what that leaves behind."""

    file: Callable[[], Path]
    account: Callable[[str], User]
    state: Callable[[User], list[Any]]
    is_bill: bool = False

    def imported(self, user: User, path: Path, last: int | None) -> None:
        """Import the file, and die before the statement of this number."""
        archive_id = bill_of(user) if self.is_bill else None
        importer = Importer(user, Run.Trigger.CLI, "command line", archive_id=archive_id)
        with dying_before(last):
            import_file(importer, source_at(path), Options({}))


def exported() -> Path:
    """The file of an account with calls on several days, runs, a view, packages and an order."""
    owner = make_user("owner")
    calls = [call(f"r{n}", credits=n, prompt=f"why {n}?", ts=f"2026-09-0{1 + n % 3} 12:30:00") for n in range(8)]
    archive(owner, *calls)
    for number in range(5):
        at = f"2026-09-07 10:0{number}:00+00:00"
        Run.objects.create(archive_id=owner.pk, trigger="schedule", status="ok", created_at=at, stored_detail="x" * 100)
    stored_views.create(owner.pk, "Free calls", "free=1")
    keep_packages(owner.pk)
    path = Path(settings.DATA_FOLDER.home) / "account.zip"
    path.write_bytes(b"".join(account_export.pieces(owner)))
    return path


def filled(name: str) -> User:
    """An account that has some of the calls: one is the same, one has other values, one has no prompt."""
    user = make_user(name)
    archive(user, call("r1", credits=1, prompt="why 1?", ts="2026-09-02 12:30:00"), call("r4"))
    archive(user, call("r6", credits=6, ts="2026-09-01 12:30:00"))
    return user


def after_restart(again: Callable[[], None], user: User) -> None:
    """What the tick and the housekeeping do; a file without a run is imported again."""
    assert in_child(tasks.run_due_collections) == 0
    if import_progress.unfinished():
        assert in_child(dead_imports.finish_all) == 0
    if not Run.objects.filter(archive_id__in=[user.pk, bill_of(user)], kind="import").exists():
        assert in_child(again) == 0
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
        [view.name for view in stored_views.views_of(user.pk)],
        kept_rollups(user.pk) == counted_rollups(user.pk),
        queries.count_records(user.pk, RecordFilters(text="why")),
        kept_packages(user.pk),
    ]
    return list(json.loads(json.dumps(found)))


def report() -> Path:
    """A report of sums of ninety days, which are stored in three parts."""
    path = Path(settings.DATA_FOLDER.home) / "usage.csv"
    days = [date(2026, 6, 1) + timedelta(days=number) for number in range(90)]
    rows = [f",,{day}T00:00:00+00:00,,,{1 + day.day % 2},,,m{day.day % 3},False,default,410,22,300,10" for day in days]
    path.write_text("".join(f"{line}\n" for line in (OPENAI_USAGE, *rows)))
    return path


def with_bills(name: str) -> User:
    """An account with an archive of calls, and one of files whose bills prove it."""
    user = make_user(name)
    proved = further_archive(user, "Gateway", "USD", "litellm")
    archive(proved, *(call(f"r{day}", ts=f"2026-06-{day:02} 12:30:00", measures=MEASURED) for day in range(1, 9)))
    bill = further_archive(user, "Bills", "USD", "file")
    Archive.objects.filter(pk=bill).update(proves_id=proved)
    return user


def bill_of(user: User) -> int:
    """The archive of bills of an account, 0 where it has none."""
    return Archive.objects.filter(user_id=user.pk, kind="file").values_list("pk", flat=True).first() or 0


def state_of_bills(user: User) -> list[Any]:
    bill = bill_of(user)
    found = [
        list(BillDay.objects.filter(archive_id=bill).order_by("pk").values_list("day", "model", "what", "amount")),
        list(BillRead.objects.filter(archive_id=bill).order_by("pk").values_list("day", "is_complete")),
        list(DayProof.objects.filter(bill_id=bill).order_by("pk").values_list("day", "differences", "uncounted")),
        list(Run.objects.filter(archive_id=bill).values_list(*OF_RUNS)),
        list(DataVersion.objects.filter(archive_id=bill).values_list("stored_bytes")),
    ]
    return list(json.loads(json.dumps(found)))


WAYS = {"account": Way(exported, filled, state), "bills": Way(report, with_bills, state_of_bills, is_bill=True)}


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
