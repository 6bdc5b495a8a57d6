"""The whole account as one file: written, and read on another instance (docs/api.md#export-of-the-account)."""

import errno
import hashlib
import io
import json
import sqlite3
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from accounts import config
from accounts.models import INSTANCE, User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from audit.models import Entry
from collection.api_types import ImportedFile, RunsInFile
from collection.models import Run
from collection.runs import runs
from collection.transfer import account_export, staged_runs
from collection.transfer.import_run import Importer, import_file, preview
from tests.archive_site.commands import is_one_line, manage_here
from tests.factories import ApiClient
from tests.usage.import_files import file_of
from tests.usage.record_factories import archive, call
from usage.importing.file_format import Options
from usage.importing.file_source import source_at
from usage.models import Prompt, Record
from usage.saved_views import stored_views

pytestmark = pytest.mark.django_db
COOKIE = "session=secret-of-alice"
Members = dict[str, bytes]
BESIDES = ("id", "archive_id", "run_id", "first_seen_at", "updated_at")


def written(user: User) -> bytes:
    return b"".join(account_export.pieces(user))


def members_of(content: bytes) -> Members:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: Members) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return file.getvalue()


def imported(user: User, tmp_path: Path, content: bytes) -> tuple[Run, ImportedFile]:
    source = file_of(tmp_path, content, "account.zip")
    return import_file(Importer(user, Run.Trigger.MANUAL, user.username), source, Options({}))


def refusal(user: User, tmp_path: Path, content: bytes) -> str:
    with pytest.raises(ApiError) as refused:
        imported(user, tmp_path, content)
    assert refused.value.error == "unreadable"
    assert not Record.objects.filter(archive_id=user.pk).exists()
    return refused.value.message


def past_run(user: User, **fields: Any) -> Run:
    at = datetime(2026, 9, 7, 10, tzinfo=UTC)
    values = {"trigger": "schedule", "status": "ok", "created_at": at, "started_at": at, "finished_at": at,
              "fetched": 3, "added": 2, "exit_code": 0, "stored_message": Message("run_taken_over").stored(),
              "stored_detail": "a line", **fields}  # fmt: skip
    return Run.objects.create(archive_id=user.pk, **values)


@pytest.fixture
def filled(alice: User) -> User:
    config.write({"cookie": COOKIE, "user_agent": "Secret/1.0"}, archive_id=alice.pk, may_edit_instance=False)
    archive(alice, call("r1", prompt="=why?", agent_purpose="a"), call("r2", prompt="wh", prompt_truncated=True))
    archive(alice, *[call(f"n{number}", credits=number / 1_000_000) for number in range(250)])
    past_run(alice)
    alice.language, alice.theme = "zh-hans", "dark"
    alice.save()
    return alice


def records_of(user: User) -> list[dict[str, Any]]:
    records = Record.objects.filter(archive_id=user.pk).order_by("request_id").values()
    return [{name: value for name, value in record.items() if name not in BESIDES} for record in records]


def prompts_of(user: User) -> list[tuple[str, str]]:
    return list(
        Prompt.objects.filter(record__archive_id=user.pk).values_list("record__request_id", "text").order_by("text")
    )


def test_another_account_gets_all_of_it(filled: User, bob: User, tmp_path: Path) -> None:
    run, found = imported(bob, tmp_path, written(filled))
    assert (found.new, found.format, found.runs) == (252, "account", RunsInFile(new=1, known=0, unreadable=0))
    assert records_of(bob) == records_of(filled)
    assert prompts_of(bob) == prompts_of(filled)
    taken = Run.objects.get(archive_id=bob.pk, trigger="imported")
    source = Run.objects.get(archive_id=filled.pk)
    for name in ("kind", "status", "created_at", "finished_at", "fetched", "added", "stored_message", "stored_detail"):
        assert getattr(taken, name) == getattr(source, name)
    bob.refresh_from_db()
    assert (bob.language, bob.theme) == ("zh-hans", "dark")
    assert "1 run added to the history" in run.message


