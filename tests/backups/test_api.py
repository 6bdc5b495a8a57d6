"""The endpoints of backups: docs/api.md#backups."""

import hashlib
import shutil
import time as real_time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core.cache.backends import base
from pytest_django import DjangoAssertNumQueries

from accounts.models import Session, User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import counter_cache
from audit.models import Entry
from backups import catalog
from backups.file_names import maintenance_lock
from backups.restore import backup_reader, restore_backup
from backups.restore.restore_backup import Restored
from tests.backups.tiny_archives import broken, configure, kept, on_shelf
from tests.collection.collector_run import SetClock
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
AT = datetime(2026, 9, 1, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
NAME = "backup-20260901-120007-manual.zip"
MISSING = "backup-20200101-000000-manual.zip"
# A name with a slash, a path to another folder, and words that are routes.
BAD_NAMES = ["x.zip", "..%2Farchive.sqlite3", f"x/{NAME}", f"..%2F{NAME}", f"{NAME}.sha256", f"{NAME}%00", "delete"]


@pytest.fixture(autouse=True)
def counted(time: SetClock, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counters expire by the clock of the test."""
    of_test = SimpleNamespace(time=lambda: time.now.timestamp(), monotonic=real_time.monotonic, sleep=real_time.sleep)
    for module in (counter_cache, base):
        monkeypatch.setattr(module, "time", of_test)


@pytest.fixture
def api(root: User) -> ApiClient:
    return ApiClient.signed_in(root)


def failed(answer: Any) -> tuple[int, str]:
    assert set(answer.json()) == {"ok", "error", "message"}
    assert answer.json()["ok"] is False
    return answer.status_code, answer.json()["error"]


def audited() -> list[tuple[str, str]]:
    return [(entry.action, entry.detail) for entry in Entry.objects.order_by("pk")]


# Roles


@pytest.mark.parametrize("path", ["", f"/{NAME}", "/x.zip", "/prune", f"/{NAME}/restore", f"/{NAME}/delete"])
def test_only_administrators_learn_anything(path: str, alice: User, root: User, anonymous: ApiClient) -> None:
    kept(AT)
    user = ApiClient.signed_in(alice)
    for ask in ("get", "post"):
        assert failed(getattr(user, ask)(f"/api/backups{path}")) == (403, "forbidden")
        assert failed(getattr(anonymous, ask)(f"/api/backups{path}")) == (401, "unauthorized")
    assert on_shelf() == [NAME]


@pytest.mark.parametrize("path", ["", "/prune", f"/{NAME}/restore", f"/{NAME}/delete"])
def test_a_post_needs_the_token(path: str, api: ApiClient) -> None:
    kept(AT)
    assert failed(api.client.post(f"/api/backups{path}")) == (400, "bad_request")
    assert on_shelf() == [NAME]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("post", f"/{NAME}", "GET, HEAD"), ("post", "/x", "GET, HEAD"), ("get", "/prune", "POST"),
        ("get", f"/{NAME}/restore", "POST"), ("get", f"/{NAME}/delete", "POST"), ("get", "/x/delete", "POST"),
    ],
)  # fmt: skip
def test_other_methods_are_405(api: ApiClient, method: str, path: str, allowed: str) -> None:
    kept(AT)
    answer = getattr(api, method)(f"/api/backups{path}")
    assert (failed(answer), answer.headers["Allow"]) == ((405, "method_not_allowed"), allowed)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_is_400_everywhere(api: ApiClient, name: str) -> None:
    answers = [
        api.get(f"/api/backups/{name}"),
        api.post(f"/api/backups/{name}/restore"),
        api.post(f"/api/backups/{name}/delete"),
    ]
    assert [failed(answer) for answer in answers] == [(400, "backup")] * 3


def test_a_missing_one_is_404_everywhere_also_while_another_is_made(api: ApiClient) -> None:
    with maintenance_lock():
        answers = [
            api.get(f"/api/backups/{MISSING}"),
            api.post(f"/api/backups/{MISSING}/restore"),
            api.post(f"/api/backups/{MISSING}/delete"),
        ]
    assert [failed(answer) for answer in answers] == [(404, "not_found")] * 3


# Listing


def test_an_empty_list(api: ApiClient) -> None:
    answer = api.get("/api/backups")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json() == {
        "items": [],
        "dir": str(settings.DATA_FOLDER.backups),
        "total_human": "0 bytes",
        "enabled": True,
        "interval_hours": 24,
        "keep": 14,
        "last_auto": None,
    }


def test_the_list_tells_what_there_is_and_how_it_is_set(api: ApiClient, time: SetClock) -> None:
    configure(backup_enabled="0", backup_interval_hours="6", backup_keep="3")
    paths = [kept(AT), kept(AT + timedelta(hours=1), "auto"), broken("backup-20260801-000000-manual.zip", b"x" * 4000)]
    body = api.get("/api/backups").json()
    assert body["items"] == catalog.items()
    assert [item["valid"] for item in body["items"]] == [True, True, False]
    assert body["total_human"] == catalog.human(sum(path.stat().st_size for path in paths))
    assert (body["enabled"], body["interval_hours"], body["keep"]) == (False, 6, 3)
    assert body["last_auto"] == "2026-09-01 13:00:07"


def test_the_list_asks_the_store_no_more_for_more(
    api: ApiClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        kept(AT + timedelta(hours=number))
    # Session, account, settings, the last automatic one.
    with django_assert_num_queries(4):
        api.get("/api/backups")


# Creating


def test_it_tells_what_was_made(api: ApiClient, root: User, time: SetClock) -> None:
    answer = api.post("/api/backups", {"note": "before the move"})
    (item,) = catalog.items()
    assert answer.status_code == 200
    assert answer.json() == {"ok": True, "message": answer.json()["message"], **item, "pruned": []}
    assert (item["trigger"], item["note"]) == ("manual", "before the move")
    assert item["name"] in answer.json()["message"]
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id, entry.ip) == ("backup_create", "root", root.pk, "127.0.0.1")
    assert item["name"] in entry.detail
    assert "before the move" in entry.detail


@pytest.mark.parametrize(
    ("body", "note"),
    [(None, ""), ({"note": None}, ""), ({"note": 7}, "7"), ([1], ""), ({"note": "x" * 300}, "x" * 200)],
)
def test_the_note_is_optional_and_cut(api: ApiClient, body: Any, note: str) -> None:
    assert api.post("/api/backups", body).json()["note"] == note


def test_what_went_for_it_is_listed(api: ApiClient, time: SetClock) -> None:
    configure(backup_keep="1")
    kept(AT)
    assert api.post("/api/backups").json()["pruned"] == [NAME]
    assert NAME in audited()[0][1]
    assert len(catalog.items()) == 1


def test_half_a_minute_lies_between_two(api: ApiClient, time: SetClock) -> None:
    assert api.post("/api/backups").status_code == 200
    time.pass_by(seconds=10)
    answer = api.post("/api/backups")
    assert (failed(answer), answer.headers["Retry-After"]) == ((429, "too_frequent"), "20")
    assert "20 seconds" in answer.json()["message"]
    time.pass_by(seconds=20)
    assert api.post("/api/backups").status_code == 200
    assert len(catalog.items()) == 2


def test_that_holds_for_all_administrators_together(api: ApiClient, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(is_admin=True)
    assert api.post("/api/backups").status_code == 200
    assert failed(ApiClient.signed_in(bob).post("/api/backups")) == (429, "too_frequent")


def test_busy_takes_no_turn(api: ApiClient) -> None:
    with maintenance_lock():
        assert failed(api.post("/api/backups")) == (409, "busy")
    assert api.post("/api/backups").status_code == 200


def test_one_that_fails_is_400_and_takes_no_turn(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
        assert failed(api.post("/api/backups")) == (400, "backup")
    assert (audited(), on_shelf()) == ([], [])
    assert api.post("/api/backups").status_code == 200


def test_the_store_is_not_compacted_meanwhile(api: ApiClient) -> None:
    with maintenance_lock():
        assert failed(api.post("/api/maintenance/vacuum")) == (409, "busy")


# Downloading


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


def test_a_head_tells_its_length_and_is_no_download(api: ApiClient) -> None:
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


# Restoring


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The requested restores; none is executed."""
    calls: list[dict[str, Any]] = []

    def restore(path: Path, **options: Any) -> Restored:
        calls.append({"path": path, **options})
        return Restored(backup_reader.read_manifest(path), "backup-x-pre_restore.zip", "It is restored.")

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


# Deleting and pruning


def test_one_is_deleted_with_its_hash(api: ApiClient, root: User) -> None:
    kept(AT)
    kept(AT + timedelta(hours=1))
    api.get("/api/backups")
    answer = api.post(f"/api/backups/{NAME}/delete")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "message": f"{NAME} is deleted."})
    assert len(on_shelf()) == 2
    assert audited() == [("backup_delete", NAME)]
    assert failed(api.post(f"/api/backups/{NAME}/delete")) == (404, "not_found")


