"""GET /records: the page around the list of records (docs/api.md#pages)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from django.conf import settings

from accounts.models import Session, User
from archive_site.lib import clock
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db


def page_of(visitor: ApiClient, **params: str) -> str:
    return str(visitor.get("/records", **params).content, "utf-8")


def is_hidden(page: str, name: str) -> bool:
    """Whether the element with an id is sent hidden."""
    [tag] = re.findall(rf'<\w+ id="{name}"[^>]*>', page)
    return " hidden" in tag


def test_anonymous_visitors_are_led_to_the_sign_in_and_back(anonymous: ApiClient) -> None:
    response = anonymous.get("/records")
    assert (response.status_code, response.headers["Location"]) == (302, "/login?next=/records")
    assert not Session.objects.exists()


def test_an_empty_archive_says_what_will_stand_here(alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice))
    assert (is_hidden(page, "nothing-yet"), is_hidden(page, "archived")) == (False, True)


def test_an_archive_with_records_shows_the_list_at_once(alice: User, api_of: ApiOf) -> None:
    archive(alice, call())
    page = page_of(api_of(alice))
    assert (is_hidden(page, "nothing-yet"), is_hidden(page, "archived")) == (True, False)


def test_another_accounts_records_do_not_count(alice: User, bob: User, api_of: ApiOf) -> None:
    archive(bob, call())
    assert is_hidden(page_of(api_of(alice)), "archived")


@pytest.mark.parametrize("path", ["/", "/records"])
def test_a_page_has_the_servers_day(path: str, alice: User, api_of: ApiOf, time: SetClock) -> None:
    visitor = api_of(alice)
    time.now = datetime(2026, 9, 8, 23, 30, tzinfo=UTC)
    assert visitor.get(path).context["today"] == clock.today().isoformat()


@pytest.mark.parametrize(("language", "words"), [("en", "no client"), ("zh-hans", "无客户端")])
def test_the_filter_of_no_client_stands_there_before_any_script_runs(
    alice: User, api_of: ApiOf, language: str, words: str
) -> None:
    visitor = api_of(alice)
    visitor.client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    page = page_of(visitor, no_client="1", client="ide", no_model="0", no_purpose="")
    assert f'<option value="" data-without selected>{words}</option>' in page
    assert page.count("data-without") == 1


def test_the_filters_stand_there_before_any_script_runs(alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice), period="7", model="glm", client="<b>", purpose="<i>")
    assert 'data-period="7" aria-pressed="true" data-from=' in page
    assert '<option value="glm" selected>' in page
    assert '<option value="&lt;b&gt;" selected>' in page
    assert '<option value="&lt;i&gt;" selected>' in page


def test_it_begins_with_all_records(alice: User, api_of: ApiOf) -> None:
    assert 'data-period="all" aria-pressed="true"' in page_of(api_of(alice))


def test_no_record_is_written_into_the_page(alice: User, api_of: ApiOf) -> None:
    archive(alice, call(prompt="marker-of-a-prompt"))
    assert "marker-of-a-prompt" not in page_of(api_of(alice), record="r1")


def test_the_page_has_no_inline_style_or_handler(alice: User, api_of: ApiOf) -> None:
    assert not re.search(r"<[^>]* (style|on[a-z]+)=", page_of(api_of(alice)))


def test_a_post_is_405(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).post("/records").status_code == 405