def test_the_cookie_and_the_user_agent_are_not_in_it(filled: User, bob: User, tmp_path: Path) -> None:
    members = members_of(written(filled))
    assert sorted(members) == ["manifest.json", "records.jsonl", "runs.jsonl", "settings.json"]
    content = b"".join(members.values())
    assert b"secret-of-alice" not in content
    assert b"Secret/1.0" not in content
    imported(bob, tmp_path, written(filled))
    assert config.user_agent(bob.pk) == ""


def test_a_cookie_in_the_settings_of_a_file_is_not_taken(filled: User, bob: User, tmp_path: Path) -> None:
    members = members_of(written(filled))
    settings = json.loads(members["settings.json"])
    settings["settings"] |= {"cookie": "session=planted", "user_agent": "Planted/1.0", "allow_register": "1"}
    settings["profile"] |= {"is_admin": "1", "email": "planted@example.org"}
    _, found = imported(bob, tmp_path, packed(resealed(members, "settings.json", json.dumps(settings).encode())))
    bob.refresh_from_db()
    assert (config.user_agent(bob.pk), bob.is_admin, bob.email) == ("", False, None)
    assert not config.instance_settings().allow_register


def resealed(members: Members, name: str, content: bytes) -> Members:
    """The members with one of them changed, and the manifest that fits it."""
    manifest = json.loads(members["manifest.json"])
    manifest["members"][name]["sha256"] = hashlib.sha256(content).hexdigest()
    return {**members, name: content, "manifest.json": json.dumps(manifest).encode()}


def test_saved_views_are_taken_where_their_names_are_free(filled: User, bob: User, tmp_path: Path) -> None:
    stored_views.create(filled.pk, "Free calls", "free=1")
    stored_views.create(filled.pk, "Dear ones", "credits_above=5&order=credits_desc")
    stored_views.create(bob.pk, "Free calls", "free=0")
    imported(bob, tmp_path, written(filled))
    assert [(view.name, view.query) for view in stored_views.views_of(bob.pk)] == [
        ("Dear ones", "credits_above=5&order=credits_desc"), ("Free calls", "free=0"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "views", [7, {"name": "x"}, [None, 7, {}, {"name": ["x"], "query": "free=1"}, {"name": "x", "query": "user_id=1"}]]
)
def test_views_that_cannot_be_read_are_left_out(filled: User, bob: User, tmp_path: Path, views: object) -> None:
    members = members_of(written(filled))
    settings = json.dumps({**json.loads(members["settings.json"]), "views": views}).encode()
    run, _ = imported(bob, tmp_path, packed(resealed(members, "settings.json", settings)))
    assert (run.status, stored_views.views_of(bob.pk)) == ("ok", [])


def test_a_second_import_adds_nothing(filled: User, bob: User, tmp_path: Path) -> None:
    content = written(filled)
    imported(bob, tmp_path, content)
    _, found = imported(bob, tmp_path, content)
    assert (found.new, found.known, found.conflicting) == (0, 252, 0)
    assert found.runs == RunsInFile(new=0, known=1, unreadable=0)
    _, own = imported(filled, tmp_path, content)
    assert (own.known, own.runs) == (252, RunsInFile(new=0, known=1, unreadable=0))


def test_a_dry_run_shows_runs_and_settings_and_takes_none(filled: User, bob: User, tmp_path: Path) -> None:
    found = preview(bob, file_of(tmp_path, written(filled), "account.zip"), Options({}))
    assert found.runs == RunsInFile(new=1, known=0, unreadable=0)
    assert (found.settings or {})["page_size"] == "200"
    assert (found.profile or {})["theme"] == "dark"
    assert not Run.objects.filter(archive_id=bob.pk).exists()
    assert User.objects.get(pk=bob.pk).theme != "dark"


@pytest.mark.engine
def test_a_run_that_still_works_is_imported_as_interrupted(filled: User, bob: User, tmp_path: Path) -> None:
    for status, at in (("running", 11), ("queued", 12)):
        moment = datetime(2026, 9, 7, at, tzinfo=UTC)
        past_run(filled, status=status, created_at=moment, exit_code=None, finished_at=None, stored_message="")
    imported(bob, tmp_path, written(filled))
    assert set(Run.objects.filter(archive_id=bob.pk, trigger="imported").values_list("status", "exit_code")) == {
        ("ok", 0), ("interrupted", 6),
    }  # fmt: skip


def test_imported_runs_come_last_and_are_no_attempts(filled: User, bob: User, tmp_path: Path) -> None:
    run, _ = imported(bob, tmp_path, written(filled))
    assert [each.trigger for each in runs.newest(bob.pk, 50)] == ["manual", "imported"]
    assert runs.newest(bob.pk, 1) == [run]
    assert not runs.collections(bob.pk).exists()


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    "line",
    ["7", "{}", "broken", '{"kind": "import", "status": "ok", "created_at": "yesterday"}',
     '{"kind": "x", "status": "ok", "created_at": "2026-09-07T10:00:00+00:00"}',
     '{"kind": "import", "status": [], "created_at": "2026-09-07T10:00:00+00:00"}',
     '{"kind": "import", "status": "ok", "created_at": "2026-09-07T10:00:00"}'],
)  # fmt: skip
def test_a_run_that_cannot_be_read_is_counted(filled: User, bob: User, tmp_path: Path, line: str) -> None:
    content = packed(resealed(members_of(written(filled)), "runs.jsonl", line.encode()))
    _, found = imported(bob, tmp_path, content)
    assert found.runs == RunsInFile(new=0, known=0, unreadable=1)


