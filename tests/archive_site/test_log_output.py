"""The log: without the queue's own lines, and with ARCHIVE_LOG=stdout as lines of JSON (docs/decisions/README.md)."""

import io
import json
import logging
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from accounts.models import User
from archive_site.lib import log_output, rotated_log, seldom_log
from archive_site.lib.log_output import OutputLog
from archive_site.lib.storage.data_folder import made
from tests.archive_site.commands import MANAGE, Up, first_run_link, is_one_line, manage, up, wait_until
from tests.factories import ApiClient


@pytest.fixture
def queue(settings: Any) -> Iterator[logging.Logger]:
    """The logger of the queue, as the settings make it."""
    found = logging.getLogger("django-q")
    before = found.level
    found.setLevel(settings.LOGGING["loggers"][found.name]["level"])
    yield found
    found.setLevel(before)


def test_what_the_queue_does_is_not_logged_and_what_fails_there_is(queue: logging.Logger) -> None:
    levels = [logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL]
    assert [queue.isEnabledFor(level) for level in levels] == [False, False, True, True, True]


# Lines of JSON on standard output


@pytest.mark.thorough
def test_a_service_writes_lines_of_json_and_no_file(made_home: Path) -> None:
    with up(made_home, ARCHIVE_LOG="stdout") as running:
        wait_until(lambda: running.said('"logger": "backups.tasks"'))
        running.stop()
        lines = [line for line in running.lines if line.startswith("{")]
    found = [json.loads(line) for line in lines]
    assert all(list(line) == ["time", "level", "logger", "process", "message"] for line in found)
    assert not [line["message"] for line in found if line["logger"] == "django-q"]
    assert not (made_home / "logs" / "app.log").exists()


@pytest.mark.thorough
@pytest.mark.usefixtures("running_clock")
def test_the_link_of_the_first_run_is_shown_though_the_log_is_redacted(tmp_path: Path) -> None:
    with up(tmp_path / "home", "--no-worker", ARCHIVE_LOG="stdout") as running:
        assert first_run_link(running)


@pytest.mark.thorough
def test_a_commands_standard_output_is_its_result_alone(made_home: Path) -> None:
    done = manage("backup", "create", home=made_home, ARCHIVE_LOG="stdout")
    assert (done.returncode, "{" in done.stdout, done.stderr) == (0, False, "")
    assert is_one_line(manage("set_password", "nobody", home=made_home, ARCHIVE_LOG="stdout"), "nobody")


# Standard output that cannot be written

CANNOT = "WARNING archive_site.lib.log_output: the log cannot be written: "


# A program with this file as its standard output; it does not wait for the reader of a pipe.
WRITING_TO = """
import os, sys
os.dup2(os.open(sys.argv[1], os.O_WRONLY | os.O_NONBLOCK), 1)
os.execv(sys.argv[2], sys.argv[2:])
"""


def writing_to(path: Path) -> Sequence[str]:
    """The program of `up` with this file as its standard output."""
    return (sys.executable, "-c", WRITING_TO, str(path), *MANAGE)


