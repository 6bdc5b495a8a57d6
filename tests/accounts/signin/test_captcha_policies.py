"""When the pages ask for a captcha: docs/api.md#captcha."""

import pytest

from accounts.models import User
from accounts.signin import throttling
from tests.accounts.page_forms import ANSWER, instance, page, register, sign_in
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("known_answer")]
PATH = "/captcha.png"


def shows_captcha(response: object) -> bool:
    return 'name="captcha"' in page(response)


def test_always_is_the_default(anonymous: ApiClient) -> None:
    assert shows_captcha(anonymous.get("/login"))


def test_off_asks_for_none(alice: User, anonymous: ApiClient) -> None:
    instance(captcha_policy="off", allow_register="1")
    assert not shows_captcha(anonymous.get("/login"))
    assert not shows_captcha(anonymous.get("/register"))
    assert sign_in(anonymous).status_code == 302


def test_on_failure_asks_for_none_at_first(alice: User, anonymous: ApiClient) -> None:
    instance(captcha_policy="on_failure")
    assert not shows_captcha(anonymous.get("/login"))
    assert sign_in(anonymous).status_code == 302


def test_on_failure_asks_after_a_failure_of_the_name_from_anywhere(alice: User, anonymous: ApiClient) -> None:
    instance(captcha_policy="on_failure")
    sign_in(ApiClient(), password="wrong Horse 7", address="192.0.2.9")
    response = sign_in(anonymous)
    assert response.status_code == 400
    assert shows_captcha(response)


def test_on_failure_asks_after_a_failure_from_the_address_under_any_name(alice: User, anonymous: ApiClient) -> None:
    instance(captcha_policy="on_failure")
    assert shows_captcha(sign_in(anonymous, "somebody", "wrong Horse 7"))
    assert shows_captcha(anonymous.get("/login"))
    anonymous.get(PATH)
    assert sign_in(anonymous, captcha=ANSWER).status_code == 302


def test_on_failure_asks_after_a_wrong_captcha_from_the_address(alice: User, anonymous: ApiClient) -> None:
    """With the policy `on_failure`, a wrong captcha is a failure, too."""
    instance(captcha_policy="on_failure")
    throttling.count_wrong_captcha("127.0.0.1")
    assert shows_captcha(anonymous.get("/login"))


def test_on_failure_always_asks_for_registration(anonymous: ApiClient) -> None:
    instance(captcha_policy="on_failure", allow_register="1")
    assert shows_captcha(anonymous.get("/register"))
    assert register(anonymous, "carol").status_code == 400
