"""Automatic backups: when they are created, and what follows a failure.

The rules: docs/decisions/backups.md#placing-and-pruning.
"""

import shutil
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone, translation
from django_q.models import OrmQ

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.tasks import NOTIFY
from archive_site.tasks import tick as tick_of_all
from audit.models import Entry
from backups import automatic, catalog, creation, tasks
from collection.runs import lease
from collection.runs.run_start import workers_are_alive
from collection.schedule import scheduler
from tests.backups.tiny_archives import broken, configure, kept
from tests.collection.running_instance import Instance
from tests.factories import ApiClient
from tests.standing_clock import SetClock

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
MAKE = """
import django
django.setup()
from backups.tasks import create_automatic
create_automatic()
"""


def waiting() -> list[str]:
    return [task.func() for task in OrmQ.objects.order_by("pk")]


def audited() -> list[str]:
    return [entry.detail for entry in Entry.objects.filter(action="backup_create").order_by("pk")]


def full(path: Any) -> Any:
    return SimpleNamespace(free=0)


# When


def test_the_first_is_due_at_once(time: SetClock) -> None:
    assert (automatic.last_auto(), automatic.next_at(time.now), automatic.due(time.now)) == (None, time.now, True)


@pytest.mark.parametrize("hours", [1, 24, 720])
def test_the_next_is_due_an_interval_after_the_last(time: SetClock, hours: int) -> None:
    configure(backup_interval_hours=hours)
    kept(time.now, "auto")
    made = time.now
    time.pass_by(seconds=1)
    assert automatic.next_at(time.now) == made + hours * HOUR
    time.now = made + hours * HOUR - timedelta(seconds=1)
    assert not automatic.due(time.now)
    time.pass_by(seconds=1)
    assert automatic.due(time.now)
    time.pass_by(days=3)
    assert automatic.next_at(time.now) == time.now, "overdue is now, not the past"


def test_a_backup_of_another_kind_does_not_stand_for_it(time: SetClock) -> None:
    kept(time.now, "manual")
    kept(time.now, "pre_restore")
    assert (automatic.due(time.now), automatic.last(), automatic.last_auto()) == (True, time.now, None)


def test_one_that_cannot_be_read_does_not_stand_for_it(time: SetClock) -> None:
    broken(f"backup-{time.now:%Y%m%d}-000000-auto.zip")
    assert automatic.due(time.now)


def test_one_that_seems_to_come_from_the_future_does_not_stop_them(time: SetClock) -> None:
    kept(time.now + timedelta(days=400), "auto")
    assert automatic.due(time.now)
    kept(time.now - HOUR, "auto")
    assert automatic.next_at(time.now) == time.now + 23 * HOUR


def test_the_manifest_says_when_not_the_name(time: SetClock) -> None:
    kept(time.now - HOUR, name="backup-20200101-000000-auto.zip")
    assert automatic.last_auto() == time.now - HOUR


def test_none_is_due_where_they_are_switched_off(time: SetClock) -> None:
    configure(backup_enabled="0")
    assert (automatic.next_at(time.now), automatic.due(time.now)) == (None, False)


# After its file was deleted or pruned: docs/api.md#list-of-backups


def test_deleting_its_file_brings_no_other_before_the_interval_is_over(time: SetClock) -> None:
    """A backup is due every `interval_hours` after `last_auto`, when the last automatic one was created."""
    tasks.create_automatic()
    made = time.now
    for archive in catalog.archives():
        catalog.delete(archive.path)
    time.pass_by(minutes=1)
    assert (automatic.last_auto(), automatic.last()) == (made, made)
    assert automatic.next_at(time.now) == made + 24 * HOUR
    tasks.queue_due_backup()
    assert waiting() == []


def test_a_manual_backup_that_prunes_it_is_not_pruned_by_another(root: User, time: SetClock) -> None:
    """With `backup_keep` 1 the newest backup and its note stay for the whole interval."""
    configure(backup_keep=1)
    tasks.create_automatic()
    made = time.now
    time.pass_by(hours=1)
    creation.create("manual", note="before the change")
    time.pass_by(minutes=1)
    tasks.queue_due_backup()
    tasks.create_automatic()
    assert [(item.trigger, item.note) for item in catalog.items()] == [("manual", "before the change")]
    api = ApiClient.signed_in(root)
    assert api.get("/api/backups").json()["last_auto"] == clock.local_text(made)
    assert api.get("/api/status").json()["backup"]["next"] == clock.local_text(made + 24 * HOUR)


