"""Notices by mail."""

from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.notices.sending.send import Outcome, send
from tests.accounts.notices.sending.receivers import child, mail_server, question, receiving
from tests.self_signed import self_signed_context
from tests.silent_port import silent_port

pytestmark = pytest.mark.usefixtures("private")


def sent(port: int) -> Outcome:
    address = f"mailto://127.0.0.1:{port}?from=archive@example.org&to=anna@example.org"
    return send(address, "Cookie ends", "Tomorrow at noon.", "1f3a")


def test_a_mail_server_gets_the_notice() -> None:
    with mail_server() as (port, lines):
        assert sent(port) == Outcome(sent=True)
    assert "Subject: Cookie ends" in lines
    assert "Notice 1f3a" in lines
    assert any(line.lower().startswith("rcpt to:<anna@example.org>") for line in lines)


@pytest.mark.parametrize(
    ("command", "answer", "outcome"),
    [
        ("rcpt", "550 nobody here", Outcome(False, "refused", again=False)),
        ("mail", "553 not you", Outcome(False, "refused", again=False)),
        ("rcpt", "450 later", Outcome(False, "failed", again=True)),
        ("data", "552 too long", Outcome(False, "too_long", again=False)),
    ],
)
def test_what_the_mail_server_answers_is_the_outcome(command: str, answer: str, outcome: Outcome) -> None:
    with mail_server(**{command: answer}) as (port, _):
        assert sent(port) == outcome


def test_a_certificate_that_is_not_trusted_gets_no_mail(tmp_path: Path) -> None:
    with receiving(tls=self_signed_context(tmp_path)) as receiver:
        address = f"mailtos://127.0.0.1:{receiver.port}?from=archive@example.org&to=anna@example.org&mode=ssl"
        assert send(address, "title", "body", "1f3a") == Outcome(False, "untrusted", again=False)


def test_mail_is_checked_against_the_certificates_of_the_client() -> None:
    counting = """
import ssl
from accounts.notices.sending import services
def notify(*_):
    if ssl.create_default_context().cert_store_stats()["x509_ca"] > 50:
        return services.REFUSED_FOR_NOW
services.notify = notify"""
    assert child(question("json://127.0.0.1/"), counting)[0]["reason"] == "refused"


def test_no_mail_server_is_unreachable() -> None:
    with silent_port() as port:
        assert sent(port) == Outcome(False, "unreachable", again=True)


def test_a_mail_server_that_is_not_public_is_asked_nothing(settings: Settings) -> None:
    settings.NOTIFY_PRIVATE = False
    with mail_server() as (port, lines):
        assert sent(port) == Outcome(False, "private", again=False)
    assert lines == []
