"""Wrong answers to the captcha of the login page: audited, and counted for the address (docs/api.md#captcha)."""

import pytest

from accounts.models import Captcha, User
from accounts.signin import throttling
from accounts.signin.forms import WRONG
from accounts.signin.pages import WRONG_CAPTCHA
from accounts.signin.signin import NAME_KEPT
from accounts.signin.throttling import has_failed
from audit.models import Entry
from tests.accounts.page_forms import ANSWER, page, sign_in
from tests.concurrency import together
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("known_answer")]
PATH = "/captcha.png"


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


def test_a_wrong_captcha_does_not_reveal_whether_the_password_was_right(visitor: ApiClient) -> None:
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


@pytest.mark.thorough
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
