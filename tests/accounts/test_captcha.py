"""GET /captcha.png and the captcha of the login page: docs/api.md#captcha."""

import io
from datetime import datetime, timedelta

import pytest
from django_ratelimit import core
from PIL import Image

from accounts import captcha, throttling
from accounts.forms import WRONG
from accounts.models import Captcha, Session, User
from accounts.pages import WRONG_CAPTCHA
from accounts.signin import NAME_KEPT
from accounts.throttling import has_failed
from archive_site import tasks
from archive_site.lib import clock
from audit.models import Entry
from tests.accounts.page_forms import ANSWER, ApiOf, instance, page, register, sign_in
from tests.concurrency import together
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
PATH = "/captcha.png"


@pytest.fixture(autouse=True)
def known_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captcha, "random_answer", lambda length: ANSWER)


@pytest.fixture(autouse=True)
def standing_time(monkeypatch: pytest.MonkeyPatch) -> None:
    now = core.time.time()
    monkeypatch.setattr(core.time, "time", lambda: now)


@pytest.fixture
def visitor(anonymous: ApiClient, alice: User) -> ApiClient:
    """A visitor who has seen a picture to sign in with."""
    anonymous.get(PATH)
    return anonymous


@pytest.fixture
def quick_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blank pictures, which are faster, for tests that need only their number."""
    monkeypatch.setattr(captcha, "draw", lambda answer: b"")


def move_time(monkeypatch: pytest.MonkeyPatch, **much: float) -> datetime:
    later = clock.now() + timedelta(**much)
    monkeypatch.setattr(clock, "now", lambda: later)
    return later


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


@pytest.mark.parametrize("answer", ["AB35", "AB3", "AB344"])
def test_a_wrong_answer_is_said_beside_its_field(answer: str, visitor: ApiClient) -> None:
    response = sign_in(visitor, captcha=answer)
    assert response.status_code == 400
    assert WRONG_CAPTCHA in page(response).split('id="id_captcha_error"')[1]
    assert visitor.get("/config").status_code == 302


def test_an_empty_answer_is_said_beside_its_field(visitor: ApiClient) -> None:
    response = sign_in(visitor, captcha="")
    assert response.status_code == 400
    assert 'id="id_captcha_error"' in page(response)
    assert visitor.get("/config").status_code == 302


def test_a_wrong_captcha_does_not_tell_whether_the_password_was_right(visitor: ApiClient) -> None:
    assert WRONG not in page(sign_in(visitor, captcha="wrong"))
    visitor.get(PATH)
    assert WRONG not in page(sign_in(visitor, password="wrong Horse 7", captcha="wrong"))


@pytest.mark.parametrize("answer", ["wrong", "", None])
def test_a_wrong_or_missing_answer_is_audited_as_a_failed_sign_in(
    answer: str | None, visitor: ApiClient, alice: User
) -> None:
    """The audit action of a wrong captcha is `login_failed`: docs/api.md#sign-in."""
    sign_in(visitor, " ALICE ", **({} if answer is None else {"captcha": answer}))
    entry = Entry.objects.get()
    assert (entry.action, entry.detail, entry.actor, entry.user_id, entry.ip) == (
        "login_failed", "captcha", "alice", alice.pk, "127.0.0.1"
    )  # fmt: skip


def test_an_unknown_name_beside_a_wrong_captcha_is_written_down_only_in_part(visitor: ApiClient) -> None:
    sign_in(visitor, "n" * (NAME_KEPT + 5), captcha="wrong")
    entry = Entry.objects.get()
    assert (entry.actor, entry.user_id, entry.detail) == ("n" * NAME_KEPT, None, "captcha")


def test_a_wrong_captcha_counts_for_the_address_and_not_for_the_name(visitor: ApiClient) -> None:
    """A wrong captcha tries no password, so it does not count for the name."""
    for _ in range(throttling.MOST_BY_NAME + 1):
        assert sign_in(visitor, captcha="wrong").status_code == 400
    assert has_failed("somebody", "127.0.0.1")
    assert not has_failed("alice", "192.0.2.9")
    visitor.get(PATH)
    assert sign_in(visitor, captcha=ANSWER).status_code == 302


