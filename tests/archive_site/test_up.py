"""`manage.py up` as a real process: serving, refusing, stopping, recovering."""

import os
import resource
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from accounts.models import Store
from accounts.store_identity import open_store
from archive_site.serving.web_server import THREADS
from tests import process_stores, processes
from tests.archive_site.commands import (
    Up,
    first_run_link,
    is_one_line,
    manage,
    manage_here,
    start,
    up,
    wait_until,
)

pytestmark = pytest.mark.usefixtures("running_clock")


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """An instance without any account, with its workers; tests may kill these, they come again."""
    with up(tmp_path_factory.mktemp("running") / "home") as instance:
        yield instance


@pytest.fixture(scope="module")
def used_home(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with accounts, at rest."""
    return process_stores.copy(made_once, tmp_path_factory.mktemp("used") / "home")


def listeners(running: Up) -> dict[str, int]:
    """How many sockets that listen the processes of an instance have, by their names."""
    family = [psutil.Process(running.process.pid), *running.children()]
    found: Counter[str] = Counter()
    for process in family:
        found[processes.name(process)] += len(processes.listening(process))
    return dict(found)


def gone(family: list[psutil.Process]) -> bool:
    return not any(map(processes.run, family))


def test_it_serves_and_says_where(running: Up) -> None:
    assert requests.get(f"{running.url}/login", timeout=30).status_code == 200
    wait_until(lambda: running.said(f"Serving on {running.url}"))


@pytest.mark.thorough
def test_it_serves_the_pages_own_files(running: Up) -> None:
    page = requests.get(f"{running.url}/login", timeout=30).text
    sheet = page.split('rel="stylesheet" href="')[1].split('"')[0]
    assert requests.get(running.url + sheet, timeout=30).headers["Content-Type"].startswith("text/css")


@pytest.mark.thorough
@pytest.mark.parametrize(
    "path",
    [
        "/static/", "/static/js/", "/static/../secret.key", "/static/%2e%2e/secret.key", "/static/..%2fsecret.key",
        "//secret.key", "/secret.key", "/archive.sqlite3", "/backups", "/exports/", "/logs/app.log", "/.git/config",
    ],
)  # fmt: skip
def test_no_folder_and_no_other_file_is_served(path: str, running: Up) -> None:
    host, _, port = running.url.removeprefix("http://").partition(":")
    with closing(HTTPConnection(host, int(port), timeout=30)) as connection:
        connection.request("GET", path)
        response = connection.getresponse()
        body = response.read()
    # `/backups` is a page, which leads to the sign-in.
    assert response.status == (302 if path == "/backups" else 404)
    assert (running.home / "secret.key").read_bytes().strip() not in body


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["/login", "/api/status", "/static/js/pages/login.js", "/nothing"])
def test_no_answer_names_the_software_behind_it(path: str, running: Up) -> None:
    headers = requests.get(running.url + path, timeout=30).headers
    assert not {"Server", "X-Powered-By", "Via"} & set(headers)


@pytest.mark.thorough
def test_a_script_or_style_is_read_as_what_it_is(running: Up) -> None:
    page = requests.get(f"{running.url}/login", timeout=30).text
    sheet = page.split('rel="stylesheet" href="')[1].split('"')[0]
    assert requests.get(running.url + sheet, timeout=30).headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.thorough
def test_a_file_under_a_hashed_name_has_no_headers_that_do_nothing_for_it(running: Up) -> None:
    page = requests.get(f"{running.url}/login", timeout=30).text
    sheet = page.split('rel="stylesheet" href="')[1].split('"')[0]
    headers = requests.get(running.url + sheet, timeout=30).headers
    assert "immutable" in headers["Cache-Control"]
    assert not {"ETag", "Last-Modified", "Referrer-Policy", "Cross-Origin-Opener-Policy"} & set(headers)


@pytest.mark.thorough
def test_a_body_sent_in_chunks_is_refused_and_not_taken_for_an_empty_one(running: Up) -> None:
    refused = requests.post(f"{running.url}/login", data=iter([b"username=a"]), timeout=30)
    assert refused.status_code == 411


@pytest.mark.thorough
def test_a_connection_outlives_a_refused_body(running: Up) -> None:
    host, _, port = running.url.removeprefix("http://").partition(":")
    connection = HTTPConnection(host, int(port), timeout=30)
    connection.connect()
    kept = connection.sock
    for _ in range(20):
        connection.request("POST", "/api/settings", b" " * 900_000)
        response = connection.getresponse()
        assert (response.status, bool(response.read())) == (400, True)
    assert connection.sock is kept
    connection.close()


@pytest.mark.thorough
def test_a_request_for_a_foreign_host_leaves_one_line_in_the_log(running: Up) -> None:
    refused = requests.get(f"{running.url}/login", headers={"Host": "foreign.example"}, timeout=30)
    assert refused.status_code == 400
    (line,) = (line for line in running.log().splitlines() if "foreign.example" in line)
    assert line.endswith("add 'foreign.example' to ARCHIVE_ALLOWED_HOSTS")
    assert "Traceback" not in running.log()


@pytest.mark.thorough
def test_without_an_account_it_prints_the_first_run_link(running: Up) -> None:
    wait_until(lambda: first_run_link(running))
    assert first_run_link(running).startswith(f"{running.url}/first-run/")
    assert requests.get(first_run_link(running), timeout=30).status_code == 200


@pytest.mark.thorough
def test_the_first_run_link_is_in_no_log(running: Up) -> None:
    wait_until(lambda: first_run_link(running))
    token = first_run_link(running).rpartition("/")[2]
    assert token not in running.log()


@pytest.mark.thorough
def test_a_second_one_on_the_same_folder_is_refused_in_one_line(running: Up) -> None:
    assert is_one_line(manage("up", "--bind", "127.0.0.1:1", home=running.home), "Another 'manage.py up'")
    assert running.answers()


@pytest.mark.thorough
@pytest.mark.django_db
def test_a_port_in_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert is_one_line(manage_here("up", "--bind", f"127.0.0.1:{port}"), str(port), "in use")


@pytest.mark.thorough
@pytest.mark.django_db
def test_an_address_that_is_none_is_one_line() -> None:
    assert is_one_line(manage_here("up", "--bind", "127.0.0.1:http"), "--bind", "port")


@pytest.mark.django_db
def test_too_few_files_to_serve_anybody_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda kind: (64, 64))
    assert is_one_line(manage_here("up", "--bind", "127.0.0.1:0"), "64 open files", "more than 128")


@pytest.mark.thorough
def test_it_serves_under_a_name_of_this_machine(used_home: Path) -> None:
    with up(used_home, "--no-worker", bind="localhost:0") as instance:
        assert instance.url.startswith("http://127.0.0.1:")
        assert instance.answers()


@pytest.mark.thorough
def test_debug_mode_refuses_other_machines_in_one_line(used_home: Path) -> None:
    assert is_one_line(manage("up", "--bind", "0.0.0.0:8000", home=used_home, ARCHIVE_DEBUG="1"), "Debug mode")


@pytest.mark.thorough
@pytest.mark.parametrize("address", ["0.0.0.0:8000", "[::]:8000", "192.0.2.1:8000"])
def test_the_development_server_refuses_other_machines_in_debug_mode(settings: Any, address: str) -> None:
    settings.DEBUG = True
    assert is_one_line(manage_here("runserver", "--noreload", address), "Debug mode serves this machine only")


@pytest.mark.thorough
@pytest.mark.django_db
def test_another_time_zone_than_the_archives_is_refused_in_one_line() -> None:
    open_store()
    Store.objects.update(time_zone="Asia/Tokyo")
    refused = manage_here("up", "--bind", "127.0.0.1:0")
    assert is_one_line(refused, "Europe/Berlin", "Asia/Tokyo")


@pytest.mark.thorough
def test_a_second_start_prints_no_link(used_home: Path) -> None:
    with up(used_home) as again:
        assert not first_run_link(again)
        assert again.stop() == 0


def test_the_signal_to_stop_ends_everything_with_exit_code_0(tmp_path: Path) -> None:
    with up(tmp_path / "home") as instance:
        wait_until(lambda: len(instance.children()) > 5)
        family, began = instance.children(), time.monotonic()
        assert instance.stop() == 0
        assert time.monotonic() - began < 10
        assert gone(family)


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_as_soon_as_it_says_where_it_serves_is_a_clean_end(number: signal.Signals, used_home: Path) -> None:
    process = start("up", "--bind", "127.0.0.1:0", "--no-worker", home=used_home)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Serving on")
    process.send_signal(number)
    said, _ = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "Stopping.\n")


@pytest.mark.thorough
def test_it_ends_though_nobody_reads_what_it_says_any_more(used_home: Path) -> None:
    process = start("up", "--bind", "127.0.0.1:0", "--no-worker", home=used_home)
    assert process.stdout is not None
    assert process.stdout.readline().startswith("Serving on")
    family = psutil.Process(process.pid).children(recursive=True)
    process.stdout.close()
    process.terminate()
    assert (process.wait(60), gone(family)) == (0, True)


@pytest.mark.thorough
def test_without_workers_only_the_web_server_runs(used_home: Path) -> None:
    with up(used_home, "--no-worker") as instance:
        assert [processes.name(child) for child in instance.children()] == ["web server"]


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="this system binds no thread to a CPU")
def test_the_threads_of_the_web_server_stay_on_one_cpu(used_home: Path) -> None:
    with up(used_home, "--no-worker") as instance:
        wait_until(instance.answers)
        threads = instance.child("web server").threads()
        assert len(threads) > THREADS
        assert len({tuple(os.sched_getaffinity(thread.id)) for thread in threads}) == 1
        assert all(len(os.sched_getaffinity(thread.id)) == 1 for thread in threads)


@pytest.mark.parametrize("name", ["web server", "workers"])
def test_what_is_killed_is_started_again(name: str, running: Up) -> None:
    before = running.child(name)
    family = [before, *before.children(recursive=True)]
    before.kill()
    # An earlier test may have let it die, too, so that the line of its death alone says nothing.
    wait_until(lambda: gone(family))
    wait_until(lambda: running.runs(name) and running.answers())
    assert running.child(name) != before
    assert running.said(f"The {name} died; restarting.")


@pytest.mark.thorough
def test_a_request_while_the_web_server_is_started_again_is_answered_at_the_same_address(used_home: Path) -> None:
    with up(used_home, "--no-worker") as instance:
        before = instance.child("web server")
        before.kill()
        wait_until(lambda: gone([before]))
        assert instance.answers()
        assert instance.child("web server") != before


@pytest.mark.thorough
def test_a_stop_frees_the_port(used_home: Path) -> None:
    with up(used_home, "--no-worker") as instance:
        assert instance.stop() == 0
        host, _, port = instance.url.removeprefix("http://").partition(":")
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection((host, int(port)), timeout=30)


@pytest.mark.thorough
def test_only_the_supervisor_and_the_web_server_have_the_socket(running: Up) -> None:
    wait_until(lambda: working(running) and running.answers())
    found = listeners(running)
    assert (found.pop("web server"), found.pop("workers")) == (1, 0)
    assert list(found.values()) == [1]


@pytest.mark.thorough
def test_a_first_start_goes_on_without_the_modules_that_only_it_needs(tmp_path: Path) -> None:
    with up(tmp_path / "home", "--no-worker") as first:
        process = psutil.Process(first.process.pid)
        assert process.environ().get("USAGE_ARCHIVE_STARTED_AGAIN") == "1"
        # It kept the socket, so nobody else could take the port meanwhile.
        assert "USAGE_ARCHIVE_SOCKET" in process.environ()
        assert listeners(first) == {processes.name(process): 1, "web server": 1}
        assert [line for line in first.lines if "Serving" in line] == [f"Serving on {first.url}\n"]
    with up(tmp_path / "home", "--no-worker") as second:
        assert "USAGE_ARCHIVE_STARTED_AGAIN" not in psutil.Process(second.process.pid).environ()


@pytest.mark.thorough
def test_the_supervisor_has_one_thread_since_it_forks(running: Up) -> None:
    assert psutil.Process(running.process.pid).num_threads() == 1


def working(running: Up) -> bool:
    """Whether all processes of the workers run; one may end while they are listed."""
    with suppress(psutil.NoSuchProcess):
        return any(processes.name(child) == "workers" and len(child.children()) == 5 for child in running.children())
    return False


@pytest.mark.thorough
def test_workers_end_at_sigterm_with_all_their_processes(running: Up) -> None:
    wait_until(lambda: working(running))
    leader = running.child("workers")
    family = [leader, *leader.children(recursive=True)]
    leader.terminate()
    wait_until(lambda: gone(family))
    wait_until(lambda: working(running))


@pytest.mark.thorough
def test_a_single_worker_ends_at_sigterm_and_is_replaced(running: Up) -> None:
    wait_until(lambda: working(running))
    leader = running.child("workers")
    before = leader.children()
    before[0].terminate()
    wait_until(lambda: gone(before[:1]))
    wait_until(lambda: len({*leader.children()} - {*before}) == 1)
    # It may have held the lock of the queue, for which the others would wait.
    leader.kill()
    wait_until(lambda: gone([leader]) and working(running))


@pytest.mark.thorough
def test_after_a_kill_of_its_own_a_new_start_ends_what_was_left(tmp_path: Path) -> None:
    with up(tmp_path / "home") as killed:
        wait_until(lambda: len(killed.children()) > 5)
        family = killed.children()
        os.kill(killed.process.pid, signal.SIGKILL)
        killed.process.wait(60)
        assert not gone(family)
        with up(tmp_path / "home", "--no-worker") as new:
            assert gone(family)
            assert new.stop() == 0
