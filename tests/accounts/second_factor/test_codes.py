"""Signing in with the codes of an authenticator app, and with recovery codes (docs/api.md#second-factor)."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pyotp
import pytest
from cryptography.fernet import Fernet
from django.conf import settings
from pytest_django import Settings

from accounts.models import RecoveryCode, SecondFactor, Session, User
from accounts.signin import half_in as half_in_sessions
from accounts.signin import throttling
from accounts.signin.reauthentication import password_given_at
from archive_site.lib import clock
from archive_site.lib.storage.data_folder import DataFolder
from audit.models import Entry
from tests.accounts import page_forms
from tests.accounts.page_forms import ApiOf, page
from tests.accounts.second_factor.factors_of import code_of, give, half_in, is_in, sign_in, with_codes
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
WRONG = "The code is wrong or was used before."


@pytest.fixture
def secret(alice: User) -> str:
    return with_codes(alice)[0]


@pytest.mark.engine
def test_the_code_is_asked_for_after_the_password(alice: User, secret: str) -> None:
    visitor = half_in(alice, next="/records?model=glm")
    assert not is_in(visitor)
    answer = give(visitor, code_of(secret), next="/records?model=glm")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/records?model=glm")
    assert is_in(visitor)
    assert Entry.objects.filter(action="login", user_id=alice.pk).count() == 2


def test_an_account_without_one_signs_in_as_before(bob: User) -> None:
    visitor = ApiClient()
    assert sign_in(visitor, "bob").headers["Location"] == "/"
    assert is_in(visitor)


@pytest.mark.parametrize("steps", [-3, -1, 0, 3])
def test_the_clock_of_a_phone_may_be_90_seconds_off(alice: User, secret: str, steps: int, time: SetClock) -> None:
    time.pass_by(minutes=5)
    assert give(half_in(alice), code_of(secret, steps)).status_code == 302


@pytest.mark.parametrize("steps", [-4, 4])
def test_a_code_of_another_time_is_wrong(alice: User, secret: str, steps: int, time: SetClock) -> None:
    time.pass_by(minutes=5)
    assert give(half_in(alice), code_of(secret, steps)).status_code == 400


@pytest.mark.parametrize("written", ["{0}{1} ", " {0} {1}", "{0}-{1}"])
def test_a_code_may_be_written_in_groups(alice: User, secret: str, written: str) -> None:
    code = code_of(secret)
    assert give(half_in(alice), written.format(code[:3], code[3:])).status_code == 302


def test_full_width_digits_are_digits(alice: User, secret: str) -> None:
    wide = code_of(secret).translate({ord(digit): ord(digit) + 0xFEE0 for digit in "0123456789"})
    assert give(half_in(alice), wide).status_code == 302


def test_a_code_works_once_and_a_used_one_gets_the_words_of_a_wrong_one(alice: User, secret: str) -> None:
    code = code_of(secret)
    assert give(half_in(alice), code).status_code == 302
    again, wrong = give(half_in(alice), code), give(half_in(alice), "000000")
    assert (again.status_code, wrong.status_code) == (400, 400)
    assert WRONG in page(again)
    assert WRONG in page(wrong)
    # An older one is used, too.
    assert give(half_in(alice), code_of(secret, -1)).status_code == 400


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_of_two_who_give_one_code_at_once_one_gets_in(alice: User, secret: str) -> None:
    visitors, code = [half_in(alice), half_in(alice)], code_of(secret)
    answers = together(*(lambda visitor=visitor: give(visitor, code).status_code for visitor in visitors))
    assert sorted(answers) == [302, 400]


@pytest.mark.parametrize(
    "code", ["", " ", "x" * 65, "\x00", "12345", "1234567", "\u0661\u0662\u0663\u0664\u0665\u0666"]
)
def test_what_is_no_code_is_refused_beside_the_field(alice: User, secret: str, code: str) -> None:
    answer = give(half_in(alice), code)
    assert answer.status_code == 400
    assert 'id="id_code_error"' in page(answer)


def test_without_the_right_password_nothing_tells_that_there_is_one(alice: User, bob: User, secret: str) -> None:
    answers = [sign_in(ApiClient(), name, "wrong Horse 7") for name in ("alice", "bob")]
    pages = [page(answer).replace("alice", "NAME").replace("bob", "NAME") for answer in answers]
    hidden = ("nonce", "_csrf", "WB_CSRF")
    first, second = ([line for line in text.splitlines() if not any(word in line for word in hidden)] for text in pages)
    assert first == second
    assert [answer.status_code for answer in answers] == [400, 400]
    assert ApiClient().get("/second-factor").headers["Location"] == "/login"


@pytest.mark.file_counters
def test_the_session_between_password_and_code_ends_after_five_minutes(
    alice: User, secret: str, time: SetClock
) -> None:
    visitor = half_in(alice)
    time.pass_by(seconds=half_in_sessions.LASTS_SECONDS + 1)
    answer = give(visitor, code_of(secret))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login")
    assert not is_in(visitor)


@pytest.mark.file_counters
def test_pictures_do_not_prolong_it(alice: User, secret: str, time: SetClock) -> None:
    visitor = half_in(alice)
    for _ in range(2):
        time.pass_by(seconds=half_in_sessions.LASTS_SECONDS - 100)
        assert visitor.get("/captcha.png").status_code == 200
    answer = give(visitor, code_of(secret))
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login")
    assert not is_in(visitor)


@pytest.mark.file_counters
def test_the_password_counts_from_when_it_was_given(alice: User, secret: str, time: SetClock) -> None:
    visitor = half_in(alice)
    given_at = int(time.now.timestamp())
    time.pass_by(seconds=half_in_sessions.LASTS_SECONDS - 10)
    assert give(visitor, code_of(secret)).status_code == 302
    assert password_given_at(visitor.client.session) == given_at


@pytest.mark.parametrize("change", [{"status": User.DISABLED}, {"session_version": 7}])
def test_it_ends_with_a_change_of_the_account(alice: User, secret: str, change: dict[str, object]) -> None:
    visitor = half_in(alice)
    User.objects.filter(pk=alice.pk).update(**change)
    assert give(visitor, code_of(secret)).headers["Location"] == "/login"
    assert not is_in(visitor)


def test_leaving_ends_it(alice: User, secret: str) -> None:
    visitor = half_in(alice)
    assert visitor.client.post("/logout", {"_csrf": visitor.token}).status_code == 302
    assert visitor.get("/second-factor").headers["Location"] == "/login"


def test_a_post_without_the_token_is_refused(alice: User, secret: str) -> None:
    visitor = half_in(alice)
    assert visitor.client.post("/second-factor", {"code": code_of(secret)}).status_code == 400
    assert not is_in(visitor)


# Guessing.


def test_wrong_codes_count_in_the_throttle_of_the_name(alice: User, secret: str) -> None:
    visitor = half_in(alice)
    for _ in range(throttling.MOST_BY_NAME):
        assert give(visitor, "000000").status_code == 400
    answer = give(visitor, code_of(secret))
    assert (answer.status_code, int(answer.headers["Retry-After"]) > 0) == (429, True)
    assert Entry.objects.filter(action="login_failed", user_id=alice.pk).count() == throttling.MOST_BY_NAME


def test_the_right_password_does_not_let_codes_be_guessed_anew(alice: User, secret: str) -> None:
    for _ in range(throttling.MOST_BY_NAME):
        assert give(half_in(alice), "000000").status_code == 400
    assert sign_in(ApiClient(), "alice").status_code == 429


@pytest.mark.file_counters
def test_codes_of_a_day_have_a_limit_of_their_own(alice: User, secret: str, time: SetClock) -> None:
    refused = 0
    for _ in range(10):
        visitor = half_in(alice)
        refused += sum(give(visitor, "000000").status_code == 400 for _ in range(6))
        time.pass_by(minutes=16)
    assert refused == throttling.MOST_CODES
    time.pass_by(hours=24)
    assert give(half_in(alice), code_of(secret)).status_code == 302


def test_a_browser_that_has_signed_in_before_is_not_kept_out_by_others(
    alice: User, secret: str, time: SetClock
) -> None:
    own = half_in(alice)
    assert give(own, code_of(secret)).status_code == 302
    own.client.post("/logout", {"_csrf": own.token})
    time.pass_by(minutes=1)
    stranger = half_in(alice)
    for _ in range(throttling.MOST_BY_NAME):
        give(stranger, "000000")
    assert sign_in(own, "alice").headers["Location"] == "/second-factor"
    assert give(own, code_of(secret)).status_code == 302


# Recovery codes.


def test_a_recovery_code_works_once_however_it_is_written(alice: User) -> None:
    _, recovery = with_codes(alice)
    assert give(half_in(alice), recovery[0].replace("-", " ").upper()).status_code == 302
    assert give(half_in(alice), recovery[0]).status_code == 400
    assert RecoveryCode.objects.count() == len(recovery) - 1
    assert Entry.objects.filter(action="second_factor", user_id=alice.pk).count() == 2


def test_another_account_has_no_use_of_it(alice: User, bob: User) -> None:
    _, recovery = with_codes(alice)
    with_codes(bob)
    assert give(half_in(bob), recovery[0]).status_code == 400
    assert RecoveryCode.objects.filter(user_id=alice.pk).count() == len(recovery)


def test_with_another_instance_key_recovery_codes_still_work(alice: User) -> None:
    secret, recovery = with_codes(alice)
    sealed = Fernet(Fernet.generate_key()).encrypt(secret.encode()).decode()
    SecondFactor.objects.update(sealed=sealed)
    visitor = half_in(alice)
    assert "another key" in page(visitor.get("/second-factor"))
    assert give(visitor, code_of(secret)).status_code == 400
    assert give(visitor, recovery[3]).status_code == 302
    answer = visitor.get("/api/second-factor").json()
    assert (answer["codes"], answer["codes_broken"]) == (True, True)


@pytest.mark.parametrize("content", [None, b"not a key"])
def test_without_a_readable_instance_key_recovery_codes_still_work(
    alice: User, settings: Settings, tmp_path: Path, content: bytes | None
) -> None:
    secret, recovery = with_codes(alice)
    visitor = half_in(alice)
    settings.DATA_FOLDER = DataFolder(tmp_path)
    if content is not None:
        settings.DATA_FOLDER.instance_key.write_bytes(content)
    assert "another key" in page(visitor.get("/second-factor"))
    assert give(visitor, code_of(secret)).status_code == 400
    assert give(visitor, recovery[3]).status_code == 302


def test_nothing_of_a_code_is_stored_or_written(alice: User, caplog: pytest.LogCaptureFixture) -> None:
    secret, recovery = with_codes(alice)
    give(half_in(alice), "135790")
    give(half_in(alice), recovery[0])
    row = SecondFactor.objects.get()
    assert secret not in row.sealed
    kept = (
        "".join(
            [
                *Entry.objects.values_list("stored_detail", flat=True),
                *(str(session.get_decoded()) for session in Session.objects.all()),
            ]
        )
        + caplog.text
    )
    assert not any(text in kept for text in (secret, recovery[0], recovery[1], "135790"))
    assert not RecoveryCode.objects.filter(code_hash__in=recovery).exists()


def test_codes_are_those_of_any_app(alice: User) -> None:
    """RFC 6238: what an app computes of the address alone."""
    visitor = ApiClient()
    sign_in(visitor, "alice")
    uri = visitor.post("/api/second-factor/codes").json()["uri"]
    read = pyotp.parse_uri(uri)
    assert isinstance(read, pyotp.TOTP)
    assert (read.interval, read.digits, read.name, read.issuer) == (30, 6, "alice", settings.ARCHIVE_NAME)
    later = clock.now() + timedelta(seconds=30)
    assert visitor.post("/api/second-factor/codes/confirm", {"code": read.at(later)}).status_code == 200


def test_tokens_need_no_code(alice: User, secret: str, api_of: ApiOf) -> None:
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    created = visitor.post("/api/tokens", {"name": "program", "scopes": ["read"]}).json()
    program = ApiClient()
    assert program.client.get("/api/status", headers={"Authorization": f"Bearer {created['token']}"}).status_code == 200


def test_creating_a_token_needs_one_that_was_given_lately(alice: User, secret: str, time: SetClock) -> None:
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    time.pass_by(minutes=11)
    refused = visitor.post("/api/tokens", {"name": "program", "scopes": ["read"]})
    assert (refused.status_code, refused.json()["error"], refused.json()["second_factor"]) == (
        403,
        "reauthenticate",
        True,
    )
    for given in ({"password": PASSWORD}, {"password": PASSWORD, "code": "000000"}):
        visitor.post("/api/reauthenticate", given)
        assert visitor.post("/api/tokens", {"name": "program", "scopes": ["read"]}).status_code == 403
    assert visitor.post("/api/reauthenticate", {"password": PASSWORD, "code": code_of(secret)}).status_code == 200
    assert visitor.post("/api/tokens", {"name": "program", "scopes": ["read"]}).status_code == 200


@pytest.mark.parametrize("way", ["api", "form"])
def test_codes_are_not_guessed_where_they_are_asked_for_again(alice: User, secret: str, way: str) -> None:
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    answers = []
    for _ in range(2 * throttling.MOST_BY_DEVICE):
        # A right password alone, in between, lets nothing be forgotten.
        visitor.post("/api/reauthenticate", {"password": PASSWORD})
        given = {"password": PASSWORD, "code": "000000"}
        of_form = partial(page_forms.post, visitor, "/reauthenticate", **given)
        of_api = partial(visitor.post, "/api/reauthenticate", given)
        answers.append((of_api if way == "api" else of_form)().status_code)
    assert answers.count(400) == throttling.MOST_BY_DEVICE
    assert set(answers) == {400, 429}


def test_a_factor_is_changed_by_who_gives_it_alone(alice: User, secret: str, time: SetClock) -> None:
    visitor = half_in(alice)
    give(visitor, code_of(secret))
    time.pass_by(minutes=20)
    assert visitor.post("/api/reauthenticate", {"password": PASSWORD}).status_code == 200
    for path in (
        "codes",
        "codes/confirm",
        "codes/remove",
        "recovery",
        "passkeys/options",
        "passkeys",
        "passkeys/alone",
    ):
        refused = visitor.post(f"/api/second-factor/{path}", {})
        assert (refused.status_code, refused.json()["error"], refused.json()["second_factor"]) == (
            403, "reauthenticate", True,
        )  # fmt: skip
    assert visitor.post("/api/reauthenticate", {"password": PASSWORD, "code": code_of(secret)}).status_code == 200
    assert visitor.post("/api/second-factor/codes/remove").status_code == 200


def test_a_sign_in_within_another_session_leads_to_the_factor(alice: User, bob: User) -> None:
    with_codes(alice)
    visitor = ApiClient()
    sign_in(visitor, "bob")
    before = visitor.client.cookies[settings.DEVICE_COOKIE_NAME].value
    answer = sign_in(visitor, "alice")
    assert answer.headers["Location"].startswith("/second-factor")
    assert visitor.client.cookies[settings.DEVICE_COOKIE_NAME].value == before
    assert not is_in(visitor)