def with_runs(user: User, *runs: dict[str, str]) -> bytes:
    """The file of an account with other runs."""
    lines = [json.dumps({"kind": "import", "status": "ok", "created_at": f"2026-09-0{day}T10:00:00Z", **run})
             for day, run in enumerate(runs, 1)]  # fmt: skip
    return packed(resealed(members_of(written(user)), "runs.jsonl", "\n".join(lines).encode()))


@pytest.mark.engine
def test_the_texts_of_imported_runs_take_no_more_than_the_account_may_store(
    filled: User, bob: User, tmp_path: Path
) -> None:
    config.write({"max_account_megabytes": "1"}, archive_id=INSTANCE, may_edit_instance=True)
    large = {"detail": "x" * 250_000}
    imported(bob, tmp_path, with_runs(filled, large, large))
    with pytest.raises(ApiError) as full:
        imported(bob, tmp_path, with_runs(filled, large, large, large, large, large))
    assert full.value.error == "account_full"
    assert "history" in full.value.message
    assert Run.objects.filter(archive_id=bob.pk, trigger="imported").count() == 2
    # What is there already takes no room again.
    assert imported(bob, tmp_path, with_runs(filled, large))[1].runs == RunsInFile(new=0, known=1, unreadable=0)


def test_a_text_with_more_parts_than_the_service_writes_is_left_out(filled: User, bob: User, tmp_path: Path) -> None:
    many = json.dumps({"code": "conflict", "request": "x", "differences": [[]] * 20_000})
    imported(bob, tmp_path, with_runs(filled, {"detail": many, "message": "broken off"}))
    run = Run.objects.get(archive_id=bob.pk, trigger="imported")
    assert (run.stored_detail, run.stored_message) == ("", "broken off")


def test_more_runs_than_a_file_may_hold_are_refused_before_anything_is_stored(
    filled: User, bob: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_runs, "MOST_RUNS", 1)
    lines = b"{}\n" * 2
    content = packed(resealed(members_of(written(filled)), "runs.jsonl", lines))
    assert refusal(bob, tmp_path, content) == "runs.jsonl holds more than 1 runs."
    assert not Run.objects.filter(archive_id=bob.pk).exists()


