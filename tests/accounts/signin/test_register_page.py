"""GET and POST /register: docs/api.md#register."""

from collections.abc import Callable
from typing import Any

import pytest

from accounts import config
from accounts.models import INSTANCE, Captcha, User
from tests.factories import PASSWORD, ApiClient

ApiOf = Callable[[User], ApiClient]
GOOD = {
    "username": "carol", "display_name": "Carol C.", "email": "carol@example.org",
    "password": PASSWORD, "password2": PASSWORD,
}  # fmt: skip


def configure(**values: str) -> None:
    config.write(values, archive_id=INSTANCE, may_edit_instance=True)


@pytest.fixture(autouse=True)
def open_without_captcha(db: None) -> None:
    configure(allow_register="1", captcha_policy="off")


def post(visitor: ApiClient, **changes: str) -> Any:
    return visitor.client.post("/register", {"_csrf": visitor.token, **GOOD, **changes})


def field_of(page: str, name: str) -> str:
    """The field's element, its help and its errors."""
    return page.split(f'for="id_{name}"')[1].split("<label")[0]


def test_the_page_asks_for_all_fields(anonymous: ApiClient) -> None:
    page = anonymous.get("/register").content.decode()
    assert [name for name in (*GOOD, "_csrf") if f'name="{name}"' not in page] == []


def test_password_managers_find_name_and_new_password(anonymous: ApiClient) -> None:
    page = anonymous.get("/register").content.decode()
    assert page.count('autocomplete="username"') == 1
    assert page.count('autocomplete="new-password"') == 2


def test_who_registers_is_signed_in_and_led_to_the_overview(anonymous: ApiClient) -> None:
    assert post(anonymous).headers["Location"] == "/"
    assert "Carol C." in anonymous.get("/profile").content.decode()


@pytest.mark.parametrize(
    ("field", "wrong", "said"),
    [
        ("username", "a", "2 to 32 characters"),
        ("username", "", "required"),
        ("username", "ALICE", "taken"),
        ("email", "nowhere", "An email address must"),
        ("password", "short 7", "8 to 128 characters"),
        ("password2", "another Horse 7", "The two passwords differ"),
    ],
)
def test_an_error_stands_beside_its_field(field: str, wrong: str, said: str, alice: User, anonymous: ApiClient) -> None:
    changes = {field: wrong} if field != "password" else {"password": wrong, "password2": wrong}
    response = post(anonymous, **changes)
    assert response.status_code == 400
    element = field_of(response.content.decode(), field)
    assert said in element
    assert 'aria-invalid="true"' in element
    assert "autofocus" in element


def test_an_error_keeps_what_was_typed_and_no_password(anonymous: ApiClient) -> None:
    page = post(anonymous, password2="another Horse 7").content.decode()
    assert [name for name in ("username", "display_name", "email") if f'value="{GOOD[name]}"' not in page] == []
    assert PASSWORD not in page


def test_a_wrong_captcha_is_said_beside_it_and_not_kept(anonymous: ApiClient) -> None:
    configure(captcha_policy="always")
    anonymous.get("/captcha.png", purpose="register")
    response = post(anonymous, captcha="wrong-answer")
    assert response.status_code == 400
    page = response.content.decode()
    assert "do not match the picture" in field_of(page, "captcha")
    assert "wrong-answer" not in page
    assert 'value="carol"' in page
    assert not Captcha.objects.exists()


def test_the_captcha_has_a_text_for_who_cannot_see_it(anonymous: ApiClient) -> None:
    configure(captcha_policy="always")
    element = field_of(anonymous.get("/register").content.decode(), "captcha")
    assert 'alt="Picture of letters and digits' in element
    assert "has no audio form" in element
    assert 'aria-describedby="id_captcha_helptext"' in element


def test_without_a_captcha_there_is_no_picture(anonymous: ApiClient) -> None:
    assert "captcha.png" not in anonymous.get("/register").content.decode()


def test_too_many_from_one_address_are_refused_with_a_time_to_wait(anonymous: ApiClient) -> None:
    configure(register_max_per_ip="1")
    post(ApiClient())
    response = post(anonymous, username="dave")
    assert response.status_code == 429
    assert "Wait 24 hours" in response.content.decode()
    assert 'value="dave"' in response.content.decode()


def test_closed_registration_says_so_with_the_way_back(anonymous: ApiClient) -> None:
    configure(allow_register="0")
    response = anonymous.get("/register")
    assert response.status_code == 403
    assert "Registration is closed" in response.content.decode()
    assert 'href="/login"' in response.content.decode()


def test_the_sign_in_page_leads_there_only_while_it_is_open(anonymous: ApiClient) -> None:
    assert 'href="/register"' in anonymous.get("/login").content.decode()
    configure(allow_register="0")
    assert 'href="/register"' not in anonymous.get("/login").content.decode()
