"""GET /: the overview (docs/api.md#pages)."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from accounts import config
from accounts.credentials import credential
from accounts.models import Session, User
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from usage.models import DayGroup
from usage.source_traits import traits_of

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db


def archive_of(user: User) -> None:
    DayGroup.objects.create(archive_id=user.pk, day="2026-09-01", model="m", client="c", credits=1, calls=1, free=0)


def page_of(visitor: ApiClient) -> str:
    return str(visitor.get("/").content, "utf-8")


def test_anonymous_visitors_are_led_to_the_sign_in(anonymous: ApiClient) -> None:
    response = anonymous.get("/")
    assert (response.status_code, response.headers["Location"]) == (302, "/login?next=/")
    assert not Session.objects.exists()


def test_an_empty_archive_shows_the_first_steps(alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice))
    assert 'id="first-steps"' in page
    assert 'data-cookie="none"' in page
    assert f'href="{config.instance_settings().api_base}{traits_of(alice.pk).usage_page}"' in page


def test_the_first_steps_go_on_where_a_cookie_is_set(alice: User, api_of: ApiOf) -> None:
    credential.store(alice.pk, "session=1|2|3; marker=1")
    page = page_of(api_of(alice))
    assert 'data-cookie="set"' in page
    assert "marker" not in page


def test_an_archive_with_records_shows_its_parts_at_once(alice: User, api_of: ApiOf) -> None:
    archive_of(alice)
    page = page_of(api_of(alice))
    assert 'id="first-steps"' not in page
    assert '<div id="overview" class="overview">' in page


def test_the_pickers_show_what_the_address_asks_for_before_any_script(alice: User, api_of: ApiOf) -> None:
    archive_of(alice)
    page = str(api_of(alice).get("/?period=90&model=<b>").content, "utf-8")
    assert '<button type="button" data-period="90" aria-pressed="true" data-from="' in page
    assert '<span class="period-name" data-period-name>Last 90 days</span>' in page
    assert '<option value="&lt;b&gt;" selected>&lt;b&gt;</option>' in page


def test_the_tab_of_the_address_is_open_before_any_script(alice: User, api_of: ApiOf) -> None:
    archive_of(alice)
    closed = 'aria-labelledby="tab-{}" hidden>'
    for query, other in (("", "hours"), ("?tab=hours", "days"), ("?tab=nonsense", "hours")):
        page = str(api_of(alice).get(f"/{query}").content, "utf-8")
        assert closed.format(other) in page
        assert page.count('role="tabpanel"') == 2
        assert closed.format("days" if other == "hours" else "hours") not in page


def test_the_page_says_which_day_it_is_for_the_server(alice: User, api_of: ApiOf, time: SetClock) -> None:
    time.now = datetime(2026, 9, 6, 22, tzinfo=UTC)
    assert 'data-today="2026-09-07"' in page_of(api_of(alice))


def test_another_accounts_records_do_not_count(alice: User, bob: User, api_of: ApiOf) -> None:
    archive_of(bob)
    assert 'id="first-steps"' in page_of(api_of(alice))


def test_the_page_carries_the_token_in_a_script_with_a_nonce(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).get("/")
    nonce = response.headers["Content-Security-Policy"].split("'nonce-")[1].split("'")[0]
    assert f'nonce="{nonce}">window.WB_CSRF = "' in response.content.decode()


def test_every_inline_script_has_the_nonce(alice: User, api_of: ApiOf) -> None:
    scripts = [part.split(">")[0] for part in page_of(api_of(alice)).split("<script")[1:]]
    assert scripts
    assert all("nonce=" in script or "src=" in script for script in scripts)


def test_the_page_has_no_inline_style_or_handler(alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice))
    assert " style=" not in page
    assert " onclick=" not in page


def test_a_name_is_escaped(alice: User, api_of: ApiOf) -> None:
    User.objects.update(display_name="<script>alert(1)</script>")
    assert "<script>alert" not in page_of(api_of(alice))


def test_the_page_never_links_to_one_that_does_not_exist(root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    links = {part.split('"')[0] for part in page_of(visitor).split(' href="')[1:]}
    own = [link for link in links if link.startswith("/") and not link.startswith("/static/")]
    assert {link: visitor.client.get(link, follow=True).status_code for link in own} == dict.fromkeys(own, 200)


def test_a_post_is_405(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).post("/").status_code == 405