def test_what_an_earlier_release_made_is_the_start(time: SetClock) -> None:
    made = time.now - HOUR
    path = kept(made, "auto")
    tasks.queue_due_backup()
    path.unlink()
    assert (automatic.last_auto(), automatic.due(time.now)) == (made, False)


def test_one_whose_maker_died_before_it_was_remembered_counts(time: SetClock) -> None:
    automatic.remember(time.now - 30 * HOUR)
    kept(time.now - HOUR, "auto")
    assert automatic.next_at(time.now) == time.now + 23 * HOUR


def test_one_remembered_from_the_future_is_not_waited_for(time: SetClock) -> None:
    automatic.remember(time.now + timedelta(days=400))
    assert (automatic.last_auto(), automatic.due(time.now)) == (None, True)
    tasks.create_automatic()
    assert automatic.next_at(time.now + HOUR) == time.now + 24 * HOUR


def test_a_failed_one_is_not_remembered(time: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", full)
    tasks.create_automatic()
    assert automatic.last_auto() is None


# By whom


def test_the_tick_leaves_one_that_is_due_to_a_worker_once(time: SetClock) -> None:
    # The queue uses the real time.
    time.now = timezone.now() + timedelta(minutes=1)
    tasks.queue_due_backup()
    tasks.queue_due_backup()
    assert waiting() == ["backups.tasks.create_automatic"]


def test_the_tick_leaves_nothing_where_none_is_due(time: SetClock) -> None:
    kept(time.now, "auto")
    tasks.queue_due_backup()
    assert waiting() == []


def test_the_tick_of_all_looks_at_backups_too_and_says_that_workers_live(time: SetClock) -> None:
    tick_of_all()
    assert (waiting(), workers_are_alive()) == (["backups.tasks.create_automatic", NOTIFY], True)


def test_where_collecting_fails_backups_are_due_all_the_same(time: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(scheduler, "queue_due_runs", fail)
    with pytest.raises(RuntimeError):
        tick_of_all()
    assert waiting() == ["backups.tasks.create_automatic", NOTIFY]


def test_the_worker_makes_it_and_audits_it(time: SetClock) -> None:
    tasks.create_automatic()
    (item,) = catalog.items()
    assert (item.trigger, item.valid) == ("auto", True)
    entry = Entry.objects.get()
    assert (entry.actor, entry.action, entry.user_id) == ("scheduler", "backup_create", None)
    assert entry.detail.startswith(item.name)


def test_delivered_twice_it_makes_one(time: SetClock) -> None:
    tasks.create_automatic()
    tasks.create_automatic()
    assert len(catalog.items()) == 1


def test_what_has_been_made_meanwhile_is_seen_under_the_exclusion(
    time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []

    def due(now: datetime) -> bool:
        with pytest.raises(Exception, match="under way"), maintenance_lock():
            pass
        held.append(now)
        return False

    monkeypatch.setattr(automatic, "due", due)
    tasks.create_automatic()
    assert (held, catalog.items()) == ([time.now], [])


@pytest.mark.thorough
def test_of_two_clusters_one_makes_it(instance: Instance) -> None:
    for process in [instance.start_python(MAKE) for _ in range(2)]:
        _, error = process.communicate(timeout=60)
        assert process.returncode == 0, error
    assert len(list((instance.home / "backups").glob("*.zip"))) == 1


def test_a_collection_under_way_holds_none_up(alice: User, time: SetClock) -> None:
    token = lease.take()
    assert token
    tasks.create_automatic()
    assert len(catalog.items()) == 1


# Failures


def test_one_that_fails_is_reported_and_tried_again_after_an_hour(
    time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed_at = time.now
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", full)
        tasks.create_automatic()
        tasks.create_automatic()
    assert [line.partition(":")[0] for line in audited()] == ["failed"]
    with translation.override("zh-hans"):
        (detail,) = audited()
    assert detail.isascii() is False
    time.pass_by(minutes=1)
    assert automatic.next_at(time.now) == failed_at.replace(microsecond=0) + HOUR
    tasks.queue_due_backup()
    assert waiting() == []
    time.now = failed_at + HOUR
    tasks.queue_due_backup()
    assert waiting() == ["backups.tasks.create_automatic"]
    tasks.create_automatic()
    assert len(catalog.items()) == 1


def test_while_another_backup_is_made_it_waits_and_says_nothing(time: SetClock) -> None:
    with maintenance_lock():
        tasks.create_automatic()
    assert (audited(), automatic.due(time.now)) == ([], True)
