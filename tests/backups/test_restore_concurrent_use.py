"""Restoring: who reads or writes meanwhile (docs/api.md#restore-a-backup)."""

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction

from archive_site.lib.http import rate_limits
from audit.models import Entry
from backups.restore import store_switch
from tests.backups.filled_instance import restored, user
from tests.concurrency import together
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.models import Record

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


@pytest.mark.thorough
def test_who_reads_meanwhile_is_never_refused(backup: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Connections that were open before, with statements prepared, read the old store, then the new one."""
    # A fast machine reads more meanwhile than an account may in a minute.
    monkeypatch.setattr(rate_limits, "READS", "1000000/m")
    archive(user("alice"), call("c"))
    visitors = [ApiClient.signed_in(user("alice")) for _ in range(2)]
    both_read, done = threading.Barrier(3), threading.Event()
    counts: set[int] = set()
    statuses: set[int] = set()

    def read(visitor: ApiClient) -> None:
        counts.add(Record.objects.count())
        statuses.add(visitor.get("/api/summary").status_code)

    def keep_reading(visitor: ApiClient) -> None:
        read(visitor)
        both_read.wait()
        while not done.is_set():
            read(visitor)
        read(visitor)

    def restore_twice() -> None:
        both_read.wait()
        try:
            restored(backup)
            restored(backup)
        finally:
            done.set()

    outcomes = together(lambda: keep_reading(visitors[0]), lambda: keep_reading(visitors[1]), restore_twice)
    assert (outcomes, counts, statuses) == ([None] * 3, {2, 3}, {200, 401})


@pytest.mark.engine
def test_who_did_not_see_the_freeze_waits_and_writes_to_the_new_store(
    backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged, waits = threading.Event(), threading.Event()
    announce = store_switch.announce

    def announce_late(*arguments: Any) -> None:
        merged.set()
        assert waits.wait(60)
        announce(*arguments)

    def tell(execute: Any, *arguments: Any) -> Any:
        waits.set()
        return execute(*arguments)

    def write() -> None:
        Entry.objects.exists()
        assert merged.wait(60)
        with connection.execute_wrapper(tell), transaction.atomic():
            Entry.objects.create(at=NOW, actor="x", action="after the merge")

    monkeypatch.setattr(store_switch, "announce", announce_late)
    assert together(lambda: restored(backup) and None, write) == [None, None]
    assert Entry.objects.latest("id").action == "after the merge"
