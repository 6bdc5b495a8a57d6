"""The log: heartbeats are left out, and with ARCHIVE_LOG=stdout it is lines of JSON (docs/decisions/README.md)."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
import requests

from accounts.models import User
from archive_site.lib.log_output import HeartbeatsAtDebug
from tests.archive_site.commands import first_run_link, is_one_line, manage, up, wait_until
from tests.factories import ApiClient

QUEUE = "django-q"


def record(message: str, level: int = logging.INFO) -> logging.LogRecord:
    return logging.LogRecord(QUEUE, level, __file__, 1, message, None, None)


@pytest.fixture
def filtered() -> HeartbeatsAtDebug:
    return HeartbeatsAtDebug(["tick", "housekeeping"])


@pytest.mark.parametrize(
    "message",
    [
        "Enqueued [archive] 6",
        "Process-92ce created task sixteen-maine-magazine-batman from schedule [tick]",
        "Process-2aea processing sixteen-maine-magazine-batman 'archive_site.tasks.tick' [tick]",
        "Process-2aea processing quebec-black-batman-quiet 'archive_site.tasks.tick'",
        "Processed 'archive_site.tasks.housekeeping' (hydrogen-coffee-echo-december)",
    ],
)
def test_a_heartbeat_is_a_line_for_debugging(message: str, filtered: HeartbeatsAtDebug) -> None:
    line = record(message)
    assert not filtered.filter(line)
    assert (line.levelno, line.levelname) == (logging.DEBUG, "DEBUG")


def test_a_debugged_queue_shows_heartbeats(filtered: HeartbeatsAtDebug) -> None:
    queue = logging.getLogger(QUEUE)
    before = queue.level
    queue.setLevel(logging.DEBUG)
    try:
        assert filtered.filter(record("Enqueued [archive] 6"))
    finally:
        queue.setLevel(before)


@pytest.mark.parametrize(
    ("message", "level"),
    [
        ("Process-2aea processing missouri-lake 'collection.tasks.work_off'", logging.INFO),
        ("Processed 'backups.tasks.create_automatic' (kitten-autumn)", logging.INFO),
        ("Q Cluster skylark-uranus [archive] running.", logging.INFO),
        ("Failed 'archive_site.tasks.tick' (wolfram-mango) - no such table", logging.ERROR),
    ],
)
def test_other_lines_and_failures_stay(message: str, level: int, filtered: HeartbeatsAtDebug) -> None:
    line = record(message, level)
    assert filtered.filter(line)
    assert line.levelno == level


# Lines of JSON on standard output


@pytest.mark.thorough
def test_a_service_writes_lines_of_json_and_no_file(made_home: Path) -> None:
    with up(made_home, ARCHIVE_LOG="stdout") as running:
        wait_until(lambda: running.said('"logger": "django-q"'))
        running.stop()
        lines = [line for line in running.lines if line.startswith("{")]
    found = [json.loads(line) for line in lines]
    assert all(list(line) == ["time", "level", "logger", "process", "message"] for line in found)
    assert not [line["message"] for line in found if "tick" in line["message"]]
    assert not (made_home / "logs" / "app.log").exists()


@pytest.mark.thorough
def test_the_link_of_the_first_run_is_shown_though_the_log_is_redacted(tmp_path: Path) -> None:
    with up(tmp_path / "home", "--no-worker", ARCHIVE_LOG="stdout") as running:
        assert first_run_link(running)


@pytest.mark.thorough
def test_a_commands_standard_output_is_its_result_alone(made_home: Path) -> None:
    done = manage("backup", "create", home=made_home, ARCHIVE_LOG="stdout")
    assert (done.returncode, "{" in done.stdout, done.stderr) == (0, False, "")
    assert is_one_line(manage("set_password", "nobody", home=made_home, ARCHIVE_LOG="stdout"), "nobody")


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
