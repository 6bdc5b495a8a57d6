"""`manage.py backup`: the operations of the API with lines and exit codes (docs/api.md#backups)."""

import io
import re
import shutil
import sys
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.models import User
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from audit.models import Entry
from backups import backup_zip, catalog, checksum, creation
from backups.restore import restore_backup
from backups.restore.restore_backup import Restored
from tests.backups.tiny_archives import broken, configure, kept, on_shelf
from tests.collection.running_instance import Instance
from tests.usage.record_factories import archive, call

pytestmark = pytest.mark.django_db(transaction=True)
AT = datetime(2026, 9, 1, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
NAME = "backup-20260901-120007-manual.zip"


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("backup", *arguments, stdout=output)
    return output.getvalue()


def failed(*arguments: str) -> str:
    """The one line of a failure with exit code 1."""
    with pytest.raises(CommandError) as error:
        run(*arguments)
    assert (error.value.returncode, "\n" in str(error.value)) == (1, False)
    return str(error.value)


def audited() -> list[tuple[str, str, int | None]]:
    return list(Entry.objects.order_by("pk").values_list("action", "actor", "user_id"))


@pytest.fixture
def elsewhere(alice: User, tmp_path: Path) -> Path:
    """A valid backup outside the catalogue, with a name that is not that of a backup."""
    archive(alice, call("a"), call("b"))
    path = tmp_path / "old copy.zip"
    created = creation.create("auto", note="from elsewhere")
    created.path.rename(path)
    checksum.sidecar(created.path).unlink()
    return path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """The requested restores; none is executed."""
    calls: list[tuple[str, dict[str, Any]]] = []

    def restore(path: Path, **options: Any) -> Restored:
        calls.append((path.name, options))
        return Restored(backup_zip.read_manifest(path), "before.zip", f"{path.name} is restored.")

    monkeypatch.setattr(restore_backup, "restore", restore)
    return calls


# Create, list, prune


def test_it_creates_with_a_note(alice: User) -> None:
    archive(alice, call("a"))
    line = run("create", "--note", "before the move")
    (item,) = catalog.items()
    assert line == f"{item.name} is created: {item.size_human}, 1 account, 1 record.\n"
    assert (item.trigger, item.note) == ("manual", "before the move")
    assert audited() == [("backup_create", "command line", None)]


def test_it_refuses_a_note_with_a_control_character() -> None:
    with pytest.raises(CommandError, match="control characters"):
        run("create", "--note", "be\x1bfore")
    assert catalog.items() == []


@pytest.mark.engine
def test_it_has_no_interval_and_prints_what_went(alice: User) -> None:
    configure(backup_keep=1)
    run("create")
    first = catalog.items()[0].name
    assert run("create").splitlines()[1:] == [f"Removed {first}."]


def test_it_lists_the_newest_first() -> None:
    kept(AT, note="a note")
    kept(AT + timedelta(hours=1), "auto")
    broken("backup-20260101-000000-manual.zip")
    lines = run("list").splitlines()
    assert [line.split()[0] for line in lines] == [item.name for item in catalog.items()]
    assert lines[1] == f"{NAME}  2026-09-01 12:00:07  {catalog.items()[1].size_human}  2 accounts, 30 records  a note"
    assert lines[2].endswith("cannot be read")


def test_it_prunes() -> None:
    configure(backup_keep=1)
    kept(AT)
    kept(AT + timedelta(hours=1))
    assert run("prune") == f"Removed {NAME}.\n"
    assert run("prune") == "Nothing to prune.\n"
    assert audited() == [("backup_prune", "command line", None)] * 2


# Verify


def test_it_verifies_one_of_the_shelf_or_of_any_path(elsewhere: Path) -> None:
    name = creation.create("manual").path.name
    before = on_shelf()
    assert run("verify", name) == f"{name} can be restored: 1 account, 2 records.\n"
    assert run("verify", str(elsewhere)) == "old copy.zip can be restored: 1 account, 2 records.\n"
    assert (on_shelf(), audited()) == (before, [])


def test_one_that_cannot_be_restored_is_a_failure(elsewhere: Path) -> None:
    broken(NAME)
    assert failed("verify", NAME).startswith(f"{NAME}: ")
    elsewhere.write_bytes(elsewhere.read_bytes()[:-100])
    assert failed("verify", str(elsewhere)).startswith("old copy.zip: ")


# Restore


def test_it_restores_one_of_the_shelf(asked: list[Any]) -> None:
    kept(AT)
    assert run("restore", NAME, "--yes") == f"{NAME} is restored.\n"
    assert asked == [
        (NAME, {"include_instance": True, "actor": "command line", "user_id": None, "ip": "", "aside": None})
    ]


def test_it_leaves_the_key_where_that_is_said(asked: list[Any]) -> None:
    kept(AT)
    run("restore", NAME, "--without-key", "--yes")
    assert asked[0][1]["include_instance"] is False


def test_the_path_of_one_of_the_shelf_is_no_other(asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    kept(AT)
    monkeypatch.chdir(settings.DATA_FOLDER.home)
    for path in (f"backups/{NAME}", str(settings.DATA_FOLDER.backups / NAME)):
        assert run("restore", path, "--yes") == f"{NAME} is restored.\n"
    assert on_shelf() == [NAME]


def test_one_from_elsewhere_is_copied_in_under_a_name_of_its_time(elsewhere: Path, asked: list[Any]) -> None:
    made = backup_zip.read_manifest(elsewhere).created_at
    lines = run("restore", str(elsewhere), "--yes").splitlines()
    (item,) = catalog.items()
    assert lines == [f"Copied as {item.name}.", f"{item.name} is restored."]
    assert item.name == f"backup-{made.astimezone(settings.SERVER_ZONE):%Y%m%d-%H%M%S}-manual.zip"
    assert (item.note, asked[0][0]) == ("from elsewhere", item.name)
    assert catalog.archives()[0].path.read_bytes() == elsewhere.read_bytes()
    assert on_shelf() == [item.name, f"{item.name}.sha256"]


def test_one_from_elsewhere_keeps_its_name_where_that_is_free(elsewhere: Path, asked: list[Any]) -> None:
    path = elsewhere.rename(elsewhere.with_name("backup-20250101-080000-auto.zip"))
    assert run("restore", str(path), "--yes").startswith(f"Copied as {path.name}.\n")
    assert run("restore", str(path), "--yes").startswith("Copied as backup-20")
    assert [item.trigger for item in catalog.items()].count("manual") == 1
    assert len(catalog.items()) == 2


def test_a_bad_one_from_elsewhere_comes_to_nothing(elsewhere: Path, asked: list[Any]) -> None:
    content = bytearray(elsewhere.read_bytes())
    content[200:300] = bytes(100)
    elsewhere.write_bytes(content)
    assert failed("restore", str(elsewhere), "--yes")
    assert (on_shelf(), asked) == ([], [])


@pytest.mark.parametrize(("typed", "is_done"), [(NAME, True), ("yes", False), ("", False)])
def test_on_a_terminal_the_files_name_is_asked_for(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, typed: str, is_done: bool
) -> None:
    kept(AT)
    terminal = io.StringIO(f"{typed}\n")
    monkeypatch.setattr(terminal, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stdin", terminal)
    if is_done:
        assert "passkeys that were removed since work again" in run("restore", NAME)
    else:
        assert failed("restore", NAME) == "Nothing was changed."
    assert len(asked) == is_done


@pytest.mark.parametrize("end", [EOFError, KeyboardInterrupt])
def test_a_question_without_an_answer_changes_nothing(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch, end: type[BaseException]
) -> None:
    def leave(words: str) -> str:
        raise end

    kept(AT)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("builtins.input", leave)
    assert failed("restore", NAME) == "Nothing was changed."
    assert asked == []


def test_without_a_terminal_it_names_what_would_be_lost_and_changes_nothing(
    asked: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(AT)
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{NAME}\n"))
    assert failed("restore", NAME) == (
        f"All accounts, usage data and settings will be replaced by those of {NAME}. "
        "Nothing was changed: add --yes to restore it."
    )
    assert asked == []


def test_yes_asks_nothing(asked: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    kept(AT)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    run("restore", NAME, "--yes")
    assert len(asked) == 1


# Failures


@pytest.mark.parametrize("action", ["verify", "restore"])
@pytest.mark.parametrize("name", [NAME, "nothing.zip", "../archive", "/", "."])
def test_one_that_is_not_there_is_a_failure(action: str, name: str) -> None:
    assert failed(action, name) == f"There is no backup {name}."


def test_a_backup_under_way_is_a_failure(elsewhere: Path) -> None:
    with maintenance_lock():
        for arguments in (["create"], ["prune"], ["restore", str(elsewhere), "--yes"]):
            assert failed(*arguments).startswith("A backup, a restore")
    assert audited() == []


def test_a_full_disk_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=0))
    assert failed("create").startswith("Creating a backup needs ")
    assert on_shelf() == []


@pytest.mark.thorough
def test_in_a_process_of_its_own(instance: Instance) -> None:
    made = instance.run("backup", "create", "--note", "x")
    assert (made.returncode, made.stderr) == (0, "")
    name = made.stdout.partition(" ")[0]
    assert re.fullmatch(r"backup-\d{8}-\d{6}-manual\.zip", name)
    wrong = instance.run("backup", "verify", "nothing.zip")
    assert (wrong.returncode, wrong.stdout, wrong.stderr.count("\n")) == (1, "", 1)
