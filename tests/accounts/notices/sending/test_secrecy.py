"""Nothing of an address or a notice gets anywhere but to the receiver."""

import logging
from http.server import BaseHTTPRequestHandler

import psutil
import pytest

from accounts.notices.sending.send import send
from tests import processes
from tests.accounts.notices.sending.receivers import child, question, receiving, status

MARKER = "marker-7f3a"


@pytest.mark.parametrize("code", [200, 404, 500])
def test_no_output_outcome_or_log_holds_the_token(
    code: int, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], private: None
) -> None:
    caplog.set_level(logging.DEBUG)
    with receiving(code) as receiver:
        address = f"json://anna:{MARKER}@127.0.0.1:{receiver.port}/{MARKER}"
        outcome = send(address, MARKER, MARKER, "1f3a")
    assert MARKER in receiver.bodies[0]
    assert MARKER not in f"{outcome}{caplog.text}{capfd.readouterr()}"


@pytest.mark.parametrize("rest", ["?redirect=yes", "?:=", "", ":99999/"])
def test_the_child_writes_nothing_but_its_answer(rest: str) -> None:
    loud = "import logging; logging.basicConfig(level=1)"
    answer, other = child(question(f"json://anna:{MARKER}@127.0.0.1{rest}"), loud)
    assert MARKER not in str(answer)
    assert other == ""


def test_neither_command_line_nor_environment_of_the_child_holds_the_address(
    private: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgres://user:other-marker@host/name")
    seen: list[str] = []

    def look(handler: BaseHTTPRequestHandler) -> None:
        seen.extend(map(processes.words, psutil.Process().children()))
        status(handler, 200)

    with receiving(look) as receiver:
        assert send(f"json://127.0.0.1:{receiver.port}/{MARKER}", "title", "body", "1f3a").sent
    [own] = [text for text in seen if "accounts.notices.sending.child" in text]
    assert MARKER not in own
    assert "other-marker" not in own
