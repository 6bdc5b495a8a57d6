"""Creating a backup through the API: docs/api.md#backups."""

import shutil
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from audit.models import Entry
from backups import catalog
from tests.backups.api_answers import audited, failed
from tests.backups.tiny_archives import configure, kept, on_shelf
from tests.factories import ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
AT = datetime(2026, 9, 1, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
NAME = "backup-20260901-120007-manual.zip"


def test_the_answer_names_the_new_backup(api: ApiClient, root: User, time: SetClock) -> None:
    answer = api.post("/api/backups", {"note": "before the move"})
    (item,) = catalog.items()
    assert answer.status_code == 200
    assert answer.json() == {"ok": True, "message": answer.json()["message"], **as_json(item), "pruned": []}
    assert (item.trigger, item.note) == ("manual", "before the move")
    assert item.name in answer.json()["message"]
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id, entry.ip) == ("backup_create", "root", root.pk, "127.0.0.1")
    assert item.name in entry.detail
    assert "before the move" in entry.detail


@pytest.mark.parametrize(
    ("body", "note"),
    [(None, ""), ({"note": None}, ""), ({"note": 7}, "7"), ([1], ""), ({"note": "x" * 300}, "x" * 200)],
)
def test_the_note_is_optional_and_cut(api: ApiClient, body: Any, note: str) -> None:
    assert api.post("/api/backups", body).json()["note"] == note


@pytest.mark.parametrize("sign", ["\x00", "\x07", "\x1b", "\x1f", "\x85"])
def test_a_note_with_a_control_character_is_refused(api: ApiClient, sign: str) -> None:
    answer = api.post("/api/backups", {"note": f"before{sign} the move"})
    assert failed(answer) == (400, "backup")
    assert "control characters" in answer.json()["message"]
    assert catalog.items() == []


def test_a_refused_note_costs_no_waiting(api: ApiClient) -> None:
    api.post("/api/backups", {"note": "\x00"})
    assert api.post("/api/backups", {"note": "two\r\nlines"}).json()["note"] == "two lines"


def test_what_went_for_it_is_listed(api: ApiClient, time: SetClock) -> None:
    configure(backup_keep="1")
    kept(AT)
    assert api.post("/api/backups").json()["pruned"] == [NAME]
    assert NAME in audited()[0][1]
    assert len(catalog.items()) == 1


@pytest.mark.file_counters
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
