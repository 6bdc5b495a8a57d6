"""Nothing of an address or a notice gets anywhere but to the receiver."""

import json
import logging
from http.server import BaseHTTPRequestHandler

import psutil
import pytest

from accounts.delivery.sending.offered.recognition import target_of
from accounts.delivery.sending.send import send
from tests import processes
from tests.accounts.delivery.sending.receivers import child, question, receiving, status

MARKER = "marker-7f3a"


@pytest.mark.thorough_after(1)
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


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("rest", ["?redirect=yes", "?:=", "", ":99999/"])
def test_the_child_writes_nothing_but_its_answer(rest: str) -> None:
    loud = "import logging; logging.basicConfig(level=1)"
    answer, other = child(question(f"json://anna:{MARKER}@127.0.0.1{rest}"), loud)
    assert MARKER not in str(answer)
    assert other == ""


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    ("address", "secrets"),
    [
        ("ntfy+http://anna:marker-1@{}/topic-7f3a", ["YW5uYTptYXJrZXItMQ", "marker-1", "topic-7f3a"]),
        ("ntfy+http://:marker-1@{}/topic-7f3a", ["marker-1"]),
        ("bark+http://anna:marker-1@{}/key-7f3a", ["YW5uYTptYXJrZXItMQ", "key-7f3a"]),
        ("ntfy://anna:marker-1@{}/topic-7f3a", ["YW5uYTptYXJrZXItMQ", "marker-1", "topic-7f3a"]),
        ("ntfy+http://{}/topic-7f3a?auth=QmFzaWMgWVc1dVlUcHRZWEpyWlhJdE1RPT0", ["QmFzaWMg"]),
    ],
)
def test_what_a_service_repeats_of_the_request_is_masked_in_its_reason(
    address: str, secrets: list[str], private: None
) -> None:
    def repeat(handler: BaseHTTPRequestHandler) -> None:
        seen = f"{handler.headers['Authorization']} {handler.path} {handler.path.replace('-', '%2D')}"
        content = json.dumps({"code": 403, "error": f"{seen} {bodies[0]}", "message": f"{seen} {bodies[0]}"}).encode()
        handler.send_response(403)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    with receiving(repeat) as receiver:
        bodies = receiver.bodies
        said = send(address.format(f"127.0.0.1:{receiver.port}"), "-", "-", "1f3a").said
    assert "403 " in said
    assert not [secret for secret in secrets if secret in said]


def test_what_a_parameter_of_ntfy_encodes_is_masked() -> None:
    target = target_of("https://ntfy.sh/topic?auth=QmFzaWMgWVc1dVlUcHRZWEpyWlhJdE1RPT0")
    assert target
    assert {"YW5uYTptYXJrZXItMQ==", "anna", "marker-1"} <= set(target.secrets)


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
    [own] = [text for text in seen if "accounts.delivery.sending.child" in text]
    assert MARKER not in own
    assert "other-marker" not in own