def test_after_thirty_wrong_captchas_the_address_is_429_even_with_everything_right(visitor: ApiClient) -> None:
    codes = [sign_in(ApiClient(), f"name{n}", captcha="wrong").status_code for n in range(31)]
    assert codes == [400] * 30 + [429]
    response = sign_in(visitor, captcha=ANSWER)
    assert response.status_code == 429
    assert 1 <= int(response.headers["Retry-After"]) <= 900
    assert Entry.objects.count() == 30
    visitor.get(PATH)
    assert sign_in(visitor, captcha=ANSWER, address="192.0.2.9").status_code == 302


def test_a_success_takes_no_wrong_captcha_back(visitor: ApiClient) -> None:
    for _ in range(throttling.MOST_BY_ADDRESS - 1):
        throttling.count_wrong_captcha("127.0.0.1")
    assert sign_in(visitor, captcha=ANSWER).status_code == 302
    assert [sign_in(ApiClient(), "bob", captcha="wrong").status_code for _ in range(2)] == [400, 429]


def test_parallel_wrong_captchas_are_counted_each() -> None:
    def refused() -> bool:
        try:
            throttling.count_wrong_captcha("192.0.2.1")
        except throttling.TooManyFailures:
            return True
        return False

    assert together(*[refused] * 48).count(False) == throttling.MOST_BY_ADDRESS


def test_an_empty_password_is_no_try_of_the_captcha(visitor: ApiClient) -> None:
    assert sign_in(visitor, password="", captcha="wrong").status_code == 400
    assert Captcha.objects.exists()
    assert not Entry.objects.exists()


def test_on_failure_asks_after_a_wrong_captcha_from_the_address(alice: User, anonymous: ApiClient) -> None:
    """With the policy `on_failure`, a wrong captcha is a failure, too."""
    instance(captcha_policy="on_failure")
    throttling.count_wrong_captcha("127.0.0.1")
    assert shows_captcha(anonymous.get("/login"))


def test_without_a_picture_nothing_is_right(alice: User, anonymous: ApiClient) -> None:
    assert sign_in(anonymous, captcha=ANSWER).status_code == 400


def test_a_wrong_answer_uses_the_captcha_up(visitor: ApiClient) -> None:
    sign_in(visitor, captcha="wrong")
    assert not Captcha.objects.exists()
    assert sign_in(visitor, captcha=ANSWER).status_code == 400


def test_a_right_answer_uses_the_captcha_up(visitor: ApiClient) -> None:
    assert WRONG in page(sign_in(visitor, password="wrong Horse 7", captcha=ANSWER))
    assert WRONG_CAPTCHA in page(sign_in(visitor, captcha=ANSWER))


