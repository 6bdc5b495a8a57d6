"""The pages of the audit log and of the application's log, and their items in the menu (docs/api.md#pages)."""

from collections.abc import Callable

import pytest
from django.conf import settings

from accounts.models import User
from tests.factories import ApiClient

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
MENU = ("/backups", "/audit", "/logs", "/users")


def page_of(visitor: ApiClient, path: str) -> str:
    return str(visitor.get(path).content, "utf-8")


@pytest.mark.parametrize("path", ["/audit", "/logs"])
def test_anonymous_visitors_are_led_to_the_sign_in(path: str, anonymous: ApiClient) -> None:
    response = anonymous.get(path)
    assert (response.status_code, response.headers["Location"]) == (302, f"/login?next={path}")


@pytest.mark.parametrize(("path", "status"), [("/audit", 200), ("/logs", 403)])
def test_an_ordinary_user_has_the_own_entries_and_no_log(
    path: str, status: int, alice: User, root: User, api_of: ApiOf
) -> None:
    refused = api_of(alice).get(path)
    assert (refused.status_code, refused.headers["Content-Type"]) == (status, "text/html; charset=utf-8")
    assert api_of(root).get(path).status_code == 200


def test_only_administrators_filter_by_actor(alice: User, root: User, api_of: ApiOf) -> None:
    assert ['name="actor"' in page_of(api_of(user), "/audit") for user in (alice, root)] == [False, True]


def test_the_menu_offers_what_one_may_open(alice: User, root: User, api_of: ApiOf) -> None:
    for user, offered in ((alice, {"/audit"}), (root, set(MENU))):
        page = page_of(api_of(user), "/profile")
        assert {path for path in MENU if f'<a href="{path}"' in page} == offered


@pytest.mark.parametrize("path", ["/audit", "/logs"])
def test_the_pages_have_no_inline_style_or_handler_and_are_read_only(path: str, root: User, api_of: ApiOf) -> None:
    page = page_of(api_of(root), path)
    assert " style=" not in page
    assert " onclick=" not in page
    assert 'aria-current="page"' in next(line for line in page.splitlines() if f'<a href="{path}"' in line)
    assert api_of(root).post(path).status_code == 405


def test_the_page_of_the_log_says_why_it_cannot_be_written(root: User, api_of: ApiOf) -> None:
    visitor, log = api_of(root), settings.DATA_FOLDER.log
    assert "cannot be written" not in page_of(visitor, "/logs")
    log.unlink(missing_ok=True)
    log.mkdir()
    try:
        assert "The log cannot be written (Is a directory), so what happens now is missing here." in page_of(
            visitor, "/logs"
        )
        assert visitor.get("/logs/tail").status_code == 200
    finally:
        log.rmdir()
