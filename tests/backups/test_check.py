"""POST /api/backups/<filename>/check: an archive is opened as a restore would, and nothing is touched."""

import shutil
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from audit.models import Entry
from tests.backups.backup_files import made_store, pack_store
from tests.backups.tiny_archives import broken, kept, on_shelf
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
AT = datetime(2026, 9, 1, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
NAME = "backup-20260901-120007-manual.zip"
MISSING = "backup-20200101-000000-manual.zip"


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    """A backup that can be restored."""
    return pack_store(settings.DATA_FOLDER.backups / NAME, made_store(tmp_path / "store"), records=7)


def check(visitor: ApiClient, name: str = NAME) -> Any:
    return visitor.post(f"/api/backups/{name}/check")


def refused(answer: Any) -> tuple[int, str]:
    assert set(answer.json()) == {"ok", "error", "message"}
    return answer.status_code, answer.json()["error"]


def test_it_says_that_a_sound_one_can_be_restored(api: ApiClient, sound: Path) -> None:
    answer = check(api)
    expected = {"ok": True, "message": f"{NAME} can be restored: 1 account, 7 records."}
    assert (answer.status_code, answer.json()) == (200, expected)


@pytest.mark.thorough
def test_it_touches_nothing_and_writes_nothing_down(api: ApiClient, sound: Path) -> None:
    before, content = on_shelf(), sound.read_bytes()
    check(api)
    assert (on_shelf(), sound.read_bytes()) == (before, content)
    assert list(settings.DATA_FOLDER.home.glob(".restore-*")) == []
    assert not Entry.objects.exists()


def test_it_says_what_is_wrong_with_one_that_cannot_be_read(api: ApiClient) -> None:
    broken(NAME)
    answer = check(api)
    assert refused(answer) == (400, "backup")
    assert answer.json()["message"].startswith(f"{NAME} cannot be restored: It is not a ZIP file")


def test_it_finds_a_damage_that_the_list_does_not(api: ApiClient, tmp_path: Path) -> None:
    store = made_store(tmp_path / "store")
    pack_store(settings.DATA_FOLDER.backups / NAME, store, members={"store.sqlite3": {"bytes": 1, "sha256": "0" * 64}})
    assert api.get("/api/backups").json()["items"][0]["valid"]
    assert refused(check(api)) == (400, "backup")


def test_a_disk_without_room_is_400(api: ApiClient, sound: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
    assert refused(check(api)) == (400, "backup")


def test_a_bad_name_is_400_and_a_missing_one_404_also_while_another_is_made(api: ApiClient) -> None:
    with maintenance_lock():
        assert refused(check(api, "..%2Farchive.sqlite3")) == (400, "backup")
        assert refused(check(api, f"x/{NAME}")) == (400, "backup")
        assert refused(check(api, MISSING)) == (404, "not_found")


def test_it_waits_for_no_backup_that_is_made(api: ApiClient) -> None:
    kept(AT)
    with maintenance_lock():
        assert refused(check(api)) == (409, "busy")


def test_only_administrators_may_and_only_with_the_token(alice: User, anonymous: ApiClient, api: ApiClient) -> None:
    kept(AT)
    assert refused(check(ApiClient.signed_in(alice))) == (403, "forbidden")
    assert refused(check(anonymous)) == (401, "unauthorized")
    assert refused(api.client.post(f"/api/backups/{NAME}/check")) == (400, "bad_request")
    answer = api.get(f"/api/backups/{NAME}/check")
    assert (refused(answer), answer.headers["Allow"]) == ((405, "method_not_allowed"), "POST")
