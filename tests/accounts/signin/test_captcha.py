"""GET /captcha.png and the captcha of the login page: docs/api.md#captcha."""

import io
from datetime import timedelta

import pytest
from PIL import Image

from accounts.models import Captcha, Session, User
from accounts.signin import captcha
from accounts.signin.forms import WRONG
from accounts.signin.pages import WRONG_CAPTCHA
from tests.accounts.page_forms import ANSWER, ApiOf, instance, page, register, sign_in
from tests.factories import ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("known_answer")]
PATH = "/captcha.png"


def test_the_picture_is_a_png_that_nobody_keeps(anonymous: ApiClient) -> None:
    response = anonymous.get(PATH)
    assert response.headers["Content-Type"] == "image/png"
    assert response.headers["Cache-Control"] == "no-store"
    assert Image.open(io.BytesIO(response.content)).format == "PNG"


def test_a_post_is_not_allowed(anonymous: ApiClient) -> None:
    assert anonymous.post(PATH).status_code == 405


def test_the_right_answer_signs_in(visitor: ApiClient) -> None:
    assert sign_in(visitor, captcha=ANSWER).status_code == 302


@pytest.mark.parametrize("answer", [ANSWER.lower(), f" {ANSWER} ", "aB34"])
def test_case_and_blanks_around_do_not_matter(answer: str, visitor: ApiClient) -> None:
    assert sign_in(visitor, captcha=answer).status_code == 302


def test_without_a_picture_nothing_is_right(alice: User, anonymous: ApiClient) -> None:
    assert sign_in(anonymous, captcha=ANSWER).status_code == 400


def test_a_wrong_answer_uses_the_captcha_up(visitor: ApiClient) -> None:
    sign_in(visitor, captcha="wrong")
    assert not Captcha.objects.exists()
    assert sign_in(visitor, captcha=ANSWER).status_code == 400


def test_a_right_answer_uses_the_captcha_up(visitor: ApiClient) -> None:
    assert WRONG in page(sign_in(visitor, password="wrong Horse 7", captcha=ANSWER))
    assert WRONG_CAPTCHA in page(sign_in(visitor, captcha=ANSWER))


def test_it_works_until_300_seconds_are_over(visitor: ApiClient, time: SetClock) -> None:
    row = Captcha.objects.get()
    time.now = row.expires_at - timedelta(seconds=1)
    assert sign_in(visitor, captcha=ANSWER).status_code == 302


def test_it_is_dead_after_300_seconds(visitor: ApiClient, time: SetClock) -> None:
    time.pass_by(seconds=300)
    assert sign_in(visitor, captcha=ANSWER).status_code == 400


def test_it_lives_300_seconds(anonymous: ApiClient, time: SetClock) -> None:
    anonymous.get(PATH)
    assert Captcha.objects.get().expires_at == time.now + timedelta(seconds=300)


def test_one_for_registration_does_not_sign_in(anonymous: ApiClient, alice: User) -> None:
    anonymous.get(PATH, purpose="register")
    assert sign_in(anonymous, captcha=ANSWER).status_code == 400


def test_one_for_signing_in_does_not_register(visitor: ApiClient) -> None:
    instance(allow_register="1")
    assert register(visitor, "carol", captcha=ANSWER).status_code == 400
    visitor.get(PATH, purpose="register")
    assert register(visitor, "carol", captcha=ANSWER).status_code == 302


@pytest.mark.engine
def test_the_two_purposes_do_not_disturb_each_other(visitor: ApiClient) -> None:
    visitor.get(PATH, purpose="register")
    assert set(Captcha.objects.values_list("purpose", flat=True)) == {"login", "register"}
    assert sign_in(visitor, captcha=ANSWER).status_code == 302


@pytest.mark.parametrize("purpose", ["", "LOGIN", "other", "register "])
def test_any_other_purpose_is_signing_in(purpose: str, anonymous: ApiClient) -> None:
    anonymous.get(PATH, purpose=purpose)
    assert Captcha.objects.get().purpose == "login"


def test_a_new_picture_takes_the_place_of_the_one_before(visitor: ApiClient) -> None:
    before = Captcha.objects.get().pk
    visitor.get(PATH)
    assert Captcha.objects.get().pk != before


def test_a_captcha_of_another_session_is_refused(visitor: ApiClient) -> None:
    assert sign_in(ApiClient(), captcha=ANSWER).status_code == 400


def test_the_session_holds_the_id_and_the_store_a_keyed_hash(visitor: ApiClient) -> None:
    row = Captcha.objects.get()
    session = dict(visitor.client.session)
    assert session["cap_login"] == row.pk
    assert ANSWER not in f"{session} {row.__dict__}"
    assert len(row.answer_hash) == 64


def test_the_same_answer_has_another_hash_each_time(anonymous: ApiClient) -> None:
    anonymous.get(PATH)
    anonymous.get(PATH, purpose="register")
    assert len(set(Captcha.objects.values_list("answer_hash", flat=True))) == 2


def test_a_session_that_was_ended_meanwhile_gets_its_picture_in_a_new_one(alice: User, api_of: ApiOf) -> None:
    session = api_of(alice).client.session
    Session.objects.all().delete()
    assert captcha.issue(session, "login", anonymous=False).startswith(b"\x89PNG")
    assert [kept.user_id for kept in Session.objects.all()] == [None]


def test_a_captcha_of_the_other_purpose_does_not_count_under_this_ones_name(visitor: ApiClient) -> None:
    visitor.get(PATH, purpose="register")
    session = visitor.client.session
    session["cap_login"] = session["cap_register"]
    assert not captcha.check(session, "login", ANSWER)