def test_a_damaged_one_can_be_deleted(api: ApiClient) -> None:
    broken(NAME)
    assert api.post(f"/api/backups/{NAME}/delete").status_code == 200
    assert on_shelf() == []


def test_nothing_is_deleted_while_a_backup_is_made_or_restored(api: ApiClient) -> None:
    kept(AT)
    with maintenance_lock():
        assert failed(api.post(f"/api/backups/{NAME}/delete")) == (409, "busy")
        assert failed(api.post("/api/backups/prune")) == (409, "busy")
    assert (on_shelf(), audited()) == ([NAME], [])


def test_pruning_tells_what_it_removed(api: ApiClient) -> None:
    configure(backup_keep="1")
    kept(AT)
    kept(AT + timedelta(hours=1))
    answer = api.post("/api/backups/prune")
    assert (answer.status_code, answer.json()) == (
        200, {"ok": True, "removed": [NAME], "message": f"Removed {NAME}."}
    )  # fmt: skip
    assert audited() == [("backup_prune", f"Removed {NAME}.")]


def test_pruning_where_there_is_nothing_to_prune(api: ApiClient) -> None:
    assert api.post("/api/backups/prune").json() == {"ok": True, "removed": [], "message": "Nothing to prune."}


def test_the_hash_is_that_of_what_is_downloaded(api: ApiClient) -> None:
    name = api.post("/api/backups").json()["name"]
    content = b"".join(api.get(f"/api/backups/{name}").streaming_content)
    (item,) = api.get("/api/backups").json()["items"]
    assert item["sha256"] == hashlib.sha256(content).hexdigest()
