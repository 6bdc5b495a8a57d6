"""Notices by mail."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from accounts.delivery.sending import appearance
from accounts.delivery.sending.addresses import AddressError, check
from accounts.delivery.sending.send import Outcome, send
from tests.accounts.delivery.sending.receivers import child, mail_server, question, receiving
from tests.self_signed import self_signed_context
from tests.silent_port import silent_port

pytestmark = [pytest.mark.usefixtures("private"), pytest.mark.landing]


def sent(port: int) -> Outcome:
    address = f"mailto://127.0.0.1:{port}?from=archive@example.org&to=anna@example.org"
    return send(address, "Cookie ends", "Tomorrow at noon.", "1f3a")


def test_a_mail_server_gets_the_notice() -> None:
    with mail_server() as (port, lines):
        assert sent(port) == Outcome(sent=True)
    assert "Subject: Cookie ends" in lines
    assert "Notice 1f3a" in lines
    assert any(line.lower().startswith("rcpt to:<anna@example.org>") for line in lines)


@pytest.mark.thorough_after(2)
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
from accounts.delivery.sending import services
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


@pytest.fixture
def instance_mail(settings: Settings) -> Iterator[list[str]]:
    """The mail server of the instance, on a private host as of an administrator's choice; gives the lines it gets."""
    settings.NOTIFY_PRIVATE = False
    with mail_server() as (port, lines):
        settings.NOTIFY_MAIL = f"mailto://127.0.0.1:{port}?from=archive@example.org"
        yield lines


def test_a_mail_address_alone_goes_through_the_server_of_the_instance(instance_mail: list[str]) -> None:
    assert check(" mailto:Anna.B+x@example.org ").text == "Anna.B+x@example.org"
    assert instance_mail == []
    assert send("Anna.B+x@example.org", "Cookie ends", "Tomorrow at noon.", "1f3a") == Outcome(sent=True)
    assert "Notice 1f3a" in instance_mail
    assert [line.lower() for line in instance_mail if line.lower().startswith("rcpt")] == [
        "rcpt to:<anna.b+x@example.org>"
    ]


def test_a_mail_address_changes_no_other_part_of_the_servers_address(instance_mail: list[str]) -> None:
    send("anna&smtp=push.example.org&to=bob@example.org", "Cookie ends", "Tomorrow.", "1f3a")
    assert not [line for line in instance_mail if "rcpt to:<bob" in line.lower()]


def receivers(lines: list[str]) -> list[str]:
    return [line.lower() for line in lines if line.lower().startswith("rcpt")]


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    "mailbox", ["o'brien@example.org", "anna@example.xn--p1ai", "a&cc=bob@example.org", "{a}!b@c.org"]
)
def test_a_mail_goes_to_exactly_its_mail_address(mailbox: str, instance_mail: list[str]) -> None:
    assert check(mailbox).text == mailbox
    assert send(mailbox, "Cookie ends", "Tomorrow.", "1f3a") == Outcome(sent=True)
    assert receivers(instance_mail) == [f"rcpt to:<{mailbox}>"]


@pytest.mark.thorough_after(4)
@pytest.mark.parametrize(
    "text",
    [
        '"a@push.example.com,b@push.example.com"@example.org', '"anna"@example.org', "anna@[127.0.0.1]",
        "anna@-bücher.example", "anna@bücher", "an\u200bna@bücher.example", "anna@bü\u202echer.example",
        "anna@example.org, bob@example.org",
        "mailto:anna@example.org?cc=b@c.org",
        "anna@example", "mailto:", "anna@example.org@example.com",
    ],
)  # fmt: skip
def test_what_is_not_one_plain_mail_address_is_refused_and_gets_nothing(text: str, instance_mail: list[str]) -> None:
    with pytest.raises(AddressError) as raised:
        check(text)
    assert raised.value.reason == "mailbox"
    assert not send(text, "Cookie ends", "Tomorrow.", "1f3a").sent
    assert instance_mail == []


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    ("mailbox", "sent_to"),
    [
        ("name@münchen.example", "name@xn--mnchen-3ya.example"),
        ("name@straße.example", "name@xn--strae-oqa.example"),
        ("name@例子.测试", "name@xn--fsqu00a.xn--0zwm56d"),
        ("name@例子。测试", "name@xn--fsqu00a.xn--0zwm56d"),
    ],
)
def test_an_international_domain_is_sent_as_mail_servers_look_it_up_and_shown_as_typed(
    mailbox: str, sent_to: str, instance_mail: list[str]
) -> None:
    assert (check(mailbox).text, appearance.shown(mailbox)) == (mailbox, mailbox)
    assert send(mailbox, "Cookie ends", "Tomorrow.", "1f3a") == Outcome(sent=True)
    assert receivers(instance_mail) == [f"rcpt to:<{sent_to}>"]
    assert f"To: {sent_to}" in instance_mail


