"""Events of webhooks are posted beneath the same guard as notices, and their addresses checked by the same child."""

from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from accounts.delivery.sending.addresses import AddressError, check_url
from accounts.delivery.sending.send import Outcome, post
from tests.accounts.delivery.sending.receivers import PUBLIC, child, receiving, status
from tests.accounts.delivery.sending.test_addresses import PRIVATE_HOSTS
from tests.accounts.delivery.sending.test_hostile_receivers import MEGABYTE, QUICK, resolver
from tests.self_signed import self_signed_context
from tests.silent_port import silent_port

pytestmark = pytest.mark.landing
BODY = '{"name":"积分"}'
HEADERS = {"Content-Type": "application/json", "X-Event-Id": "1f3a"}


def question(url: str, *, private_allowed: bool = True) -> dict[str, Any]:
    return {"url": url, "headers": HEADERS, "body": BODY, "private_allowed": private_allowed}


def refused(text: str) -> str:
    with pytest.raises(AddressError) as raised:
        check_url(text)
    return raised.value.reason


@pytest.mark.usefixtures("private")
def test_body_and_headers_arrive_as_they_are() -> None:
    with receiving() as receiver:
        assert post(receiver.url, HEADERS, BODY) == Outcome(sent=True, status=200)
    assert (receiver.bodies, receiver.paths) == ([BODY], ["/hook"])
    assert {name: receiver.headers[0][name] for name in HEADERS} == HEADERS


@pytest.mark.thorough_after(2)
@pytest.mark.usefixtures("private")
@pytest.mark.parametrize(
    ("code", "outcome"),
    [(204, Outcome(True, status=204)), (404, Outcome(False, "refused", again=False, status=404)),
     (410, Outcome(False, "refused", again=False, status=410)), (429, Outcome(False, "refused", True, 429)),
     (500, Outcome(False, "failed", True, 500))],
)  # fmt: skip
def test_the_status_of_the_answer_is_the_outcome(code: int, outcome: Outcome) -> None:
    with receiving(code) as receiver:
        assert post(receiver.url, HEADERS, BODY) == outcome


@pytest.mark.usefixtures("private")
def test_a_password_in_the_address_signs_in() -> None:
    with receiving() as receiver:
        assert post(receiver.url.replace("://", "://anna:marker@"), HEADERS, BODY).sent
    assert receiver.headers[0]["Authorization"].startswith("Basic ")


@pytest.mark.thorough_after(1)
@pytest.mark.usefixtures("private")
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(code: int) -> None:
    with receiving() as other:

        def redirect(handler: BaseHTTPRequestHandler) -> None:
            status(handler, code, Location=other.url)

        with receiving(redirect) as receiver:
            assert post(receiver.url, HEADERS, BODY) == Outcome(False, "redirect", status=code)
    assert other.bodies == []


@pytest.mark.usefixtures("private")
@pytest.mark.parametrize("code", [300, 302, 304])
def test_a_redirect_to_nowhere_is_final(code: int) -> None:
    with receiving(lambda handler: status(handler, code)) as receiver:
        assert post(receiver.url, HEADERS, BODY) == Outcome(False, "redirect", status=code)


@pytest.mark.usefixtures("private")
def test_a_gigabyte_of_an_answer_is_not_read() -> None:
    gone, written = Event(), []

    def flood(handler: BaseHTTPRequestHandler) -> None:
        status(handler, 200, Content_Length=str(1024 * MEGABYTE))
        try:
            for _ in range(1024):
                handler.wfile.write(b"x" * MEGABYTE)
                written.append(MEGABYTE)
        except OSError:
            gone.set()

    with receiving(flood) as receiver:
        assert post(receiver.url, HEADERS, BODY).sent
        assert gone.wait(60)
    assert sum(written) < 64 * MEGABYTE


def test_a_receiver_that_never_answers_is_abandoned() -> None:
    over = Event()
    with receiving(lambda _: over.wait(60)) as receiver:
        answered, rest = child(question(receiver.url), QUICK)
        assert (answered["sent"], answered["reason"], answered["again"], rest) == (False, "timeout", True, "")
        over.set()


@pytest.mark.usefixtures("private")
def test_a_certificate_that_is_not_trusted_gets_nothing(tmp_path: Path) -> None:
    with receiving(tls=self_signed_context(tmp_path)) as receiver:
        assert post(receiver.url.replace("http:", "https:"), HEADERS, BODY) == Outcome(False, "untrusted")
    assert receiver.bodies == []


@pytest.mark.usefixtures("private")
def test_nobody_who_listens_is_unreachable() -> None:
    with silent_port() as port:
        outcome = post(f"http://127.0.0.1:{port}/hook", HEADERS, BODY)
    assert outcome == Outcome(False, "unreachable", again=True)


def test_a_host_that_is_not_public_is_not_asked() -> None:
    with receiving() as receiver:
        for host in ("127.0.0.1", "localhost"):
            url = receiver.url.replace("127.0.0.1", host)
            assert post(url, HEADERS, BODY) == Outcome(False, "private", again=False)
    assert receiver.bodies == []


def test_a_name_that_is_private_at_the_connection_is_refused() -> None:
    with receiving() as receiver:
        url = receiver.url.replace("127.0.0.1", "rebinding.example.org")
        checked, _ = child({"check_url": url, "private_allowed": False}, resolver(PUBLIC))
        answered, _ = child(question(url, private_allowed=False), resolver("127.0.0.1"))
    assert checked == {"usable": True}
    assert answered == {"sent": False, "reason": "private", "again": False, "status": None}
    assert receiver.bodies == []


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize("host", PRIVATE_HOSTS)
def test_an_address_whose_host_is_not_public_is_refused(host: str) -> None:
    assert refused(f"https://{host}/hook") == "private"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("hook", "form"), ("https://", "form"), ("https://8.8.8.8:99999/", "form"), ("https://[::1/", "form"),
     ("https://8.8.8.8/\x00", "form"), ("json://8.8.8.8/", "scheme"), ("ftp://8.8.8.8/", "scheme"),
     ("https://8.8.8.8/" + "x" * 1000, "long")],
)  # fmt: skip
def test_what_is_no_address_of_a_webhook_is_refused(text: str, reason: str) -> None:
    assert refused(text) == reason


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("text", ["https://8.8.8.8/hook", "http://8.8.8.8:8080/a?b=c", "HTTPS://name.invalid/"])
def test_a_public_address_is_taken_and_only_its_scheme_is_shown(text: str) -> None:
    assert (check_url(f" {text} ").text, check_url(text).shown) == (text, f"{text.partition(':')[0].lower()}://…")


@pytest.mark.usefixtures("private")
def test_a_check_opens_no_connection() -> None:
    with receiving() as receiver:
        check_url(receiver.url)
    assert receiver.paths == []
