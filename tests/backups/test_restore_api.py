"""Restoring a backup through the API: docs/api.md#backups."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Session, User
from archive_site.lib.http.api_error import ApiError
from backups import backup_zip
from backups.restore import restore_backup
from backups.restore.restore_backup import Restored
from tests.backups.api_answers import failed
from tests.backups.tiny_archives import kept
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
AT = datetime(2026, 9, 1, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
NAME = "backup-20260901-120007-manual.zip"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The requested restores; none is executed."""
    calls: list[dict[str, Any]] = []

    def restore(path: Path, **options: Any) -> Restored:
        calls.append({"path": path, **options})
        return Restored(backup_zip.read_manifest(path), "backup-x-pre_restore.zip", "It is restored.")

    monkeypatch.setattr(restore_backup, "restore", restore)
    return calls


def test_a_restore_is_asked_for_and_ends_the_session(api: ApiClient, root: User, asked: list[Any]) -> None:
    path = kept(AT)
    answer = api.post(f"/api/backups/{NAME}/restore")
    assert answer.status_code == 200
    assert answer.json() == {
        "ok": True, "message": "It is restored.", "restored": NAME, "pre_restore": "backup-x-pre_restore.zip"
    }  # fmt: skip
    assert asked == [{"path": path, "include_instance": True, "actor": "root", "user_id": root.pk, "ip": "127.0.0.1"}]
    assert not Session.objects.exists()
    assert api.client.cookies[settings.SESSION_COOKIE_NAME].value == ""
    assert failed(api.get("/api/status")) == (401, "unauthorized")


@pytest.mark.parametrize("value", ["0", 0, False, "false", "off", "NO", " no "])
def test_the_key_stays_where_that_is_said(api: ApiClient, asked: list[Any], value: Any) -> None:
    kept(AT)
    api.post(f"/api/backups/{NAME}/restore", {"include_instance": value})
    assert asked[0]["include_instance"] is False


@pytest.mark.parametrize("body", [{}, {"include_instance": None}, {"include_instance": "1"}, {"include_instance": "x"}])
def test_anything_else_restores_the_key_too(api: ApiClient, asked: list[Any], body: Any) -> None:
    kept(AT)
    api.post(f"/api/backups/{NAME}/restore", body)
    assert asked[0]["include_instance"] is True


@pytest.mark.parametrize(("status", "code"), [(400, "backup"), (409, "busy")])
def test_one_that_fails_ends_no_session(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, status: int, code: str
) -> None:
    def fail(path: Path, **options: Any) -> Restored:
        raise ApiError(status, code, "It cannot be restored.")

    kept(AT)
    monkeypatch.setattr(restore_backup, "restore", fail)
    assert failed(api.post(f"/api/backups/{NAME}/restore")) == (status, code)
    assert api.get("/api/status").status_code == 200