def test_more_views_than_an_account_may_have_are_refused(filled: User, bob: User, tmp_path: Path) -> None:
    members = members_of(written(filled))
    views = [{"name": f"{number}", "query": "free=1"} for number in range(stored_views.MOST_VIEWS + 1)]
    settings = json.dumps({**json.loads(members["settings.json"]), "views": views}).encode()
    content = packed(resealed(members, "settings.json", settings))
    assert refusal(bob, tmp_path, content) == "settings.json holds more than 50 views."


@pytest.mark.thorough
def test_runs_of_a_file_take_little_memory(bob: User, tmp_path: Path) -> None:
    """20,000 runs are 20 MB as rows of the ORM."""
    lines = tmp_path / "runs.jsonl"
    with lines.open("w") as file:
        for number in range(20_000):
            at = datetime.fromtimestamp(1_700_000_000 + number, UTC).isoformat()
            file.write(json.dumps({"kind": "import", "status": "ok", "created_at": at, "detail": "x" * 500}) + "\n")
    with closing(sqlite3.connect(tmp_path / "staged")) as store:
        staged = staged_runs.StagedRuns(store, bob.pk)
        tracemalloc.start()
        staged.read(source_at(lines))
        assert sum(1 for _ in staged.new()) == staged.compare() == 20_000
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert most < 5 * 1024**2


def test_a_run_that_comes_twice_in_a_file_is_one(filled: User, bob: User, tmp_path: Path) -> None:
    members = members_of(written(filled))
    content = packed(resealed(members, "runs.jsonl", members["runs.jsonl"] * 2))
    _, found = imported(bob, tmp_path, content)
    assert found.runs == RunsInFile(new=1, known=1, unreadable=0)


def test_odd_values_of_a_run_are_left_out(filled: User, bob: User, tmp_path: Path) -> None:
    run = {"kind": "collection", "status": "ok", "created_at": "2026-09-07T10:00:00+00:00", "fetched": -1,
           "added": 10**40, "duration_ms": 10**400, "message": "x" * 10**6, "detail": {"a": 1},
           "started_at": "9999"}  # fmt: skip
    content = packed(resealed(members_of(written(filled)), "runs.jsonl", json.dumps(run).encode()))
    imported(bob, tmp_path, content)
    taken = Run.objects.get(archive_id=bob.pk, trigger="imported")
    assert (taken.fetched, taken.added, taken.duration_ms, taken.stored_detail) == (0, 0, None, "")
    assert len(taken.stored_message) == 8 * 1024


def test_an_account_without_records_is_a_file_too(alice: User, bob: User, tmp_path: Path) -> None:
    run, found = imported(bob, tmp_path, written(alice))
    assert (run.status, found.new) == ("ok", 0)


Change = Callable[[Members], bytes]


def encrypted(members: Members) -> bytes:
    content = bytearray(packed(members))
    for place in (content.find(b"PK\x03\x04") + 6, content.find(b"PK\x01\x02") + 8):
        content[place] |= 1
    return bytes(content)


def zoned(members: Members, zone: str) -> bytes:
    """A manifest with another zone, as JSON writes it."""
    manifest = json.loads(members["manifest.json"])
    return json.dumps(manifest).replace(json.dumps(manifest["zone"]), f'"{zone}"').encode()


def bomb(members: Members) -> bytes:
    return packed(resealed(members, "records.jsonl", b"\n" * (80 * 1024**2)))


def directory_moved(by: int) -> Change:
    """The end of the file names another place of the directory."""

    def change(members: Members) -> bytes:
        content = packed(members)
        (offset,) = struct.unpack("<L", content[-6:-2])
        return content[:-6] + struct.pack("<L", offset + by) + content[-2:]

    return change