def test_it_works_until_300_seconds_are_over(visitor: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    row = Captcha.objects.get()
    monkeypatch.setattr(clock, "now", lambda: row.expires_at - timedelta(seconds=1))
    assert sign_in(visitor, captcha=ANSWER).status_code == 302


def test_it_is_dead_after_300_seconds(visitor: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    move_time(monkeypatch, seconds=300)
    assert sign_in(visitor, captcha=ANSWER).status_code == 400


def test_it_lives_300_seconds(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    now = move_time(monkeypatch, seconds=0)
    anonymous.get(PATH)
    assert Captcha.objects.get().expires_at == now + timedelta(seconds=300)


def test_one_for_registration_does_not_sign_in(anonymous: ApiClient, alice: User) -> None:
    anonymous.get(PATH, purpose="register")
    assert sign_in(anonymous, captcha=ANSWER).status_code == 400


def test_one_for_signing_in_does_not_register(visitor: ApiClient) -> None:
    instance(allow_register="1")
    assert register(visitor, "carol", captcha=ANSWER).status_code == 400
    visitor.get(PATH, purpose="register")
    assert register(visitor, "carol", captcha=ANSWER).status_code == 302


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


def test_anothers_captcha_is_of_no_use(visitor: ApiClient) -> None:
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


# Limits


@pytest.mark.usefixtures("quick_pictures")
def test_the_41st_picture_in_a_minute_is_refused(anonymous: ApiClient) -> None:
    assert {anonymous.get(PATH).status_code for _ in range(40)} == {200}
    refused = anonymous.get(PATH)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


@pytest.mark.usefixtures("quick_pictures")
def test_the_limit_is_the_sources_not_the_sessions(anonymous: ApiClient) -> None:
    for _ in range(40):
        ApiClient().get(PATH, purpose="register")
    assert anonymous.get(PATH).status_code == 429
    assert anonymous.client.get(PATH, REMOTE_ADDR="192.0.2.1").status_code == 200


@pytest.mark.usefixtures("quick_pictures")
def test_a_new_minute_brings_new_pictures(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    while anonymous.get(PATH).status_code == 200:
        pass
    later = core.time.time() + 60
    monkeypatch.setattr(core.time, "time", lambda: later)
    assert anonymous.get(PATH).status_code == 200


@pytest.mark.usefixtures("quick_pictures")
def test_a_forwarded_address_is_not_believed_without_a_trusted_proxy(anonymous: ApiClient) -> None:
    codes = [anonymous.client.get(PATH, headers={"X-Forwarded-For": f"192.0.2.{n}"}).status_code for n in range(41)]
    assert codes[-1] == 429


# What visitors leave behind


def test_the_login_page_alone_leaves_nothing(anonymous: ApiClient) -> None:
    anonymous.get("/login")
    sign_in(anonymous)
    assert not Session.objects.exists()
    assert not Captcha.objects.exists()


@pytest.mark.usefixtures("quick_pictures")
def test_many_visitors_leave_a_bounded_number_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(captcha, "MOST_KEPT", 20)
    for number in range(40):
        visitor = ApiClient()
        visitor.client.get("/login")
        visitor.client.get(PATH, REMOTE_ADDR=f"2001:db8::{number:x}")
    assert (Captcha.objects.count(), Session.objects.count()) == (20, 20)


def test_at_most_2000_are_kept() -> None:
    assert captcha.MOST_KEPT == 2000


def test_the_newest_visitor_is_not_the_one_who_is_forgotten(
    alice: User, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(captcha, "MOST_KEPT", 3)
    for _ in range(5):
        ApiClient().get(PATH)
    anonymous.get(PATH)
    assert sign_in(anonymous, captcha=ANSWER).status_code == 302


def test_sessions_of_accounts_are_never_forgotten(alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in = api_of(alice)
    monkeypatch.setattr(captcha, "MOST_KEPT", 1)
    for _ in range(5):
        ApiClient().get(PATH)
    assert signed_in.get("/config").status_code == 200


def test_an_anonymous_session_lives_300_seconds(anonymous: ApiClient) -> None:
    response = anonymous.get(PATH)
    assert response.cookies["archive_session"]["max-age"] == 300
    left = Session.objects.get().expire_date - clock.now()
    assert timedelta(seconds=290) < left <= timedelta(seconds=300)


def test_signing_in_makes_it_seven_days(visitor: ApiClient, alice: User) -> None:
    response = sign_in(visitor, captcha=ANSWER)
    assert response.cookies["archive_session"]["max-age"] == 7 * 86400
    session = Session.objects.get()
    assert session.user_id == alice.pk
    assert session.expire_date - clock.now() > timedelta(days=6)


def test_a_picture_does_not_shorten_the_session_of_an_account(alice: User, api_of: ApiOf) -> None:
    response = api_of(alice).get(PATH)
    assert response.cookies["archive_session"]["max-age"] == 7 * 86400


def test_housekeeping_cleans_expired_ones_away(visitor: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    Session.objects.update(expire_date=clock.now() - timedelta(seconds=1))
    later = clock.now() + timedelta(seconds=301)
    monkeypatch.setattr(clock, "now", lambda: later)
    tasks.housekeeping()
    assert not Captcha.objects.exists()
    assert not Session.objects.exists()


def test_housekeeping_leaves_what_still_lives(visitor: ApiClient) -> None:
    tasks.housekeeping()
    assert (Captcha.objects.count(), Session.objects.count()) == (1, 1)


# Policies


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


def test_on_failure_always_asks_for_registration(anonymous: ApiClient) -> None:
    instance(captcha_policy="on_failure", allow_register="1")
    assert shows_captcha(anonymous.get("/register"))
    assert register(anonymous, "carol").status_code == 400


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


def test_a_refused_picture_is_not_stored_either(anonymous: ApiClient) -> None:
    answers = [anonymous.get(PATH) for _ in range(41)]
    assert (answers[-1].status_code, answers[-1].headers["Cache-Control"]) == (429, "no-store")
