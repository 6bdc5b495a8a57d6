"""Downloading a backup through the API: docs/api.md#backups."""

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from audit.models import Entry
from tests.backups.api_answers import audited, failed
from tests.backups.tiny_archives import broken, kept
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
AT = datetime(2026, 9, 1, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
NAME = "backup-20260901-120007-manual.zip"


def test_the_file_comes_as_an_attachment_and_is_audited(api: ApiClient, root: User) -> None:
    path = kept(AT)
    answer = api.get(f"/api/backups/{NAME}")
    assert answer.status_code == 200
    assert answer.streaming
    assert b"".join(answer.streaming_content) == path.read_bytes()
    assert {name: answer.headers[name] for name in ("Content-Type", "Content-Disposition", "Content-Length")} == {
        "Content-Type": "application/zip",
        "Content-Disposition": f'attachment; filename="{NAME}"',
        "Content-Length": str(path.stat().st_size),
    }
    assert answer.headers["Cache-Control"] == "no-store"
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id) == ("backup_download", "root", root.pk)
    assert entry.detail.startswith(NAME)


def test_a_head_gives_its_length_and_is_no_download(api: ApiClient) -> None:
    path = kept(AT)
    answer: Any = api.client.head(f"/api/backups/{NAME}")
    assert (answer.status_code, answer.headers["Content-Length"]) == (200, str(path.stat().st_size))
    assert b"".join(answer.streaming_content) == b""
    assert audited() == []


def test_a_damaged_one_can_be_downloaded_too(api: ApiClient) -> None:
    broken(NAME)
    assert b"".join(api.get(f"/api/backups/{NAME}").streaming_content) == b"no archive"


def test_one_that_the_disk_does_not_give_is_400(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *arguments: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    kept(AT)
    monkeypatch.setattr(Path, "open", refuse)
    answer = api.get(f"/api/backups/{NAME}")
    assert (failed(answer), answer.json()["message"]) == (
        (400, "backup"), f"{NAME} cannot be read: Permission denied."
    )  # fmt: skip
    assert audited() == []


def test_a_link_is_not_followed(api: ApiClient) -> None:
    (settings.DATA_FOLDER.backups / NAME).symlink_to(settings.DATA_FOLDER.instance_key)
    assert failed(api.get(f"/api/backups/{NAME}")) == (404, "not_found")
    assert audited() == []


def test_the_hash_is_that_of_what_is_downloaded(api: ApiClient) -> None:
    name = api.post("/api/backups").json()["name"]
    content = b"".join(api.get(f"/api/backups/{name}").streaming_content)
    (item,) = api.get("/api/backups").json()["items"]
    assert item["sha256"] == hashlib.sha256(content).hexdigest()
