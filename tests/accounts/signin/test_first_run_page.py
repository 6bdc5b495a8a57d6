"""GET and POST /first-run/<token>: docs/api.md#first-run."""

from typing import Any

import pytest

from accounts.models import Session, User
from accounts.signin.first_run import issue_token
from accounts.store_identity import open_store
from tests.factories import PASSWORD, ApiClient

pytestmark = pytest.mark.django_db
GOOD = {"username": "Ada", "password": PASSWORD, "password2": PASSWORD, "email": "ada@example.org"}


@pytest.fixture
def link(db: None) -> str:
    open_store()
    return f"/first-run/{issue_token()}"


def post(visitor: ApiClient, link: str, **changes: str) -> Any:
    return visitor.client.post(link, {"_csrf": visitor.token, **GOOD, **changes})


def test_the_link_opens_the_page(link: str, anonymous: ApiClient) -> None:
    page = anonymous.get(link).content.decode()
    assert all(f'name="{name}"' in page for name in ("username", "password", "password2", "email", "_csrf"))
    assert 'autocomplete="new-password"' in page


def test_the_first_account_is_an_active_administrator(link: str, anonymous: ApiClient) -> None:
    post(anonymous, link)
    admin = User.objects.get()
    assert (admin.username, admin.email, admin.is_admin, admin.is_active) == ("Ada", "ada@example.org", True, True)


def test_who_made_it_is_signed_in_and_led_to_the_overview(link: str, anonymous: ApiClient) -> None:
    assert post(anonymous, link).headers["Location"] == "/"
    assert anonymous.get("/config").status_code == 200


def test_the_email_may_be_left_out(link: str, anonymous: ApiClient) -> None:
    assert post(anonymous, link, email="").status_code == 302
    assert User.objects.get().email is None


@pytest.mark.parametrize(
    ("field", "wrong", "said"),
    [
        ("username", "a", "2 to 32 characters"),
        ("username", "", "required"),
        ("username", "-ada", "begins with a letter or digit"),
        ("password", "", "required"),
        ("password2", "another Horse 7", "The two passwords differ"),
        ("email", "nowhere", "An email address must"),
    ],
)
def test_an_error_stands_at_its_field(field: str, wrong: str, said: str, link: str, anonymous: ApiClient) -> None:
    response = post(anonymous, link, **{field: wrong})
    assert response.status_code == 400
    assert said in response.content.decode().split(f'id="id_{field}_error"')[1].split("</ul>")[0]
    assert not User.objects.exists()


@pytest.mark.parametrize("weak", ["short 1", "onlylowercase", "a1" * 65])
def test_a_weak_password_is_said_at_the_first_field(weak: str, link: str, anonymous: ApiClient) -> None:
    response = post(anonymous, link, password=weak, password2=weak)
    assert response.status_code == 400
    assert 'id="id_password_error"' in response.content.decode()


def test_what_was_typed_is_kept_but_for_passwords(link: str, anonymous: ApiClient) -> None:
    page = post(anonymous, link, password2="another Horse 7").content.decode()
    assert 'value="Ada"' in page
    assert 'value="ada@example.org"' in page
    assert "Horse" not in page


def test_a_failed_try_does_not_use_the_link_up(link: str, anonymous: ApiClient) -> None:
    post(anonymous, link, username="")
    assert post(anonymous, link).status_code == 302


def test_an_empty_form_is_a_failed_try(link: str, anonymous: ApiClient) -> None:
    response = anonymous.client.post(link, headers={"X-CSRF-Token": anonymous.token})
    assert response.status_code == 400
    assert 'id="id_username_error"' in response.content.decode()


def test_the_link_works_once(link: str, anonymous: ApiClient) -> None:
    post(anonymous, link)
    response = post(ApiClient(), link, username="eve")
    assert response.status_code == 404
    assert User.objects.count() == 1


def test_a_dead_link_says_so_and_leads_to_the_sign_in(link: str, alice: User, anonymous: ApiClient) -> None:
    response = anonymous.get(link)
    page = response.content.decode()
    assert response.status_code == 404
    assert "no longer valid" in page
    assert 'href="/login"' in page


def test_another_token_is_a_dead_link(link: str, anonymous: ApiClient) -> None:
    assert anonymous.get(link + "x").status_code == 404
    assert post(anonymous, "/first-run/guess").status_code == 404


def test_a_newer_link_kills_the_older(link: str, anonymous: ApiClient) -> None:
    newer = f"/first-run/{issue_token()}"
    assert (anonymous.get(link).status_code, anonymous.get(newer).status_code) == (404, 200)


def test_a_post_needs_the_token_of_the_page(link: str, anonymous: ApiClient) -> None:
    assert anonymous.client.post(link, GOOD).status_code == 400
    assert not User.objects.exists()


def test_looking_at_the_page_makes_no_session(link: str, anonymous: ApiClient) -> None:
    anonymous.get(link)
    post(anonymous, link, username="")
    assert not Session.objects.exists()
