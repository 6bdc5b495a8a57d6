"""Reads while the disk is full, also those that the audit log notes (docs/decisions/store.md#a-full-disk)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from audit.models import Entry
from tests import test_roles
from tests.archive_site.locked_store import nothing_fits
from tests.backups.tiny_archives import broken
from tests.test_roles import ROUTES, path_of, visitor

pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db(transaction=True)]
ids = test_roles.ids


@pytest.fixture
def backup() -> Iterator[Path]:
    path = broken()
    yield path
    path.unlink()


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("role", ["user", "admin"])
def test_every_page_and_every_read_works(role: str, ids: dict[str, Any]) -> None:
    client = visitor(role)
    with nothing_fits():
        answers = {route: client.get(path_of(route, ids)) for route in ROUTES}
    assert [route for route, answer in answers.items() if answer.status_code >= 500] == []


@pytest.mark.parametrize(
    ("path", "action", "detail"),
    [
        ("/records/export", "export", "the first day to the last, newest first"),
        ("/records/export?format=parquet", "export", "the first day to the last, newest first"),
        ("/api/account/export", "export", "the whole account"),
        ("/api/backups/{backup}", "backup_download", "{backup} ("),
    ],
)
def test_a_file_is_whole_and_the_log_has_its_entry(
    path: str, action: str, detail: str, backup: Path, ids: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    client, path = visitor("admin"), path.format(backup=backup.name)
    expected = b"".join(client.get(path).streaming_content)
    Entry.objects.all().delete()
    with nothing_fits():
        answer = client.get(path)
        assert answer.status_code == 200
        assert len(b"".join(answer.streaming_content)) == len(expected)
    assert not Entry.objects.exists()
    (line,) = (line.getMessage() for line in caplog.records if "audit lacks" in line.getMessage())
    assert f"the disk is full, and the audit lacks {action} by account " in line
    assert detail.format(backup=backup.name) in line
