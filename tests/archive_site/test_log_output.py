"""The log: without the queue's own lines, and with ARCHIVE_LOG=stdout as lines of JSON (docs/decisions/README.md)."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from accounts.models import User
from tests.archive_site.commands import first_run_link, is_one_line, manage, up, wait_until
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
