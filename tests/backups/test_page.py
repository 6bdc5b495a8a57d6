"""The page of backups, for administrators only (docs/api.md#pages)."""

from collections.abc import Callable

import pytest

from accounts.models import User
from tests.factories import ApiClient

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
PATH = "/backups"


def test_only_administrators_see_it(alice: User, root: User, anonymous: ApiClient, api_of: ApiOf) -> None:
    led = anonymous.get(PATH)
    assert (led.status_code, led.headers["Location"]) == (302, f"/login?next={PATH}")
    refused = api_of(alice).get(PATH)
    assert (refused.status_code, b"Only an administrator may see this." in refused.content) == (403, True)
    assert b"data-free" not in refused.content
    assert api_of(root).get(PATH).status_code == 200
    assert api_of(root).post(PATH).status_code == 405


def test_the_page_shows_the_free_space(root: User, api_of: ApiOf) -> None:
    page = str(api_of(root).get(PATH).content, "utf-8")
    assert any(unit in page.partition('data-free="')[2].partition('"')[0] for unit in ("MB", "GB", "TB"))
    assert 'maxlength="200"' in page


def test_it_has_no_inline_style_or_handler(root: User, api_of: ApiOf) -> None:
    page = str(api_of(root).get(PATH).content, "utf-8")
    assert (" style=" in page, " onclick=" in page) == (False, False)
