"""GET /metrics: to whom it is open (docs/metrics.md)."""

import ipaddress
import logging
from typing import Any

import pytest
from django.db import OperationalError
from pytest_django import DjangoAssertNumQueries

from accounts.models import ApiToken, User
from archive_site.lib.http.store_refusals import RETRY_AFTER
from archive_site.lib.locks import write_freeze
from archive_site.lib.locks.write_freeze import frozen
from tests.archive_site.metrics_page import TOKEN, Scraper
from tests.factories import ApiClient
from tests.tokens import TokenClient, make_token

pytestmark = pytest.mark.django_db
INSIDE, OUTSIDE = "10.1.2.3", "192.0.2.1"


@pytest.fixture
def addresses(settings: Any) -> None:
    settings.METRICS_ADDRESSES = [ipaddress.ip_network(text) for text in ("10.0.0.0/8", "2001:db8::/32")]


def status(address: str = OUTSIDE, **headers: str) -> int:
    """The status of an answer to a client at an address."""
    return int(ApiClient().client.get("/metrics", headers=headers, REMOTE_ADDR=address).status_code)


def bearer(text: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {text}"}


@pytest.mark.parametrize("headers", [{}, bearer(""), bearer(TOKEN)])
def test_it_is_off_unless_somebody_may_read_it(headers: dict[str, str]) -> None:
    assert status("127.0.0.1", **headers) == 404


def test_its_token_opens_it(scraper: Scraper) -> None:
    response = scraper.ask()
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    assert not response.cookies


@pytest.mark.parametrize("scheme", ["bearer", "BEARER", " Bearer "])
def test_the_word_bearer_may_be_written_in_any_case(scheme: str, scraper: Scraper) -> None:
    assert status(Authorization=f"{scheme} {TOKEN}") == 200


@pytest.mark.parametrize("text", ["", "wrong", TOKEN[:-1], TOKEN + "1", TOKEN.upper(), f"{TOKEN} {TOKEN}", "ü中" * 99])
def test_a_wrong_token_is_401(text: str, scraper: Scraper) -> None:
    response = ApiClient().client.get("/metrics", headers=bearer(text))
    assert (response.status_code, response.headers["WWW-Authenticate"]) == (401, "Bearer")
    assert b"usage_archive" not in response.content


@pytest.mark.parametrize("headers", [{}, {"Authorization": f"Basic {TOKEN}"}, {"Authorization": TOKEN}])
def test_without_a_token_it_is_401(headers: dict[str, str], scraper: Scraper) -> None:
    assert status(**headers) == 401


def test_a_wrong_token_asks_the_store_nothing(
    scraper: Scraper, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        assert status(**bearer("ua_wrong")) == 401


def test_a_personal_token_does_not_open_it_and_is_not_used(root: User, scraper: Scraper) -> None:
    token, text = make_token(root)
    assert TokenClient(text).get("/metrics").status_code == 401
    assert ApiToken.objects.get(pk=token.pk).last_used_at is None


@pytest.mark.parametrize("is_admin", [False, True])
def test_a_session_does_not_open_it(is_admin: bool, alice: User, scraper: Scraper) -> None:
    User.objects.update(is_admin=is_admin)
    assert ApiClient.signed_in(alice).get("/metrics").status_code == 401


@pytest.mark.parametrize("address", [INSIDE, "10.255.255.255", "2001:db8::7", f"::ffff:{INSIDE}"])
@pytest.mark.usefixtures("addresses")
def test_an_allowed_address_opens_it(address: str) -> None:
    assert status(address) == 200


@pytest.mark.parametrize("address", [OUTSIDE, "11.0.0.1", "2001:db9::7", "", "nonsense"])
@pytest.mark.usefixtures("addresses")
def test_another_address_is_403(address: str) -> None:
    assert status(address) == 403
    # There is no token that could open it.
    assert status(address, **bearer(TOKEN)) == 403


@pytest.mark.usefixtures("addresses")
def test_either_of_both_opens_it(scraper: Scraper) -> None:
    assert [status(INSIDE), status(OUTSIDE, **bearer(TOKEN)), status(OUTSIDE)] == [200, 200, 403]
    # A program whose token is wrong gets that answer, wherever it runs.
    assert status(INSIDE, **bearer("wrong")) == 401


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [(0, INSIDE, 403), (1, INSIDE, 200), (1, f"{INSIDE}, {OUTSIDE}", 403), (2, f"{INSIDE}, {OUTSIDE}", 200)],
)
@pytest.mark.usefixtures("addresses")
def test_behind_proxies_the_address_is_that_of_the_client(
    proxies: int, forwarded: str, expected: int, settings: Any
) -> None:
    settings.TRUSTED_PROXIES = proxies
    assert status(OUTSIDE, **{"X-Forwarded-For": forwarded}) == expected


@pytest.mark.parametrize("host", ["10.0.0.7:8000", "[2001:db8::7]:8000", "[::1]", "testserver"])
@pytest.mark.usefixtures("addresses")
def test_an_allowed_address_may_ask_for_any_address(host: str) -> None:
    assert status(INSIDE, Host=host) == 200


@pytest.mark.parametrize("host", ["evil.example", "10.0.0.7.evil.example:8000", "not a host", "[::", ""])
@pytest.mark.usefixtures("addresses")
def test_a_foreign_page_cannot_read_it_under_its_own_name(host: str, scraper: Scraper) -> None:
    assert status(INSIDE, Host=host) == 403
    # A browser does not have the token.
    assert status(INSIDE, Host=host, **bearer(TOKEN)) == 200


def test_head_is_answered(scraper: Scraper) -> None:
    response = scraper.client.head("/metrics", headers=bearer(TOKEN))
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize("method", ["post", "put", "delete", "options"])
def test_other_methods_are_405(method: str, scraper: Scraper) -> None:
    response = getattr(scraper.client, method)("/metrics", headers=bearer(TOKEN))
    assert (response.status_code, response.headers["Allow"]) == (405, "GET, HEAD")
    assert getattr(scraper.client, method)("/metrics").status_code == 401


@pytest.mark.parametrize("path", ["/metrics/", "/api/metrics", "/metrics/x", "/METRICS"])
def test_other_paths_are_not_it(path: str, scraper: Scraper) -> None:
    assert scraper.client.get(path, headers=bearer(TOKEN)).status_code in (401, 404)


@pytest.mark.django_db(transaction=True)
def test_it_is_503_during_a_restore(scraper: Scraper, monkeypatch: pytest.MonkeyPatch) -> None:
    # The request is answered in this thread, which would count as the restore.
    with frozen(), monkeypatch.context() as patch:
        patch.setattr(write_freeze, "_mine", type("_", (), {"share": None, "holds_all": False})())
        response = scraper.ask()
    assert (response.status_code, response.headers["Retry-After"]) == (503, str(RETRY_AFTER))
    assert scraper.ask().status_code == 200


def test_it_is_answered_where_nobody_can_say_whether_there_is_a_restore(
    scraper: Scraper, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise OperationalError("marker-7f3a")

    monkeypatch.setattr(write_freeze, "writing", fail)
    assert "marker" not in scraper.text()


def test_the_log_has_no_token(scraper: Scraper, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        scraper.ask()
        status(**bearer(TOKEN + "wrong"))
    assert TOKEN not in caplog.text
