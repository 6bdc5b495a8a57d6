"""The newest backup that is there, as /metrics gives it (docs/metrics.md)."""

from datetime import timedelta

import pytest

from archive_site.metrics import storage
from backups import automatic
from backups.file_names import parse
from tests.backups.tiny_archives import broken, kept
from tests.standing_clock import SetClock
from usage.models import NodeFile

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
HOUR = timedelta(hours=1)


def given() -> float | None:
    [family] = storage.backups()
    return family.samples[0].value if family.samples else None


def test_without_a_backup_there_is_no_time(time: SetClock) -> None:
    assert given() is None
    broken()
    assert given() is None


def test_it_is_the_time_of_the_newest_whole_file(time: SetClock) -> None:
    kept(time.now - 3 * HOUR, "auto")
    kept(time.now - 2 * HOUR)
    broken("backup-20990101-000000-auto.zip")
    kept(time.now + HOUR)
    assert given() == (time.now - 2 * HOUR).timestamp()


def test_a_backup_whose_file_is_gone_does_not_count(time: SetClock) -> None:
    automatic.remember(time.now)
    assert automatic.last() == time.now
    assert given() is None


@pytest.mark.postgres_only
def test_a_backup_of_another_node_counts(time: SetClock) -> None:
    kept(time.now - 3 * HOUR)
    name = "backup-20260901-080000-auto.zip"
    named = parse(name)
    assert named
    time.now = named.at + HOUR
    NodeFile.objects.create(node="web-2", kind="backup", archive_id=0, name=name, size=1, written_at=time.now)
    assert given() == named.at.timestamp()
