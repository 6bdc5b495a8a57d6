"""`manage.py simulate_upstream` on the command line."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from tests.archive_site.commands import is_one_line, manage_here

PROJECT = Path(__file__).parents[2]
COMMAND = [sys.executable, "manage.py", "simulate_upstream", "--days", "2"]


@pytest.fixture
def running() -> Iterator[subprocess.Popen[str]]:
    options = ["--bind", "127.0.0.1:0", "--accounts", "2", "--fault", "bad_gateway:0", "--fault", "string_total"]
    with subprocess.Popen([*COMMAND, *options], cwd=PROJECT, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def lines_until_ready(process: subprocess.Popen[str]) -> list[str]:
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line.strip())
        if line.startswith("Stop it"):
            break
    return lines


def test_it_prints_its_url_and_the_cookies_and_answers_with_them(running: subprocess.Popen[str]) -> None:
    lines = lines_until_ready(running)
    url = lines[0].removeprefix("Simulated upstream: ")
    cookie = lines[2].removeprefix("Cookie of account 1: ")
    body = {"startTime": "2020-01-01 00:00:00", "endTime": "2100-01-01 00:00:00", "pageNum": 1, "pageSize": 10}
    answer = requests.post(
        f"{url}/billing/meter/get-user-request-usage", json=body, headers={"Cookie": cookie}, timeout=60
    )
    assert int(answer.json()["data"]["total"]) > 0
    assert f"manage.py config set api_base {url}" in lines[3]


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_well(running: subprocess.Popen[str], number: signal.Signals) -> None:
    lines_until_ready(running)
    running.send_signal(number)
    assert running.wait(60) == 0


def run(*options: str) -> subprocess.CompletedProcess[str]:
    return manage_here("simulate_upstream", "--days", "2", *options)


def test_a_port_in_use_is_one_clear_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert is_one_line(run("--bind", f"127.0.0.1:{port}"), f"cannot listen on http://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fault", "nonsense"], "unknown fault 'nonsense'"),
        (["--bind", "0.0.0.0:0"], "loopback"),
        (["--bind", "example.org:80"], "loopback"),
    ],
)
def test_what_cannot_be_is_one_clear_line(options: list[str], message: str) -> None:
    assert is_one_line(run(*options), message)


@pytest.mark.parametrize(
    "options", [["--bind", "8000"], ["--accounts", "0"], ["--days", "many"], ["--days", "9" * 12], ["--nonsense"]]
)
def test_wrong_usage_exits_with_2(options: list[str]) -> None:
    assert run(*options).returncode == 2
