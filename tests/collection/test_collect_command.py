"""`manage.py collect`: in a process where a signal, a terminal or another run matters, else called."""

import os
import pty
import re
import signal
import subprocess
from contextlib import closing, suppress

import pytest

from accounts.models import User
from collection.models import Run
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.commands import manage_here
from tests.collection.collector_run import set_up
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance


def failure(done: "subprocess.CompletedProcess[str]") -> str:
    """The one line on standard error of a command that exits with 1."""
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1), done.stderr
    return done.stderr.strip()


def records(instance: Instance) -> int:
    return int(instance.sql("SELECT COUNT(*) FROM usage_record")[0][0])


def last_run(instance: Instance) -> tuple[object, ...]:
    return instance.sql("SELECT trigger, status, exit_code FROM collection_run ORDER BY id DESC LIMIT 1")[0]


@pytest.mark.thorough
def test_it_collects_and_prints_one_line(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated)
    done = instance.run("collect", "alice")
    calls = len(gated.rows())
    # The data has three days, and without calls a day is settled at once.
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(rf"{calls} new records, 0 already known, 2[67] days settled\.\n", done.stdout)
    assert (records(instance), last_run(instance)) == (calls, ("cli", "ok", 0))


@pytest.mark.engine
@pytest.mark.thorough
def test_days_and_a_name_in_other_letters_are_taken(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream, verify_days=0)
    done = manage_here("collect", "ALICE", "--from", "2020-01-01", "--to", "2020/01/02")
    assert (done.returncode, done.stdout) == (0, "0 new records, 0 already known.\n")
    run = Run.objects.get()
    assert [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in (run.win_from, run.win_to)] == [
        "2019-12-31 23:00:00", "2020-01-02 22:59:59",
    ]  # fmt: skip


@pytest.mark.thorough
def test_on_a_terminal_it_shows_each_step(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated)
    ours, theirs = pty.openpty()
    with closing(os.fdopen(ours, "rb", buffering=0)) as screen:
        process = instance.start("collect", "alice", stdout=theirs, stderr=theirs)
        os.close(theirs)
        shown = b""
        with suppress(OSError):
            while part := screen.read(65536):
                shown += part
        assert process.wait(60) == 0
    assert shown.count(b": page 1, 20 rows of ") >= 1
    assert shown.endswith(b"days settled.\r\n")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["nobody"], "There is no account nobody."),
        (["alice", "--from", "soon"], "'from' is not a date (YYYY-MM-DD)."),
        (["alice", "--to", "2026-13-01"], "'to' is not a date (YYYY-MM-DD)."),
        (["alice", "--from", "2026-01-02", "--to", "2026-01-01"], "'from' is later than 'to'."),
        (["alice", "--from", "9999-01-01"], "'from' is in the future."),
        (["root"], "No cookie is set for this account: paste one in the settings."),
    ],
)
def test_a_failure_is_one_line(alice: User, root: User, upstream: Simulator, arguments: list[str], line: str) -> None:
    set_up(alice, upstream)
    assert failure(manage_here("collect", *arguments)).endswith(line)
    assert upstream.request_count == 0


@pytest.mark.thorough
@pytest.mark.django_db
def test_wrong_usage_exits_with_2() -> None:
    assert manage_here("collect").returncode == 2


@pytest.mark.thorough
def test_a_run_that_fails_is_one_line_too(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    upstream.faults.fail("api_code")
    assert "usage service is being maintained" in failure(manage_here("collect", "alice"))
    assert Run.objects.values_list("trigger", "status", "exit_code").get() == ("cli", "failed", 5)


@pytest.mark.thorough
def test_while_another_runs_it_is_busy(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated)
    gated.hold_at(2)
    first = instance.start("collect", "alice")
    assert gated.reached.wait(60)
    assert "already running" in failure(instance.run("collect", "alice"))
    gated.release()
    assert first.wait(60) == 0
    assert instance.sql("SELECT COUNT(*) FROM collection_run") == [(1,)]


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_it_after_its_page(instance: Instance, gated: GatedSimulator, number: int) -> None:
    instance.use(gated)
    gated.hold_at(11)
    process = instance.start("collect", "alice")
    assert gated.reached.wait(60)
    process.send_signal(number)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out, error.count("\n")) == (1, "", 1)
    assert "Stopped on request" in error
    assert last_run(instance) == ("cli", "interrupted", 6)
    assert instance.sql("SELECT token FROM collection_lease") == [("",)]
    assert records(instance) > 0
