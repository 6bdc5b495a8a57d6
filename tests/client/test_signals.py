"""Ctrl-C and SIGTERM, sent to the command while it loads its modules, and while it waits for a server."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from archive_site.client.outcome import ExitCode
from tests.client.conftest import ScriptedServer, Start
from tests.client.test_failures import FINE, TOKEN, answer

# Stands in for a library that takes long to load.
SLOW_LIBRARY = """
import time
print("loading", flush=True)
time.sleep(60)
"""


def ended(process: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str, str]:
    process.send_signal(number)
    out, error = process.communicate(timeout=30)
    return process.returncode, out, error


@pytest.mark.thorough
def test_ctrl_c_while_modules_are_loaded_leaves_no_traceback(start: Start, tmp_path: Path) -> None:
    (tmp_path / "requests.py").write_text(SLOW_LIBRARY)
    process = start("summary", PYTHONPATH=str(tmp_path))
    assert process.stdout
    assert process.stdout.readline() == "loading\n"
    assert ended(process, signal.SIGINT) == (ExitCode.INTERRUPTED, "", "")


def test_ctrl_c_ends_a_command_whose_main_thread_is_blocked(start: Start, tmp_path: Path) -> None:
    # As where the signal comes just before it waits for an answer.
    (tmp_path / "requests.py").write_text(
        "import hashlib\nprint('deaf', flush=True)\nhashlib.pbkdf2_hmac('sha256', b'', b'', 2 * 10**9)"
    )
    process = start("summary", PYTHONPATH=str(tmp_path))
    assert process.stdout
    assert process.stdout.readline() == "deaf\n"
    assert ended(process, signal.SIGINT) == (ExitCode.INTERRUPTED, "", "")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_signal_while_it_waits_for_an_answer_ends_it_silently(
    start: Start, scripted: ScriptedServer, number: signal.Signals, code: int
) -> None:
    scripted.answers, scripted.hangs = [b""], True
    process = start("summary", "--server", scripted.url, "--token", TOKEN)
    scripted.wait_until_asked("/api/summary")
    assert ended(process, number) == (code, "", "")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, ExitCode.INTERRUPTED), (signal.SIGTERM, ExitCode.TERMINATED)]
)
def test_a_signal_during_an_export_leaves_no_file(
    start: Start, scripted: ScriptedServer, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/csv\r\nContent-Disposition: attachment\r\nContent-Length: 99\r\n\r\n"
    scripted.answers, scripted.hangs = [head + b'"ts"\r\n'], True
    folder = tmp_path / "exports"
    folder.mkdir()
    process = start("export", "-o", str(folder / "out.csv"), "--server", scripted.url, "--token", TOKEN)
    scripted.wait_until_asked("/records/export")
    assert len(list(folder.iterdir())) == 1
    assert ended(process, number) == (code, "", "")
    assert list(folder.iterdir()) == []


@pytest.mark.thorough
def test_ctrl_c_during_a_collection_says_that_it_goes_on(start: Start, scripted: ScriptedServer) -> None:
    queued = answer("202 Accepted", json.dumps({"ok": True, "run_id": 7}), Archive_Account="1")
    scripted.answers, scripted.hangs = [FINE, queued, b""], True
    process = start("collect", "--wait", "--server", scripted.url, "--token", TOKEN)
    scripted.wait_until_asked("/api/runs/7")
    code, out, error = ended(process, signal.SIGINT)
    assert (code, out) == (ExitCode.INTERRUPTED, "")
    assert error == "usage-archive: run 7 goes on without this command.\n"


@pytest.mark.thorough
def test_a_parent_that_ignores_ctrl_c_is_obeyed(start: Start, scripted: ScriptedServer) -> None:
    scripted.answers, scripted.hangs = [b""], True
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = start("summary", "--server", scripted.url, "--token", TOKEN, "--timeout", "1")
    finally:
        signal.signal(signal.SIGINT, before)
    scripted.wait_until_asked("/api/summary")
    assert ended(process, signal.SIGINT)[0] == ExitCode.UNREACHABLE
