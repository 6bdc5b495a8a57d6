"""A notice that is sent, and the outcome for each answer of a receiver."""

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import psutil
import pytest
import requests

from accounts.delivery.sending import own_process
from accounts.delivery.sending.exchanges import ADDRESS, MOST_REQUESTS, Exchanges
from accounts.delivery.sending.send import Outcome, send
from tests.accounts.delivery.sending.receivers import child, question, receiving, status
from tests.self_signed import self_signed_context
from tests.silent_port import silent_port

pytestmark = pytest.mark.usefixtures("private")


def sent(address: str, body: str = "Tomorrow at noon.") -> Outcome:
    return send(address, "Cookie ends", body, "1f3a")


def test_a_receiver_gets_title_body_and_id() -> None:
    with receiving() as receiver:
        assert sent(receiver.address) == Outcome(sent=True)
    [body] = map(json.loads, receiver.bodies)
    assert (body["title"], body["message"]) == ("Cookie ends", "Tomorrow at noon.\n\nNotice 1f3a")


def test_a_topic_gets_the_notice() -> None:
    with receiving() as receiver:
        assert sent(f"ntfy://127.0.0.1:{receiver.port}/topic").sent
    assert "Notice 1f3a" in receiver.bodies[0]


def test_ten_receivers_of_an_address_get_the_notice_in_time() -> None:
    with receiving() as receiver:
        topics = "/".join(f"topic{number}" for number in range(10))
        assert sent(f"ntfy://127.0.0.1:{receiver.port}/{topics}") == Outcome(sent=True)
    assert len(receiver.bodies) == 10


def test_a_notice_makes_a_bounded_number_of_requests() -> None:
    exchanges = Exchanges()
    for _ in range(MOST_REQUESTS):
        exchanges.begin()
    with pytest.raises(requests.ConnectionError):
        exchanges.begin()
    assert exchanges.failure == ADDRESS


def test_a_long_body_is_cut_and_keeps_its_id() -> None:
    with receiving() as receiver:
        assert sent(f"rocket://{'a' * 24}/{'b' * 24}@127.0.0.1:{receiver.port}/#c", "积分" * 5000) == Outcome(sent=True)
    text = json.loads(receiver.bodies[0])["text"]
    assert len(text) <= 1000
    assert text.endswith("…\n\nNotice 1f3a")


def test_half_a_character_is_no_reason_to_fail() -> None:
    with receiving() as receiver:
        assert sent(receiver.address, "half \ud83d") == Outcome(sent=True)
    assert json.loads(receiver.bodies[0])["message"].startswith("half ?")


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    ("code", "outcome"),
    [
        (400, Outcome(False, "refused", again=False)),
        (401, Outcome(False, "refused", again=False)),
        (404, Outcome(False, "refused", again=False)),
        (413, Outcome(False, "too_long", again=False)),
        (408, Outcome(False, "refused", again=True)),
        (429, Outcome(False, "refused", again=True)),
        (500, Outcome(False, "failed", again=True)),
        (503, Outcome(False, "failed", again=True)),
    ],
)
def test_the_status_of_the_answer_is_the_outcome(code: int, outcome: Outcome) -> None:
    with receiving(code) as receiver:
        assert sent(receiver.address) == outcome
    assert len(receiver.bodies) == 1


@pytest.mark.parametrize("scheme", ["bark", "pushdeer"])
def test_a_service_that_refuses_with_status_200_has_refused(scheme: str) -> None:
    assert answered_with(scheme, b'{"code": 80501}') == Outcome(False, "refused", again=True)


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    ("scheme", "content"),
    [("bark", b'{"code": 200}'), ("pushdeer", b'{"code": 0}'), ("bark", b"fine"), ("bark", b"[" * 60_000)],
)
def test_a_service_that_says_nothing_else_has_taken_it(scheme: str, content: bytes) -> None:
    assert answered_with(scheme, content) == Outcome(sent=True)


def answered_with(scheme: str, content: bytes) -> Outcome:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        status(handler, 200, Content_Length=str(len(content)))
        handler.wfile.write(content)

    with receiving(answer) as receiver:
        return sent(f"{scheme}://127.0.0.1:{receiver.port}/key")


def test_nobody_who_listens_is_unreachable() -> None:
    with silent_port() as port:
        assert sent(f"json://127.0.0.1:{port}/hook") == Outcome(False, "unreachable", again=True)


def test_a_name_that_nobody_resolves_is_unreachable() -> None:
    assert sent("json://name.invalid/") == Outcome(False, "unreachable", again=True)


def test_a_receiver_without_tls_is_unreachable_by_tls() -> None:
    with receiving() as receiver:
        assert sent(receiver.address.replace("json:", "jsons:")) == Outcome(False, "unreachable", again=True)
    assert receiver.bodies == []


def test_a_certificate_that_is_not_trusted_gets_nothing(tmp_path: Path) -> None:
    with receiving(tls=self_signed_context(tmp_path)) as receiver:
        address = receiver.address.replace("json:", "jsons:")
        assert sent(address) == Outcome(False, "untrusted", again=False)
        assert receiver.bodies == []
        assert sent(f"{address}?verify=no") == Outcome(sent=True)


def test_an_address_that_cannot_be_used_is_final() -> None:
    assert sent("syslog://") == sent("json://127.0.0.1/?redirect=yes") == Outcome(False, "address", again=False)


def test_a_child_that_dies_has_failed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(own_process, "_ROOT", tmp_path)
    monkeypatch.setattr("sys.path", [])
    assert sent("json://127.0.0.1/") == Outcome(False, "failed", again=True)


def test_a_child_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_process, "SECONDS", 0.01)
    before = set(psutil.Process().children())
    assert sent("json://127.0.0.1/") == Outcome(False, "timeout", again=True)
    assert set(psutil.Process().children()) <= before


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiving() as receiver, receiving() as proxy:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        assert sent(receiver.address).sent
        # Nor where the child would have them.
        assert child(question(receiver.address))[0] == {"sent": True}
    assert (len(receiver.bodies), proxy.bodies) == (2, [])
