"""GET and POST /login, POST /logout: docs/api.md#sign-in."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from django.http import HttpResponse

from accounts.models import Session, User
from accounts.signin.forms import WRONG
from audit.models import Entry
from tests.factories import PASSWORD, ApiClient

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]


def post(visitor: ApiClient, path: str, **fields: str) -> Any:
    return visitor.client.post(path, {"_csrf": visitor.token, **fields})


def sign_in(visitor: ApiClient, username: str = "alice", password: str = PASSWORD, **fields: str) -> Any:
    return post(visitor, "/login", username=username, password=password, **fields)


def error_of(response: HttpResponse) -> str:
    return response.content.decode().split('id="id_password_error"')[1].split("</ul>")[0]


def test_the_page_asks_for_name_and_password(anonymous: ApiClient) -> None:
    page = anonymous.get("/login").content.decode()
    assert all(f'name="{name}"' in page for name in ("username", "password", "_csrf"))
    assert "csrfmiddlewaretoken" not in page


def test_the_page_names_its_fields_for_password_managers(anonymous: ApiClient) -> None:
    page = anonymous.get("/login").content.decode()
    assert 'autocomplete="username"' in page
    assert 'autocomplete="current-password"' in page


def test_the_page_carries_the_token_in_a_script_with_a_nonce(anonymous: ApiClient) -> None:
    response = anonymous.get("/login")
    nonce = response.headers["Content-Security-Policy"].split("'nonce-")[1].split("'")[0]
    assert f'nonce="{nonce}">window.WB_CSRF = "' in response.content.decode()


def test_the_right_password_leads_to_the_overview(alice: User, anonymous: ApiClient) -> None:
    response = sign_in(anonymous)
    assert (response.status_code, response.headers["Location"]) == (302, "/")
    assert anonymous.get("/config").status_code == 200


def test_the_token_of_the_page_works_in_the_form(alice: User, anonymous: ApiClient) -> None:
    anonymous.token = anonymous.get("/login").content.decode().split('name="_csrf" value="')[1].split('"')[0]
    assert sign_in(anonymous).status_code == 302


def test_signing_in_changes_session_and_token(alice: User, anonymous: ApiClient) -> None:
    before = anonymous.client.cookies["archive_csrf"].value
    sign_in(anonymous)
    assert anonymous.client.cookies["archive_csrf"].value != before


@pytest.mark.parametrize(("name", "password"), [("alice", "wrong Horse 7"), ("nobody", PASSWORD), ("alice", " ")])
def test_wrong_name_and_wrong_password_get_the_same_answer(
    name: str, password: str, alice: User, anonymous: ApiClient
) -> None:
    response = sign_in(anonymous, name, password)
    assert response.status_code == 400
    assert WRONG in error_of(response)


def test_a_failed_try_keeps_the_name_and_not_the_password(alice: User, anonymous: ApiClient) -> None:
    page = sign_in(anonymous, "alice", "wrong Horse 7").content.decode()
    assert 'value="alice"' in page
    assert "wrong Horse 7" not in page


def test_what_was_typed_as_a_name_is_escaped(anonymous: ApiClient) -> None:
    page = sign_in(anonymous, '"><script>alert(1)</script>', "x").content.decode()
    assert "<script>alert" not in page


@pytest.mark.parametrize(("name", "password"), [("", "x"), ("alice", ""), ("a\x00b", "x")])
def test_an_empty_or_impossible_field_is_said_beside_it(
    name: str, password: str, alice: User, anonymous: ApiClient
) -> None:
    response = sign_in(anonymous, name, password)
    assert response.status_code == 400
    assert 'aria-invalid="true"' in response.content.decode()
    assert not Entry.objects.exists()


def test_a_disabled_account_gets_the_answer_of_a_wrong_password(alice: User, anonymous: ApiClient) -> None:
    User.objects.update(status=User.DISABLED)
    response = sign_in(anonymous)
    assert response.status_code == 400
    assert WRONG in error_of(response)


def test_a_post_without_the_token_is_a_page_with_400(alice: User, anonymous: ApiClient) -> None:
    response = anonymous.client.post("/login", {"username": "alice", "password": PASSWORD})
    assert response.status_code == 400
    assert "Please try again" in response.content.decode()


def test_next_leads_to_where_the_visitor_wanted_to_go(alice: User, anonymous: ApiClient) -> None:
    response = anonymous.get("/config")
    assert response.headers["Location"] == "/login?next=/config"
    assert 'name="next" value="/config"' in anonymous.get("/login", next="/config").content.decode()
    assert sign_in(anonymous, next="/config").headers["Location"] == "/config"


@pytest.mark.parametrize(
    "target", ["https://example.com/", "//example.com", "/\\example.com", "javascript:alert(1)", "http:///example.com"]
)
def test_next_never_leaves_this_origin(target: str, alice: User, anonymous: ApiClient) -> None:
    assert target not in anonymous.get("/login", next=target).content.decode()
    assert sign_in(anonymous, next=target).headers["Location"] == "/"


@pytest.mark.parametrize(
    "target",
    [
        "abc", "foo?x=1", "%2f%2fx", "config", "admin:index", "accounts.signin.pages.login", "?x=1", "#x",
        "records/export",
        "///example.com", "/\\/example.com", "\\\\example.com", "/\t/example.com", "/a\x00b", "/a\r\nX: y", "/a\x7f",
        " /config", "\x01/config", "/\u202ea", "/" + "a" * 3000, "http://testserver/config", "//testserver/config",
        "//[",
    ],
)  # fmt: skip
def test_next_that_is_no_path_of_this_origin_is_left_out(target: str, alice: User, anonymous: ApiClient) -> None:
    assert 'name="next"' not in anonymous.get("/login", next=target).content.decode()
    assert sign_in(anonymous, next=target).headers["Location"] == "/"


@pytest.mark.parametrize("target", ["/", "/records?q=a%20b&page=2#top", "/admin/audit/entry/?q=x", "/nowhere"])
def test_next_may_be_any_path_of_this_origin(target: str, alice: User, anonymous: ApiClient) -> None:
    assert sign_in(anonymous, next=target).headers["Location"] == target


def test_next_that_leads_elsewhere_is_no_way_around_through_the_admin_site(alice: User, anonymous: ApiClient) -> None:
    address = anonymous.get("/admin/login/", next="//example.com").headers["Location"]
    fields = {"username": "alice", "password": PASSWORD}
    assert post(anonymous, address, **fields).headers["Location"] == "/"


def test_next_in_the_address_counts_too(alice: User, anonymous: ApiClient) -> None:
    fields = {"username": "alice", "password": PASSWORD}
    path = "/login?" + urlencode({"next": "/config"})
    assert post(anonymous, path, **fields).headers["Location"] == "/config"


def test_who_is_signed_in_is_led_to_the_overview(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).get("/login")
    assert (response.status_code, response.headers["Location"]) == (302, "/")


def test_visitors_leave_no_session_behind(alice: User, anonymous: ApiClient) -> None:
    anonymous.get("/login")
    sign_in(anonymous, "alice", "wrong Horse 7")
    anonymous.get("/config")
    assert not Session.objects.exists()


def test_without_any_account_the_page_points_to_the_first_run(anonymous: ApiClient) -> None:
    assert "first-run link" in anonymous.get("/login").content.decode()


def test_with_an_account_the_page_does_not(alice: User, anonymous: ApiClient) -> None:
    assert "first-run link" not in anonymous.get("/login").content.decode()


def test_another_method_is_405(anonymous: ApiClient) -> None:
    response = anonymous.client.put("/login", headers={"X-CSRF-Token": anonymous.token})
    assert response.status_code == 405


def test_the_page_is_never_kept_by_a_cache(anonymous: ApiClient) -> None:
    assert "no-store" in anonymous.get("/login").headers["Cache-Control"]


def test_logout_ends_the_session_and_leads_to_the_sign_in(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    response = post(visitor, "/logout")
    assert (response.status_code, response.headers["Location"]) == (302, "/login")
    assert visitor.get("/config").status_code == 302


def test_logout_empties_the_browsers_cache(alice: User, api_of: ApiOf) -> None:
    assert post(api_of(alice), "/logout").headers["Clear-Site-Data"] == '"cache"'


def test_a_get_of_logout_changes_nothing(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert visitor.get("/logout").headers["Location"] == "/"
    assert visitor.get("/config").status_code == 200


def test_logout_needs_the_token(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert visitor.client.post("/logout").status_code == 400
    assert visitor.get("/config").status_code == 200


def test_an_anonymous_logout_is_harmless(anonymous: ApiClient) -> None:
    assert post(anonymous, "/logout").headers["Location"] == "/login"
    assert not Entry.objects.exists()
