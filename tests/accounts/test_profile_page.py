"""GET /profile: name, email, password and sessions of the account (docs/api.md#profile)."""

import re
from collections.abc import Callable

import pytest

from accounts import config
from accounts.models import INSTANCE, User
from archive_site.lib import clock
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db


def page_of(visitor: ApiClient) -> str:
    return str(visitor.get("/profile").content, "utf-8")


def test_anonymous_visitors_are_led_to_the_sign_in(anonymous: ApiClient) -> None:
    response = anonymous.get("/profile")
    assert (response.status_code, response.headers["Location"]) == (302, "/login?next=/profile")


def test_the_own_name_and_email_stand_in_their_fields(alice: User, api_of: ApiOf) -> None:
    User.objects.update(display_name="Alice L.", email="alice@example.org")
    page = page_of(api_of(alice))
    assert 'name="display_name" type="text" value="Alice L."' in page
    assert 'name="email" type="text" value="alice@example.org"' in page


def test_a_missing_email_is_an_empty_field(alice: User, api_of: ApiOf) -> None:
    assert 'name="email" type="text" value=""' in page_of(api_of(alice))


def test_the_last_sign_in_is_shown_with_time_address_and_count(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    now = clock.now()
    User.objects.update(last_login_at=now, last_login_ip="192.0.2.7", login_count=41)
    page = page_of(visitor)
    assert f"<dd>{(clock.local_text(now) or '')[:16]}</dd>" in page
    assert "<dd>192.0.2.7</dd>" in page
    assert "<dd>41</dd>" in page


def test_password_managers_find_old_and_new(alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice))
    # In the form that changes it, where it is asked for again, and where the account is deleted.
    assert page.count('autocomplete="current-password"') == 3
    assert page.count('autocomplete="new-password"') == 2
    assert 'value="alice" autocomplete="username"' in page


def test_the_rule_of_passwords_is_shown_and_belongs_to_its_field(alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice))
    assert 'id="new-help">At least 8 characters' in page
    assert 'aria-describedby="new-help new-error"' in page


def test_a_form_never_puts_what_is_typed_into_the_address(alice: User, api_of: ApiOf) -> None:
    forms = re.findall("<form ([^>]*)>", page_of(api_of(alice)))
    assert forms
    # A form of a dialog is sent nowhere.
    assert [form for form in forms if not re.search('method="(post|dialog)"', form)] == []


def test_what_others_typed_as_their_name_is_escaped(alice: User, api_of: ApiOf) -> None:
    User.objects.update(display_name='"><script>alert(1)</script>')
    assert "<script>alert" not in page_of(api_of(alice))


def test_the_page_is_about_oneself_only(alice: User, bob: User, api_of: ApiOf) -> None:
    User.objects.filter(pk=bob.pk).update(email="bob@example.org")
    assert not re.search(r"\bbob", page_of(api_of(alice)))


@pytest.mark.parametrize(("limit", "shown"), [("0", "1.2 MB"), ("1500", "1.2 of 1,500.0 MB")])
def test_what_the_account_stores_is_shown_with_its_limit(alice: User, api_of: ApiOf, limit: str, shown: str) -> None:
    config.write({"max_account_megabytes": limit}, archive_id=INSTANCE, may_edit_instance=True)
    archive(alice, call("a", prompt="x" * 1_235_000), max_prompt=2_000_000)
    assert f"<dt>Stored</dt><dd>{shown}</dd>" in page_of(api_of(alice))


def test_the_menu_leads_there(alice: User, api_of: ApiOf) -> None:
    assert '<a href="/profile">Profile</a>' in api_of(alice).get("/config").content.decode()


def test_the_page_is_never_kept_by_a_cache(alice: User, api_of: ApiOf) -> None:
    assert "no-store" in api_of(alice).get("/profile").headers["Cache-Control"]


def test_a_post_is_405(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).post("/profile").status_code == 405