@pytest.mark.thorough_after(7)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (directory_moved(1), "not a ZIP file, or it is damaged"),
        (directory_moved(10**6), "not a ZIP file, or it is damaged"),
        (lambda members: packed({**members, "records.jsonl": b"{}"}), "records.jsonl is damaged"),
        (lambda members: packed({**members, "../evil": b""}), "did not write the ZIP file"),
        (lambda members: packed({"records.jsonl": b"{}"}), "did not write the ZIP file"),
        (lambda members: packed({**members, "manifest.json": b"[]"}), "manifest.json is not a JSON object"),
        (lambda members: packed({**members, "manifest.json": b"[" * 9000}), "manifest.json is not a JSON object"),
        (lambda members: packed({**members, "manifest.json": b" " * 70_000}), "manifest.json is too large"),
        (lambda members: packed({**members, "manifest.json": b"{}"}), "did not write the ZIP file"),
        (lambda members: packed({**members, "manifest.json": zoned(members, "\\ud800")}), "not a known time zone"),
        (lambda members: packed(members)[:-30], "not a ZIP file, or it is damaged"),
        (lambda members: packed(members) + b"more", "not a ZIP file, or it is damaged"),
        (lambda members: b"PK\x03\x04" + bytes(100), "not a ZIP file, or it is damaged"),
        (encrypted, "is encrypted"),
        (bomb, "holds more than can be right for its size"),
        (lambda members: packed({f"{number}": b"" for number in range(20)}), "did not write the ZIP file"),
    ],
)
def test_a_hostile_file_is_refused_in_words(
    filled: User, bob: User, tmp_path: Path, change: Change, words: str
) -> None:
    assert words in refusal(bob, tmp_path, change(members_of(written(filled))))


def test_the_account_is_downloaded(filled: User, api_of: Callable[[User], ApiClient]) -> None:
    answer = api_of(filled).get("/api/account/export")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/zip")
    assert answer.headers["Content-Disposition"].startswith('attachment; filename="usage-alice-')
    assert len(members_of(b"".join(answer.streaming_content))["records.jsonl"].splitlines()) == 252
    assert [entry.action for entry in Entry.objects.all()] == ["export"]


def test_head_takes_no_place(filled: User, api_of: Callable[[User], ApiClient]) -> None:
    assert api_of(filled).client.head("/api/account/export").headers["Content-Type"] == "application/zip"
    assert not Entry.objects.exists()


def test_a_third_download_at_once_is_refused(filled: User, api_of: Callable[[User], ApiClient]) -> None:
    visitor = api_of(filled)
    open_ones = [visitor.get("/api/account/export") for _ in range(2)]
    assert visitor.get("/api/account/export").status_code == 429
    for answer in open_ones:
        b"".join(answer.streaming_content)
    assert visitor.get("/api/account/export").status_code == 200


def test_it_is_written_where_files_have_no_links(filled: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr("os.link", refuse)
    path = tmp_path / "account.zip"
    assert manage_here("export", "alice", str(path)).returncode == 0
    assert (path.stat().st_size > 1000, path.stat().st_mode & 0o777) == (True, 0o600)
    assert is_one_line(manage_here("export", "alice", str(path)), "exists already")
    assert [each.name for each in tmp_path.iterdir()] == ["account.zip"]


def test_the_commands_write_and_read_it(filled: User, bob: User, tmp_path: Path) -> None:
    path = tmp_path / "account.zip"
    done = manage_here("export", "alice", str(path))
    assert (done.returncode, done.stderr) == (0, "")
    assert path.stat().st_mode & 0o777 == 0o600
    assert is_one_line(manage_here("export", "alice", str(path)), "exists already")
    assert is_one_line(manage_here("export", "alice", str(tmp_path / "none" / "a.zip")), "cannot be written")
    assert [each.name for each in tmp_path.iterdir()] == ["account.zip"]
    done = manage_here("import", "bob", str(path))
    assert done.returncode == 0, done.stderr
    assert records_of(bob) == records_of(filled)