def test_a_name_of_other_letters_gets_its_mail_from_a_server_that_takes_such_names(settings: Settings) -> None:
    with mail_server(ehlo="250-here\r\n250-8BITMIME\r\n250 SMTPUTF8") as (port, lines):
        settings.NOTIFY_MAIL = f"mailto://127.0.0.1:{port}?from=archive@example.org"
        assert check("用户@例子.测试").text == "用户@例子.测试"
        assert send("用户@例子.测试", "Cookie ends", "Tomorrow.", "1f3a") == Outcome(sent=True)
    assert receivers(lines) == ["rcpt to:<用户@xn--fsqu00a.xn--0zwm56d>"]
    assert "To: 用户@xn--fsqu00a.xn--0zwm56d" in lines
    assert {"Subject: Cookie ends", "Notice 1f3a"} <= set(lines)


def test_a_server_without_such_names_refuses_it(instance_mail: list[str]) -> None:
    assert send("用户@例子.测试", "Cookie ends", "Tomorrow.", "1f3a") == Outcome(False, "refused", again=False)
    assert receivers(instance_mail) == []


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize(
    "receiver",
    [
        "from=archive@example.org&to=o'brien@example.org",
        "from=archive@example.org&to=anna@example.org&cc=o'brien@example.org",
        "from=archive@example.org&to=anna@example.xn--p1ai",
        "from=o'brien@example.org",
    ],
)
def test_a_receiver_that_the_library_reads_as_another_gets_nothing(receiver: str) -> None:
    with mail_server() as (port, lines):
        address = f"mailto://127.0.0.1:{port}?{receiver}"
        with pytest.raises(AddressError, match="form"):
            check(address)
        assert send(address, "Cookie ends", "Tomorrow.", "1f3a") == Outcome(False, "address", again=False)
    assert lines == []


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    ("address", "named"),
    [
        ("mailto://{}/anna@example.org/bob@example.org?from=a@example.com", ["anna@example.org", "bob@example.org"]),
        ("mailto://{}?from=a@example.com&to=Anna<anna@example.org>,bob@example.org&bcc=c@example.org",
         ["anna@example.org", "c@example.org", "bob@example.org", "c@example.org"]),
        ("mailto://{}?from=A.b%2Bc@example.com", ["a.b+c@example.com"]),
    ],
)  # fmt: skip
def test_the_receivers_of_an_address_of_a_mail_server_get_their_mail(address: str, named: list[str]) -> None:
    with mail_server() as (port, lines):
        assert send(address.format(f"127.0.0.1:{port}"), "Cookie ends", "Tomorrow.", "1f3a") == Outcome(sent=True)
    assert receivers(lines) == [f"rcpt to:<{mailbox}>" for mailbox in named]


def test_without_a_mail_server_a_mail_address_is_refused_in_words(settings: Settings) -> None:
    settings.NOTIFY_MAIL = None
    with pytest.raises(AddressError) as raised:
        check("anna@example.org")
    assert raised.value.reason == "mail"
    assert send("anna@example.org", "Cookie ends", "Tomorrow.", "1f3a") == Outcome(False, "mail", again=True)


def test_a_mail_server_that_the_library_cannot_use_is_no_fault_of_the_mail_address(settings: Settings) -> None:
    settings.NOTIFY_MAIL = "mailto://mail.example.org?redirect=yes"
    with pytest.raises(AddressError) as raised:
        check("anna@example.org")
    assert raised.value.reason == "mail"