@pytest.fixture
def full_pipe(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A named pipe that takes nothing until it has been read, and the end to read."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader, writer = (os.open(path, end | os.O_NONBLOCK) for end in (os.O_RDONLY, os.O_WRONLY))
    with suppress(BlockingIOError):
        while True:
            os.write(writer, b" " * 512)
    os.close(writer)
    yield path, reader
    os.close(reader)


def drained(reader: int) -> bytes:
    """All that is in a pipe now."""
    found = b""
    with suppress(BlockingIOError):
        while piece := os.read(reader, 65536):
            found += piece
    return found


@pytest.fixture
def to_pipe(full_pipe: tuple[Path, int], monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The handler of standard output as the only one, writing to a full pipe; gives the end to read."""
    monkeypatch.setattr(sys, "__stdout__", None)
    monkeypatch.setattr(seldom_log, "_last", {})
    (path, reader), handler = full_pipe, OutputLog()
    with open(os.open(path, os.O_WRONLY | os.O_NONBLOCK), "w") as stream:
        handler.setStream(stream)
        monkeypatch.setattr(logging.getLogger(), "handlers", [handler])
        yield reader
        # The stream can be closed only when it is empty.
        drained(reader)
        log_output._failed[0] = False


def test_a_line_that_cannot_be_written_is_written_when_it_can(to_pipe: int) -> None:
    assert log_output.is_written()
    logging.getLogger("some").warning("first")
    logging.getLogger("some").warning("second")
    assert [log_output.is_written() for _ in range(3)] == [False] * 3
    drained(to_pipe)
    assert log_output.is_written()
    text = drained(to_pipe).decode()
    assert ("first\n" in text, "second\n" in text) == (True, True)
    logging.getLogger("some").warning("third")
    assert (log_output.is_written(), drained(to_pipe)) == (True, b"third\n")


def test_a_line_of_another_process_that_failed_is_tried_with_a_line_of_this_one(
    to_pipe: int,
) -> None:
    process = os.fork()
    if not process:
        logging.getLogger("some").warning("lost")
        os._exit(0)
    os.waitpid(process, 0)
    assert not log_output.is_written()
    drained(to_pipe)
    assert log_output.is_written()
    assert b"a line of the log could not be written\n" in drained(to_pipe)


@pytest.mark.usefixtures("to_pipe")
def test_failures_are_said_once() -> None:
    console = io.StringIO()
    log_output.log.addHandler(said := logging.StreamHandler(console))
    said.setLevel(logging.WARNING)
    try:
        for _ in range(50):
            logging.getLogger("some").warning("lost")
            log_output.is_written()
    finally:
        log_output.log.removeHandler(said)
    assert console.getvalue().count("the log cannot be written") == 1


def test_a_line_that_cannot_be_put_together_does_not_count(to_pipe: int) -> None:
    drained(to_pipe)
    logging.getLogger("some").warning("%d", "no number")
    assert log_output.is_written()


@pytest.mark.thorough
def test_a_full_output_of_a_service_is_said_and_it_is_not_ready(made_home: Path) -> None:
    with up(made_home, program=writing_to(Path("/dev/full")), ARCHIVE_LOG="stdout") as running:
        wait_until(lambda: running.said(f"{CANNOT}[Errno 28] No space left on device"))
        wait_until(lambda: not_ready(running) == ["log"])
        assert running.stop() == 0
        # One for each process: `up`, its web server, and those of the queue.
        assert sum(CANNOT in line for line in running.lines) <= 6
        assert not running.said("Traceback")


@pytest.mark.thorough
def test_a_service_is_ready_again_when_its_output_takes_lines(made_home: Path, full_pipe: tuple[Path, int]) -> None:
    path, reader = full_pipe
    with up(made_home, "--no-worker", program=writing_to(path), ARCHIVE_LOG="stdout") as running:
        wait_until(lambda: not_ready(running) == ["log"])
        drained(reader)
        wait_until(lambda: not_ready(running) == [])
        lines = drained(reader).decode().splitlines()
        assert lines
        assert all(json.loads(line) for line in lines)


@pytest.mark.thorough
def test_a_service_goes_on_though_nobody_reads_its_log_any_more(made_home: Path) -> None:
    path = made_home / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    with up(made_home, "--no-worker", program=writing_to(path), ARCHIVE_LOG="stdout") as running:
        os.close(reader)
        requests.post(f"{running.url}/login", headers={"Host": "elsewhere.example.org"}, timeout=30)
        wait_until(lambda: running.said(f"{CANNOT}[Errno 32] Broken pipe"))
        assert not_ready(running) == ["log"]
        assert running.stop() == 0
        assert not running.said("Traceback")


def not_ready(running: Up) -> list[str]:
    missing: list[str] = requests.get(f"{running.url}/readyz", timeout=30).json()["missing"]
    return missing


# What reads the log


@pytest.fixture
def no_file(settings: Any) -> None:
    settings.LOG_TO_STDOUT = True


@pytest.mark.django_db
@pytest.mark.usefixtures("no_file")
def test_the_page_says_where_the_log_is(root: User) -> None:
    page = ApiClient.signed_in(root).get("/logs").content.decode()
    assert "writes its log to standard output" in page
    assert "js/pages/logs.js" not in page


@pytest.mark.django_db
@pytest.mark.usefixtures("no_file")
def test_the_tail_says_so_too(root: User) -> None:
    response = ApiClient.signed_in(root).get("/logs/tail")
    assert (response.status_code, response.headers["Content-Type"]) == (404, "text/plain; charset=utf-8")
    assert "standard output" in response.content.decode()


@pytest.mark.thorough
def test_a_log_that_cannot_be_written_is_said_on_the_terminal_once(made_home: Path) -> None:
    log = made_home / "logs" / "app.log"
    log.unlink(missing_ok=True)
    log.mkdir(parents=True)
    with up(made_home, "--no-worker") as running:
        said = "WARNING archive_site.lib.rotated_log: the log cannot be written: [Errno 21] Is a directory"
        assert requests.post(f"{running.url}/login", headers={"Host": "elsewhere.example.org"}, timeout=30).ok is False
        wait_until(lambda: running.said(said))
        assert requests.get(f"{running.url}/readyz", timeout=30).json()["missing"] == ["log"]
        assert sum(said in line for line in running.lines) <= 2


def test_a_log_on_a_disk_of_its_own_that_is_full_cannot_be_written(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.LOG_TO_STDOUT = False
    folder, free = made(settings.DATA_FOLDER.log.parent), [10_000]
    settings.DATA_FOLDER.log.touch()

    def usage(path: Path) -> SimpleNamespace:
        return SimpleNamespace(free=free[0] if path == folder else 10**9)

    monkeypatch.setattr(shutil, "disk_usage", usage)
    assert rotated_log.failure() is None
    free[0] = 100
    assert rotated_log.failure() == "No space left on device"
