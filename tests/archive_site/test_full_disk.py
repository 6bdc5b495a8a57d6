"""A full disk: 507, `/readyz` says so, and nothing is half done (docs/api.md#errors)."""

import errno
import shutil
import sqlite3
from collections import namedtuple
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from accounts.models import Setting, User
from archive_site.lib.storage import disk_reserve, disk_space
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests import process_stores
from tests.archive_site.api_answers import refusal
from tests.archive_site.commands import manage, signed_in, up, wait_until
from tests.archive_site.locked_store import full_disk
from tests.collection.collector_run import set_up
from tests.collection.import_endpoint import send
from tests.factories import ApiClient
from tests.process_stores import sql
from tests.usage.import_files import HEADER
from usage.models import Record

pytestmark = pytest.mark.usefixtures("fresh_lines")
Usage = namedtuple("Usage", ["total", "used", "free"])
FULL = (507, "no_space")
COOKIE = "session=" + "x" * 7000
LARGE = HEADER.encode() + b"x" * 5_000_000
MANY = HEADER + "".join(f"r{n},1.5,{'why? ' * 200},glm,ide,2026-09-07 12:30:00\r\n" for n in range(200))


@pytest.fixture
def api(transactional_db: None, alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


def test_the_reserve_is_given_up_on_a_full_disk_and_written_again(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserve, free = settings.DATA_FOLDER.reserve, [10**9]
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(10**9, 0, free[0]))
    disk_reserve.give_up()
    disk_reserve.keep()
    assert (reserve.stat().st_size, reserve.stat().st_mode & 0o777) == (1024 * 1024, 0o600)
    free[0] = 2 * 1024 * 1024
    disk_reserve.give_up()
    assert reserve.exists()
    free[0] = 1000
    disk_reserve.give_up()
    assert not reserve.exists()
    free[0] = 2 * 1024 * 1024
    disk_reserve.keep()
    assert not reserve.exists()


def test_a_reserve_that_finds_no_room_leaves_nothing(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, data: bytes) -> int:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device")

    settings.DATA_FOLDER.reserve.unlink(missing_ok=True)
    monkeypatch.setattr(Path, "write_bytes", full)
    disk_reserve.keep()
    assert not settings.DATA_FOLDER.reserve.exists()


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE])
def test_a_write_that_the_system_refuses_is_a_full_disk(code: int) -> None:
    cause = sqlite3.OperationalError("disk I/O error")
    cause.sqlite_errorcode = code
    assert disk_space.is_full(cause)
    assert all(disk_space.is_full(OSError(number, "")) for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
    cause.sqlite_errorcode = sqlite3.SQLITE_IOERR_READ
    assert not disk_space.is_full(cause)


@pytest.mark.sqlite_only
def test_a_write_is_507_and_changes_nothing(api: ApiClient, alice: User) -> None:
    with full_disk():
        assert refusal(api.post("/api/settings", {"cookie": COOKIE})) == FULL
    assert not Setting.objects.filter(user_id=alice.pk).exists()
    assert api.post("/api/settings", {"cookie": COOKIE}).status_code == 200


@pytest.mark.sqlite_only
def test_an_import_is_507_and_imports_nothing(api: ApiClient) -> None:
    with full_disk():
        assert refusal(send(api, MANY.encode())) == FULL
    assert not Record.objects.exists()
    assert send(api, MANY.encode()).json()["result"]["new"] == 200


@pytest.mark.sqlite_only
def test_a_collection_is_507_and_the_next_one_completes_it(api: ApiClient, alice: User, simulator: Simulator) -> None:
    set_up(alice, simulator)
    with full_disk():
        assert refusal(api.post("/api/collect")) == FULL
    assert api.post("/api/collect").status_code == 200
    assert Record.objects.count() == len(simulator.rows(0))


@pytest.mark.sqlite_only
def test_a_page_says_it_in_words(api: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*asked: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("audit.pages.render", full)
    response = api.get("/audit")
    assert response.status_code == 507
    assert "The disk of the server is full. Ask its administrator to make room" in response.content.decode()


def fill(path: Path) -> None:
    """Write to the file until its disk is full; the instance writes meanwhile, too."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_a_disk_that_fills_up_under_a_running_instance(made_home: Path, small_disk: Path) -> None:
    home = process_stores.copy(made_home, small_disk / "home")
    assert manage("config", "set", "captcha_policy", "off", home=home).returncode == 0
    with up(home) as running:
        session, filling = signed_in(running, "root"), small_disk / "filling"
        wait_until(lambda: session.get(f"{running.url}/readyz").json()["ready"])
        fill(filling)
        answers = [
            session.post(f"{running.url}/api/import", files={"file": ("calls.csv", LARGE)}),
            session.post(f"{running.url}/api/settings", json={"cookie": COOKIE}),
            session.post(f"{running.url}/api/backups", json={}),
            session.get(f"{running.url}/readyz"),
        ]
        assert [(answer.status_code, answer.json().get("error")) for answer in answers] == [
            FULL,
            FULL,
            (400, "backup"),
            (503, None),
        ]
        # Where not even a line of the log finds room, it says that, too.
        assert set(answers[-1].json()["missing"]) - {"log"} == {"disk"}
        filling.unlink()
        assert session.post(f"{running.url}/api/settings", json={"cookie": COOKIE}).status_code == 200
        assert session.get(f"{running.url}/readyz").json()["ready"]
    assert process_stores.is_sound(home)


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_an_administrator_signs_in_on_a_full_disk_and_makes_room_by_deleting_a_backup(
    made_home: Path, small_disk: Path
) -> None:
    home = process_stores.copy(made_home, small_disk / "home")
    assert manage("config", "set", "captcha_policy", "off", home=home).returncode == 0
    with up(home) as running:
        before = signed_in(running, "root")
        name = before.post(f"{running.url}/api/backups", json={}).json()["name"]
        with (home / "backups" / name).open("ab") as backup:
            backup.write(bytes(2_000_000))
        fill(small_disk / "filling")
        session = signed_in(running, "root")
        for path in ("/api/backups", "/api/records", "/api/summary", "/api/status", "/backups"):
            assert session.get(f"{running.url}{path}").status_code == 200, path
        assert session.post(f"{running.url}/api/settings", json={"cookie": COOKIE}).status_code == 507
        deleted = session.post(f"{running.url}/api/backups/{name}/delete", json={})
        assert (deleted.status_code, deleted.json()["ok"]) == (200, True)
        assert sql(home, "SELECT search_text FROM audit_entry WHERE action = 'backup_delete'") == [(name,)]
        assert session.post(f"{running.url}/api/settings", json={"cookie": COOKIE}).status_code == 200


@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_a_command_that_fails_on_a_full_disk_leaves_nothing(small_disk: Path) -> None:
    home = small_disk / "home"
    home.mkdir()
    fill(small_disk / "filling")
    assert manage("list_users", home=home).returncode == 1
    assert [path for path in home.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(("free", "missing"), [(100_000, ["disk"]), (1000, ["disk", "log"])])
def test_a_disk_without_room_is_missing_and_so_is_the_log_that_finds_none(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, free: int, missing: list[str]
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(10**9, 10**9, free))
    response = api.get("/readyz")
    assert (response.status_code, response.json()) == (503, {"ready": False, "missing": missing})
