"""Addresses that may be stored, and those that are refused with a code."""

import pytest

from accounts.delivery.sending import own_process
from accounts.delivery.sending.addresses import Address, AddressError, check

pytestmark = pytest.mark.landing
PUBLIC = ["json://8.8.8.8/hook", "ntfy://8.8.8.8/topic", "mailto://anna:secret@8.8.8.8?from=anna@example.org"]
PRIVATE_HOSTS = [
    "127.0.0.1", "127.0.0.1:8000", "localhost", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "0.0.0.0", "2130706433", "224.0.0.1", "[::1]", "[::ffff:10.0.0.1]", "[fd00::1]", "[64:ff9b::7f00:1]",
]  # fmt: skip
OTHER_SCHEMES = [
    "syslog://", "rsyslog://8.8.8.8", "dbus://", "gnome://", "macosx://", "windows://", "mqtt://8.8.8.8/topic",
    "xmpp://8.8.8.8", "irc://8.8.8.8", "growl://8.8.8.8", "smpp://8.8.8.8", "nostr://key", "exec://ls",
    "file:///etc/passwd", "http://8.8.8.8/", "apprise://8.8.8.8/key",
    "matrix://8.8.8.8", "vapid://a@example.org",
]  # fmt: skip
# The library raises IndexError.
BREAKS_PARSER = "tgram://123456789:?;abcdefg_hijklmnop/1"
PARAMETERS = [
    "json://8.8.8.8/?redirect=yes", "json://8.8.8.8/?cto=60", "json://8.8.8.8/?rto=60", "json://8.8.8.8/?retry=9",
    "json://8.8.8.8/?wait=9", "json://8.8.8.8/?store=yes", "json://8.8.8.8/?overflow=split",
    "ntfy://8.8.8.8/topic?attach=file:///etc/passwd", "ntfy://8.8.8.8/topic?ATTACH=http://127.0.0.1/",
    "tgram://123456789:abcdefg_hijklmnop/1/?template=/etc/passwd",
    "mailto://a:b@8.8.8.8?pgp=encrypt", "mailto://a:b@8.8.8.8?pgppub=/etc/passwd", "mailto://a:b@8.8.8.8?wkd=yes",
]  # fmt: skip


def reason(text: str) -> str:
    with pytest.raises(AddressError) as raised:
        check(text)
    assert str(raised.value) == raised.value.reason
    return raised.value.reason


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("text", PUBLIC)
def test_an_address_of_a_public_host_is_taken(text: str) -> None:
    assert check(f" {text} ").text == text


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize("host", PRIVATE_HOSTS)
def test_a_host_that_is_not_public_is_refused(host: str) -> None:
    assert reason(f"json://{host}/hook") == "private"


def test_the_mail_server_counts_and_not_the_domain() -> None:
    assert reason("mailto://anna:secret@example.org?smtp=127.0.0.1") == "private"


@pytest.mark.usefixtures("private")
def test_a_private_host_is_taken_where_the_environment_allows_it() -> None:
    assert check("json://127.0.0.1:1/hook").scheme == "json"


def test_a_name_that_nobody_resolves_is_taken_as_the_connection_is_checked() -> None:
    assert check("json://name.invalid/hook").scheme == "json"


@pytest.mark.parametrize("text", OTHER_SCHEMES)
def test_a_scheme_that_is_not_listed_is_refused(text: str) -> None:
    assert reason(text) == "scheme"


@pytest.mark.thorough_after(3)
@pytest.mark.parametrize(
    "text", ["", "ntfy", "ntfy://", "json://", "tgram://x", "json://8.8.8.8/\x00", "a b://c", BREAKS_PARSER]
)
def test_what_the_library_cannot_read_is_refused(text: str) -> None:
    assert reason(text) == "form"


def test_an_address_has_at_most_1000_characters() -> None:
    text = "json://8.8.8.8/".ljust(1000, "x")
    assert check(text).text == text
    assert reason(text + "x") == "long"


@pytest.mark.parametrize("form", ["ntfy+https://{}.example.org/", "https://ntfy.sh/{}?a b", "{}@example.org", "{}"])
def test_a_long_address_is_refused_whatever_it_is_for(form: str) -> None:
    assert reason(form.format("x" * 900_000)) == "long"


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize("text", PARAMETERS)
def test_a_parameter_that_is_not_listed_is_refused(text: str) -> None:
    assert reason(text) == "parameter"


def test_headers_and_fields_are_taken() -> None:
    assert check("json://8.8.8.8/?+X-Name=a&:field=b&-query=c&method=PUT")


def test_an_address_has_at_most_ten_receivers() -> None:
    topics = [f"topic{number}" for number in range(11)]
    assert check(f"ntfy://8.8.8.8/{'/'.join(topics[:10])}")
    assert reason(f"ntfy://8.8.8.8/{'/'.join(topics)}") == "targets"


def test_a_check_that_breaks_off_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own_process, "SECONDS", 0.001)
    assert reason("json://8.8.8.8/") == "unchecked"


def test_only_the_scheme_is_shown() -> None:
    address = Address("ntfys://anna:marker-7f3a@example.org/marker-topic", "ntfys")
    assert address.shown == "ntfys://…"
    assert "marker" not in repr(address)
