"""Commands whose standard output cannot be written: one line, exit code 1, and what is done stays done."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import psutil
import pytest
import requests

from tests import processes
from tests.archive_site.commands import MANAGE, is_one_line, start, wait_until
from tests.process_stores import environment

pytestmark = pytest.mark.landing
FULL, CLOSED = ">/dev/full", ">&-"
REASONS = {FULL: "No space left on device", CLOSED: "Bad file descriptor"}
COMMANDS: list[tuple[str, ...]] = [
    ("config", "list"), ("--help",), ("--version",), ("list_users",), ("list_users", "--help"), ("backup", "prune"),
    ("showmigrations",), ("simulate_upstream", "--bind", "127.0.0.1:0", "--days", "1"),
]  # fmt: skip


def redirected(redirection: str) -> Sequence[str]:
    """The program of commands with a redirection of the shell."""
    return ("sh", "-c", f'exec "$@" {redirection}', "sh", *MANAGE)


def manage(
    *arguments: str, home: Path, program: Sequence[str] = MANAGE, stdout: int | None = None, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*program, *arguments],
        env=environment(home, **variables), stdout=stdout, stderr=subprocess.PIPE, text=True, timeout=60,
    )  # fmt: skip


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("redirection", [FULL, CLOSED])
def test_it_is_said_in_one_line(made_home: Path, command: tuple[str, ...], redirection: str) -> None:
    failed = manage(*command, home=made_home, program=redirected(redirection), PYTHONUNBUFFERED="")
    assert is_one_line(failed, "CommandError: standard output cannot be used: ", REASONS[redirection])


@pytest.mark.thorough
@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_one_line_also_where_python_has_no_buffer(made_home: Path, command: tuple[str, ...]) -> None:
    failed = manage(*command, home=made_home, program=redirected(FULL), PYTHONUNBUFFERED="1")
    assert is_one_line(failed, REASONS[FULL])


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_is_gone_is_no_line(made_home: Path, command: tuple[str, ...], unbuffered: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    ended = manage(*command, home=made_home, stdout=writer, PYTHONUNBUFFERED=unbuffered)
    os.close(writer)
    assert (ended.returncode, ended.stderr) == (1, "")


@pytest.mark.thorough
@pytest.mark.parametrize("redirection", [FULL, CLOSED])
def test_a_backup_stays_though_its_name_cannot_be_written(made_home: Path, redirection: str) -> None:
    failed = manage("backup", "create", home=made_home, program=redirected(redirection))
    assert is_one_line(failed, REASONS[redirection])
    assert len(list((made_home / "backups").glob("*.zip"))) == 1


@pytest.mark.thorough
def test_a_command_that_fails_says_why_and_not_that_it_cannot_be_written(made_home: Path) -> None:
    failed = manage("set_password", "nobody", home=made_home, program=redirected(FULL))
    assert is_one_line(failed, "nobody")


@pytest.mark.thorough
def test_a_verification_that_cannot_be_written_is_no_difference(made_home: Path) -> None:
    failed = manage("verify", "nobody", home=made_home, program=redirected(f"{FULL} 2>&1"))
    assert failed.returncode == 2


@pytest.mark.thorough
def test_closed_streams_are_no_file_of_the_store(made_home: Path) -> None:
    ended = manage("list_users", home=made_home, program=redirected(">&- 2>&- <&-"))
    assert (ended.returncode, ended.stderr) == (1, "")
    assert manage("list_users", home=made_home, stdout=subprocess.DEVNULL).returncode == 0


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("redirection", [FULL, CLOSED, f"{FULL} 2>&1", f"{CLOSED} 2>&-"])
def test_an_instance_serves_though_nobody_reads_where(made_home: Path, redirection: str) -> None:
    words = ("up", "--bind", "127.0.0.1:0", "--no-worker")
    process = start(*words, home=made_home, program=redirected(redirection), PYTHONUNBUFFERED="")
    try:
        wait_until(lambda: process.poll() is not None or answers(process.pid))
        reason = "standard output cannot be written: "
        assert reason in (made_home / "logs" / "app.log").read_text()
    finally:
        process.terminate()
        said, _ = process.communicate(timeout=60)
    assert (process.returncode, said.count("\n"), reason in said) == (
        (0, 0, False) if "2>" in redirection else (0, 1, True)
    )


def answers(pid: int) -> bool:
    """Whether the instance answers where it listens: it says so nowhere."""
    try:
        found = processes.listening(psutil.Process(pid))
        return bool(found) and requests.get(f"http://{found[0]}/healthz", timeout=30).ok
    except requests.ConnectionError:
        return False
