"""/invitation/<token> with a link that is used, revoked, expired or guessed (docs/api.md#invitations)."""

from typing import Any

import pytest

from accounts.actor import Actor
from accounts.models import Invitation, User
from accounts.signin import invitations, throttling
from archive_site.lib import clock
from tests.accounts.page_forms import accept, invite, page, sign_in
from tests.factories import ApiClient

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]


def closed(response: Any) -> str:
    assert response.status_code == 404
    return page(response)


def test_a_link_works_once(link: str, anonymous: ApiClient) -> None:
    accept(anonymous, link)
    assert "not valid" in closed(accept(ApiClient(), link, username="eve"))
    assert User.objects.named("eve") is None


def test_an_expired_link_creates_nothing(link: str, anonymous: ApiClient) -> None:
    Invitation.objects.update(expires_at=clock.now())
    closed(anonymous.get(link))
    closed(accept(anonymous, link))
    assert User.objects.count() == 1


def test_a_link_that_expires_while_the_form_is_open_creates_nothing(
    link: str, anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Invitation.objects.get()
    monkeypatch.setattr(invitations, "find", lambda token: found)
    Invitation.objects.all().delete()
    closed(accept(anonymous, link))
    assert User.objects.count() == 1


def test_all_links_that_are_not_open_get_the_same_answer(root: User, alice: User) -> None:
    used, revoked, expired = (invite(root) for _ in range(3))
    accept(ApiClient(), used)
    invitations.revoke(row_of(revoked).pk, Actor("root", root.pk))
    Invitation.objects.filter(pk=row_of(expired).pk).update(expires_at=clock.now())
    guessed = "/invitation/" + "x" * 32
    answers = {_without_secrets(closed(ApiClient().get(path))) for path in (used, revoked, expired, guessed)}
    assert len(answers) == 1


def row_of(link: str) -> Invitation:
    found = invitations.find(link.rpartition("/")[2])
    assert found
    return found


def _without_secrets(text: str) -> str:
    """The page without the token and the nonce that differ in each answer."""
    return "".join(line for line in text.splitlines() if "WB_CSRF" not in line)


@pytest.mark.parametrize("guess", ["x", "é", "x" * 10_000, "%00", "a%2Fb", "..%2f"])
def test_a_guess_creates_nothing(guess: str, link: str, anonymous: ApiClient) -> None:
    path = f"/invitation/{guess}"
    assert anonymous.get(path).status_code == 404
    assert accept(anonymous, path).status_code == 404
    assert User.objects.count() == 1


def test_the_hash_in_the_store_opens_nothing(link: str, anonymous: ApiClient) -> None:
    assert anonymous.get(f"/invitation/{Invitation.objects.get().token_hash}").status_code == 404


def test_guesses_are_throttled_even_at_an_open_link(link: str, anonymous: ApiClient) -> None:
    for number in range(throttling.MOST_LINKS_BY_ADDRESS):
        assert anonymous.get(f"/invitation/{number}").status_code == 404
    refused = anonymous.get(link)
    assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (429, True)
    assert accept(anonymous, link).status_code == 429
    assert User.objects.count() == 1
    assert anonymous.client.get(link, REMOTE_ADDR="192.0.2.77").status_code == 200


@pytest.mark.thorough
def test_open_links_do_not_count_and_guesses_lock_no_sign_in(link: str, anonymous: ApiClient) -> None:
    for _ in range(throttling.MOST_LINKS_BY_ADDRESS + 5):
        assert anonymous.get(link).status_code == 200
    for number in range(throttling.MOST_LINKS_BY_ADDRESS + 5):
        anonymous.get(f"/invitation/{number}")
    assert sign_in(ApiClient(), "root").status_code == 302


def test_parallel_guesses_are_counted_exactly(link: str) -> None:
    throttling.count_link("192.0.2.1")
    for _ in range(throttling.MOST_LINKS_BY_ADDRESS - 1):
        throttling.count_link("192.0.2.1")
    with pytest.raises(throttling.TooManyFailures):
        throttling.count_link("192.0.2.1")
