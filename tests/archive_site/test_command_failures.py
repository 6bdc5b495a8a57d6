"""What commands say of a server that is away, of a folder in a file's place, and at Ctrl-C."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.archive_site.commands import is_one_line, manage, start
from tests.client.test_signals import SLOW_LIBRARY
from tests.usage.import_files import HEADER

pytestmark = pytest.mark.landing
# Nobody listens at this port.
AWAY = "postgres://archive@127.0.0.1:1/archive"


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("command", [("showmigrations",), ("migrate",), ("flush", "--no-input"), ("list_users",)])
def test_a_server_that_is_away_is_one_line(made_home: Path, command: tuple[str, ...]) -> None:
    failed = manage(*command, home=made_home, DATABASE_URL=AWAY)
    assert is_one_line(failed, "CommandError: The store cannot be used: ", "Connection refused")


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("nonsense",), "There is no command 'nonsense'. 'manage.py help' lists all."),
        (("nonsense", "--help"), "There is no command 'nonsense'. 'manage.py help' lists all."),
        (("help", "a\nb\x1b"), "There is no command 'a\\nb\\x1b'. 'manage.py help' lists all."),
        (("lst_users",), "There is no command 'lst_users'. Did you mean 'list_users'? 'manage.py help' lists all."),
    ],
)
def test_a_command_that_there_is_not_is_one_line(made_home: Path, line: tuple[str, ...], said: str) -> None:
    failed = manage(*line, home=made_home)
    assert (failed.returncode, failed.stderr) == (1, f"CommandError: {said}\n")


def test_a_wrong_variable_is_named_before_a_command_that_is_not_found(made_home: Path) -> None:
    failed = manage("nonsense", home=made_home, ARCHIVE_LOG_MEGABYTES="many")
    assert is_one_line(failed, "ARCHIVE_LOG_MEGABYTES")


# Errors of the system

FOLDERS = [
    ("restore.lock", ("list_users",)),
    ("scheduler.lock", ("up", "--bind", "127.0.0.1:0")),
    ("static.json", ("up", "--bind", "127.0.0.1:0")),
    ("backups/.lock", ("backup", "create")),
]


@pytest.mark.sqlite_only
@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(("name", "command"), FOLDERS)
def test_a_folder_in_the_place_of_a_file_is_named(made_home: Path, name: str, command: tuple[str, ...]) -> None:
    file = made_home / name
    file.unlink(missing_ok=True)
    file.mkdir()
    said = f"CommandError: {file} cannot be used: Is a directory\n"
    assert is_one_line(manage(*command, home=made_home), said)


@pytest.mark.sqlite_only
@pytest.mark.thorough
def test_a_folder_in_the_place_of_the_lock_of_migrations_is_named(tmp_path: Path) -> None:
    (tmp_path / "migrate.lock").mkdir()
    assert is_one_line(manage("list_users", home=tmp_path), f"{tmp_path}/migrate.lock cannot be used: Is a directory")


@pytest.mark.sqlite_only
@pytest.mark.thorough
def test_a_folder_in_the_place_of_the_lock_of_long_writes_fails_an_import(made_home: Path, tmp_path: Path) -> None:
    (made_home / "long-writes.lock").mkdir()
    file = tmp_path / "calls.csv"
    file.write_text(f"{HEADER}r1,1.5,why?,glm,ide,2026-09-07 12:30:00\r\n")
    failed = manage("import", "alice", str(file), home=made_home)
    named, said = failed.stderr.splitlines()
    assert (failed.returncode, f"Is a directory: '{made_home}/long-writes.lock'" in named) == (1, True)
    event = said.partition("event ")[2][:8]
    assert f"event {event}: its traceback\nTraceback" in (made_home / "logs" / "app.log").read_text()


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("error", ["ZeroDivisionError()", "OSError(5, 'no file')"])
def test_an_error_of_the_program_keeps_its_traceback(made_home: Path, error: str) -> None:
    failed = manage("shell", "-c", f"raise {error}", home=made_home)
    assert (failed.returncode, failed.stderr.startswith("Traceback")) == (1, True)


# Ctrl-C

WORK = "import time; print('working', flush=True); time.sleep(60)"


def interrupted(process: subprocess.Popen[str], line: str) -> tuple[int, str]:
    """The end of a process that gets Ctrl-C when it has printed this line."""
    assert process.stdout
    assert process.stdout.readline() == line
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=60)
    return process.returncode, said


def test_ctrl_c_while_a_command_works_is_130_without_a_word(made_home: Path) -> None:
    assert interrupted(start("shell", "--no-imports", "-c", WORK, home=made_home), "working\n") == (130, "")


@pytest.mark.thorough
def test_what_a_command_has_begun_is_put_away_at_ctrl_c(made_home: Path) -> None:
    work = f"try:\n    {WORK}\nfinally:\n    print('put away')"
    assert interrupted(start("shell", "--no-imports", "-c", work, home=made_home), "working\n") == (130, "put away\n")


@pytest.mark.thorough
@pytest.mark.parametrize("library", ["environs", "csp"])
def test_ctrl_c_while_a_command_loads_is_130_without_a_word(made_home: Path, tmp_path: Path, library: str) -> None:
    (tmp_path / f"{library}.py").write_text(SLOW_LIBRARY)
    process = start("list_users", home=made_home, PYTHONPATH=str(tmp_path))
    assert interrupted(process, "loading\n") == (130, "")
