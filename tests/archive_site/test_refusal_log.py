"""What the log says of refused hosts and origins: docs/deploy.md#what-the-log-says-of-refusals."""

from typing import Any

import pytest

from archive_site.lib import seldom_log
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("fresh_lines")]
ELSEWHERE = "https://usage.example.org"
OF_HOSTS = "django.security.DisallowedHost"


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Any:
    # Its own level keeps that logger out of the log.
    return lambda: [line.getMessage() for line in caplog.records if line.name != OF_HOSTS]


def let_pass(seconds: float) -> None:
    seldom_log._last = {kind: at - seconds for kind, at in seldom_log._last.items()}


def write(visitor: ApiClient, **headers: str) -> int:
    answer = visitor.client.post("/login", {"_csrf": visitor.token}, headers=headers)
    return int(answer.status_code)


def test_a_host_that_is_not_allowed_is_named_with_the_variable(anonymous: ApiClient, settings: Any, lines: Any) -> None:
    settings.ALLOWED_HOSTS = ["localhost", "[::1]"]
    assert anonymous.client.get("/login", headers={"Host": "192.168.1.20:8000"}).status_code == 400
    assert lines() == [
        "refused the host '192.168.1.20:8000': if it is one of this service, add '192.168.1.20' to "
        "ARCHIVE_ALLOWED_HOSTS"
    ]


def test_the_host_to_add_is_whole_however_many_there_are(anonymous: ApiClient, settings: Any, lines: Any) -> None:
    settings.ALLOWED_HOSTS = [f"host-{number}.example.org" for number in range(20)]
    long = ".".join(["a" * 60] * 4)
    anonymous.client.get("/login", headers={"Host": long})
    (line,) = lines()
    assert line.endswith(f"add '{long}' to ARCHIVE_ALLOWED_HOSTS")


def test_the_origin_to_add_is_whole_however_many_there_are(anonymous: ApiClient, settings: Any, lines: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = [f"https://host-{number}.example.org" for number in range(20)]
    long = f"https://{'.'.join(['a' * 60] * 4)}:8443"
    write(anonymous, Origin=long)
    (line,) = lines()
    assert line.endswith(f"add '{long}' to ARCHIVE_TRUSTED_ORIGINS")


@pytest.mark.parametrize("host", ["a b", "user:word@host", "[::", "a" * 254, "a..b", ".example.org", "a_b@host"])
def test_what_is_no_host_name_is_not_to_be_allowed(host: str, anonymous: ApiClient, lines: Any) -> None:
    anonymous.client.get("/login", headers={"Host": host})
    assert lines() == [f"refused the host {seldom_log.shown(host)}: that is no host name or address"]


@pytest.mark.parametrize("host", ["my_service:8000", "usage_archive", "a.b_c.example.org"])
def test_a_name_with_an_underscore_is_for_the_proxy_to_change(host: str, anonymous: ApiClient, lines: Any) -> None:
    anonymous.client.get("/login", headers={"Host": host})
    assert lines() == [
        f"refused the host '{host}': no name with an underscore is accepted; let the proxy pass the Host header on "
        "as it came"
    ]


def test_many_hosts_are_one_line_a_minute(anonymous: ApiClient, lines: Any) -> None:
    for number in range(20):
        anonymous.client.get("/login", headers={"Host": f"host-{number}.example.org"})
    let_pass(59)
    anonymous.client.get("/login", headers={"Host": "late.example.org"})
    assert len(lines()) == 1
    let_pass(1)
    anonymous.client.get("/login", headers={"Host": "later.example.org"})
    assert len(lines()) == 2
    assert "later.example.org" in lines()[1]


def test_a_refused_host_does_not_hide_a_refused_origin(anonymous: ApiClient, lines: Any) -> None:
    anonymous.client.get("/login", headers={"Host": "host.example.org"})
    write(anonymous, Origin=ELSEWHERE)
    assert [line.split()[2] for line in lines()] == ["host", "write"]


@pytest.mark.parametrize("sent", ["x" * 60_000, "a\r\n2026-01-01 forged", "\x1b[31m" * 100, "\xe4" * 300])
def test_a_line_is_short_and_printable_whatever_came(sent: str, anonymous: ApiClient, lines: Any) -> None:
    anonymous.client.get("/login", headers={"Host": sent})
    write(anonymous, Origin=f"https://{sent}")
    assert len(lines()) == 2
    assert all(line.isascii() and line.isprintable() and len(line) < 600 for line in lines())


def test_an_origin_that_is_not_trusted_is_named_with_the_variable(
    anonymous: ApiClient, settings: Any, lines: Any
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://old.example.org"]
    assert write(anonymous, Origin=ELSEWHERE) == 400
    assert lines() == [
        f"refused a write that came from '{ELSEWHERE}' to 'http://testserver': if both are this service, let the proxy "
        f"pass the Host header on as it came, or add '{ELSEWHERE}' to ARCHIVE_TRUSTED_ORIGINS"
    ]


@pytest.mark.parametrize(
    ("proxies", "more"), [(0, ", and set ARCHIVE_TRUSTED_PROXIES to the number of proxies"), (1, "")]
)
def test_another_scheme_of_the_same_host_is_a_header_of_the_proxy(
    proxies: int, more: str, anonymous: ApiClient, settings: Any, lines: Any
) -> None:
    settings.TRUSTED_PROXIES = proxies
    assert write(anonymous, Origin="https://testserver") == 400
    assert lines() == [
        "refused a write that came from 'https://testserver' to 'http://testserver': let the proxy name the scheme of "
        f"the browser in X-Forwarded-Proto{more}"
    ]


@pytest.mark.parametrize(("origin", "named"), [("null", "null"), ("https://", ""), ("https://[", "")])
def test_an_origin_that_is_hidden_is_said_to_be(origin: str, named: str, anonymous: ApiClient, lines: Any) -> None:
    assert write(anonymous, Origin=origin) == 400
    assert lines() == [
        f"refused a write that came from '{named}' to 'http://testserver': without an origin; a proxy or a browser "
        "hides it (Referrer-Policy: no-referrer)"
    ]


@pytest.mark.parametrize(
    "origin", ["chrome-extension://abcdefgh", "moz-extension://a-b", "app://localhost", "https://a,b", "https://a b"]
)
def test_what_the_start_refuses_or_splits_is_not_advised(origin: str, anonymous: ApiClient, lines: Any) -> None:
    assert write(anonymous, Origin=origin) == 400
    assert lines() == [
        f"refused a write that came from '{origin}' to 'http://testserver': that is no website, and nothing makes this "
        "service trust it"
    ]


def test_of_a_referer_only_the_origin_is_named(anonymous: ApiClient, lines: Any) -> None:
    address = "https://user:word@usage.example.org/first-run/opens-all?token=opens-all"
    anonymous.client.post("/login", {"_csrf": anonymous.token}, secure=True, headers={"Referer": address})
    (line,) = lines()
    assert f"came from '{ELSEWHERE}' to 'https://testserver'" in line
    assert not {"word", "opens-all"} & set(line.replace("/", " ").replace("=", " ").split())
