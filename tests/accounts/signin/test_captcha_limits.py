"""Limits of GET /captcha.png, and what visitors leave behind: docs/api.md#captcha."""

from datetime import timedelta

import pytest

from accounts.models import Captcha, Session, User
from accounts.signin import captcha, visitor_sessions
from archive_site import tasks
from archive_site.lib import clock
from tests.accounts.page_forms import ANSWER, ApiOf, sign_in
from tests.factories import ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("known_answer")]
PATH = "/captcha.png"


@pytest.fixture
def quick_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blank pictures, which are faster, for tests that need only their number."""
    monkeypatch.setattr(captcha, "draw", lambda answer: b"")


# Limits


@pytest.mark.thorough
@pytest.mark.usefixtures("quick_pictures")
def test_the_41st_picture_in_a_minute_is_refused(anonymous: ApiClient) -> None:
    assert {anonymous.get(PATH).status_code for _ in range(40)} == {200}
    refused = anonymous.get(PATH)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


@pytest.mark.thorough
@pytest.mark.usefixtures("quick_pictures")
def test_the_limit_is_the_sources_not_the_sessions(anonymous: ApiClient) -> None:
    for _ in range(40):
        ApiClient().get(PATH, purpose="register")
    assert anonymous.get(PATH).status_code == 429
    assert anonymous.client.get(PATH, REMOTE_ADDR="192.0.2.1").status_code == 200


@pytest.mark.usefixtures("quick_pictures")
def test_a_new_minute_brings_new_pictures(anonymous: ApiClient, time: SetClock) -> None:
    while anonymous.get(PATH).status_code == 200:
        pass
    time.pass_by(seconds=60)
    assert anonymous.get(PATH).status_code == 200


@pytest.mark.usefixtures("quick_pictures")
def test_a_forwarded_address_is_not_believed_without_a_trusted_proxy(anonymous: ApiClient) -> None:
    codes = [anonymous.client.get(PATH, headers={"X-Forwarded-For": f"192.0.2.{n}"}).status_code for n in range(41)]
    assert codes[-1] == 429


@pytest.mark.thorough
def test_the_answer_that_refuses_a_picture_is_not_stored(anonymous: ApiClient) -> None:
    answers = [anonymous.get(PATH) for _ in range(41)]
    assert (answers[-1].status_code, answers[-1].headers["Cache-Control"]) == (429, "no-store")


# What visitors leave behind


def test_the_login_page_alone_leaves_nothing(anonymous: ApiClient) -> None:
    anonymous.get("/login")
    sign_in(anonymous)
    assert not Session.objects.exists()
    assert not Captcha.objects.exists()


@pytest.mark.thorough
@pytest.mark.usefixtures("quick_pictures")
def test_many_visitors_leave_a_bounded_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    for kept in (captcha, visitor_sessions):
        monkeypatch.setattr(kept, "MOST_KEPT", 20)
    for number in range(40):
        visitor = ApiClient()
        visitor.client.get("/login")
        visitor.client.get(PATH, REMOTE_ADDR=f"2001:db8::{number:x}")
    assert (Captcha.objects.count(), Session.objects.count()) == (20, 20)


def test_at_most_2000_are_kept() -> None:
    assert (captcha.MOST_KEPT, visitor_sessions.MOST_KEPT) == (2000, 2000)


def test_the_newest_visitor_is_not_the_one_who_is_forgotten(
    alice: User, anonymous: ApiClient, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kept in (captcha, visitor_sessions):
        monkeypatch.setattr(kept, "MOST_KEPT", 3)
    for _ in range(5):
        ApiClient().get(PATH)
        time.pass_by(milliseconds=1)
    anonymous.get(PATH)
    assert sign_in(anonymous, captcha=ANSWER).status_code == 302


@pytest.mark.engine
def test_sessions_of_accounts_are_never_forgotten(alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in = api_of(alice)
    monkeypatch.setattr(visitor_sessions, "MOST_KEPT", 1)
    for _ in range(5):
        ApiClient().get(PATH)
    assert signed_in.get("/config").status_code == 200


@pytest.mark.engine
def test_a_session_that_is_used_again_is_not_forgotten(
    anonymous: ApiClient, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    anonymous.get(PATH)
    time.pass_by(seconds=1)
    for _ in range(2):
        ApiClient().get(PATH)
    monkeypatch.setattr(visitor_sessions, "MOST_KEPT", 2)
    visitor_sessions.begin(anonymous.client.session)
    kept = Session.objects.values_list("pk", flat=True)
    assert (len(kept), anonymous.client.session.session_key in kept) == (2, True)


def test_an_anonymous_session_lives_15_minutes(anonymous: ApiClient) -> None:
    response = anonymous.get(PATH)
    assert response.cookies["archive_session"]["max-age"] == 900
    left = Session.objects.get().expire_date - clock.now()
    assert timedelta(seconds=890) < left <= timedelta(seconds=900)


def test_signing_in_makes_it_seven_days(visitor: ApiClient, alice: User) -> None:
    response = sign_in(visitor, captcha=ANSWER)
    assert response.cookies["archive_session"]["max-age"] == 7 * 86400
    session = Session.objects.get()
    assert session.user_id == alice.pk
    assert session.expire_date - clock.now() > timedelta(days=6)


def test_a_picture_does_not_shorten_the_session_of_an_account(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).get(PATH)
    assert response.cookies["archive_session"]["max-age"] == 7 * 86400


def test_housekeeping_cleans_expired_ones_away(visitor: ApiClient, time: SetClock) -> None:
    Session.objects.update(expire_date=clock.now() - timedelta(seconds=1))
    later = clock.now() + timedelta(seconds=901)
    time.now = later
    tasks.housekeeping()
    assert not Captcha.objects.exists()
    assert not Session.objects.exists()


def test_housekeeping_leaves_what_still_lives(visitor: ApiClient) -> None:
    tasks.housekeeping()
    assert (Captcha.objects.count(), Session.objects.count()) == (1, 1)
