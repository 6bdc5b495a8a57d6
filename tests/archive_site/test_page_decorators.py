"""The rules of all pages behind `signed_in_page` and `admin_page`."""

import re
from collections.abc import Callable

import pytest
from django.test import Client

from accounts.models import User
from tests.factories import ApiClient

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
FOR_ADMINS = ["/users", "/logs", "/backups", "/config/instance"]
PAGES = ["/", "/records", "/runs", "/config", "/profile", "/audit", *FOR_ADMINS]


@pytest.mark.parametrize("path", PAGES)
def test_no_cache_keeps_a_page(path: str, root: User, api_of: ApiOf) -> None:
    assert "no-store" in api_of(root).get(path).headers["Cache-Control"]


@pytest.mark.parametrize("path", PAGES)
def test_head_is_answered_without_a_body(path: str, root: User, api_of: ApiOf) -> None:
    response = api_of(root).client.head(path)
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.parametrize("path", PAGES)
def test_a_visitor_is_led_to_the_sign_in_and_back(path: str, anonymous: ApiClient) -> None:
    response = anonymous.get(path)
    assert (response.status_code, response.headers["Location"]) == (302, f"/login?next={path}")


@pytest.mark.parametrize("path", [*PAGES, "/api/docs", "/import", "/notices", "/repeated", "/statements/2026-11"])
def test_the_menu_marks_the_page(path: str, root: User, api_of: ApiOf) -> None:
    page = api_of(root).get(path).content.decode()
    assert re.search(r"<a [^>]*\baria-current=", page)


@pytest.mark.parametrize("path", FOR_ADMINS)
@pytest.mark.parametrize("method", ["get", "head"])
def test_a_page_for_administrators_is_refused_to_others(method: str, path: str, alice: User, api_of: ApiOf) -> None:
    assert getattr(api_of(alice).client, method)(path).status_code == 403


@pytest.mark.parametrize("path", ["/", "/records/export", "/logs/tail"])
def test_a_visitor_of_a_very_long_address_is_led_to_the_sign_in(client: Client, path: str) -> None:
    answer = client.get(path, {"q": "龘" * 300})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login")


def test_the_longest_address_that_is_come_back_to_fits(client: Client) -> None:
    answer = client.get("/records/export?q=" + "&" * 580)
    assert (answer.status_code, answer.headers["Location"].partition("=")[0]) == (302, "/login?next")
