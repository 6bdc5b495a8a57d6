"""How long cookies lasted: noted when a run finds one refused, and said on Settings."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from accounts.account_removal import remove_account
from accounts.actor import Actor
from accounts.credentials import cookie_lifetimes, credential
from accounts.models import CookieLifetime, User
from archive_site.lib import clock
from tests.factories import ApiClient
from tests.standing_clock import SetClock

ApiOf = Callable[[User], ApiClient]
Later = Callable[[float], None]
pytestmark = pytest.mark.django_db
NAMELESS = "session=no-end-{}; marker=1"


@pytest.fixture
def later(time: SetClock) -> Later:
    """Moves the clock on by days."""
    moved = clock.now()

    def move(days: float) -> None:
        nonlocal moved
        moved += timedelta(days=days)
        time.now = moved

    move(0)
    return move


def refused(user: User, *, accepted: bool = True) -> None:
    cookie_lifetimes.end(user.pk, clock.now(), lambda _since: accepted)


def lived(user: User, later: Later, *days: float) -> None:
    """Cookies that lasted so long, one after another."""
    for number, length in enumerate(days):
        credential.store(user.pk, NAMELESS.format(f"{number}-{length}"))
        later(length)
        refused(user)


def test_nothing_is_known_before_the_first_end(alice: User, later: Later) -> None:
    credential.store(alice.pk, NAMELESS.format(1))
    later(6)
    assert cookie_lifetimes.lasted(alice.pk) is None


def test_the_shortest_and_the_longest_are_said(alice: User, bob: User, later: Later) -> None:
    lived(alice, later, 6.2, 7, 6.8)
    assert cookie_lifetimes.lasted(alice.pk) == (6, 7)
    assert cookie_lifetimes.lasted(bob.pk) is None


def test_less_than_a_day_is_a_day(alice: User, later: Later) -> None:
    lived(alice, later, 0.1)
    assert cookie_lifetimes.lasted(alice.pk) == (1, 1)


def test_the_same_cookie_again_begins_nothing(alice: User, later: Later) -> None:
    credential.store(alice.pk, NAMELESS.format(1))
    later(3)
    credential.store(alice.pk, NAMELESS.format(1))
    later(2)
    refused(alice)
    assert cookie_lifetimes.lasted(alice.pk) == (5, 5)
    # Nor does it live again after its end.
    credential.store(alice.pk, NAMELESS.format(1))
    later(4)
    refused(alice)
    assert cookie_lifetimes.lasted(alice.pk) == (5, 5)


def test_a_cookie_that_was_replaced_in_time_does_not_count(alice: User, later: Later) -> None:
    credential.store(alice.pk, NAMELESS.format(1))
    later(2)
    lived(alice, later, 7)
    assert cookie_lifetimes.lasted(alice.pk) == (7, 7)
    assert CookieLifetime.objects.count() == 1


def test_a_cookie_that_was_never_accepted_does_not_count(alice: User, later: Later) -> None:
    credential.store(alice.pk, NAMELESS.format(1))
    later(2)
    refused(alice, accepted=False)
    assert cookie_lifetimes.lasted(alice.pk) is None


def test_a_run_that_used_the_cookie_before_says_nothing_of_this_one(alice: User, later: Later) -> None:
    begun = clock.now() - timedelta(minutes=1)
    credential.store(alice.pk, NAMELESS.format(1))
    cookie_lifetimes.end(alice.pk, begun, lambda _since: True)
    assert cookie_lifetimes.lasted(alice.pk) is None


def test_only_the_first_refusal_is_the_end(alice: User, later: Later) -> None:
    lived(alice, later, 6)
    later(9)
    refused(alice)
    assert cookie_lifetimes.lasted(alice.pk) == (6, 6)


@pytest.mark.engine
def test_the_last_ten_are_kept(alice: User, later: Later) -> None:
    lived(alice, later, *range(1, 14))
    assert CookieLifetime.objects.count() == cookie_lifetimes.KEPT
    assert cookie_lifetimes.lasted(alice.pk) == (4, 13)


def test_without_any_cookie_nothing_is_noted(alice: User) -> None:
    refused(alice)
    assert not CookieLifetime.objects.exists()


@pytest.mark.parametrize("keep_data", [False, True])
def test_they_go_with_the_account(keep_data: bool, alice: User, bob: User, root: User, later: Later) -> None:
    lived(alice, later, 6)
    lived(bob, later, 6)
    remove_account(alice.pk, keep_data=keep_data, actor=Actor("root", root.pk))
    assert list(CookieLifetime.objects.values_list("user_id", flat=True)) == [bob.pk]


def test_the_cookie_is_not_in_the_row(alice: User) -> None:
    credential.store(alice.pk, NAMELESS.format("secret"))
    assert "secret" not in CookieLifetime.objects.get().cookie_hash


@pytest.mark.parametrize(
    ("days", "said"),
    [
        ((6, 7), "Cookies of this account lasted 6 to 7 days."),
        ((6, 6), "Cookies of this account lasted 6 days."),
        ((1,), "Cookies of this account lasted 1 day."),
        ((), None),
    ],
)
def test_settings_say_it(days: tuple[float, ...], said: str | None, alice: User, later: Later, api_of: ApiOf) -> None:
    lived(alice, later, *days)
    credential.store(alice.pk, NAMELESS.format("present"))
    page = api_of(alice).get("/config").content.decode()
    assert (said in page) if said else ("lasted" not in page)


def test_a_named_end_is_said_instead(alice: User, later: Later, api_of: ApiOf) -> None:
    lived(alice, later, 6)
    end = clock.now() + timedelta(days=3)
    credential.store(alice.pk, f"session=x|{int(end.timestamp())}|y")
    page = api_of(alice).get("/config").content.decode()
    assert "ends on" in page
    assert "lasted" not in page


# The banner, and the status.


def ending(user: User, left: timedelta) -> datetime:
    end = (clock.now() + left).replace(microsecond=0)
    credential.store(user.pk, f"session=x|{int(end.timestamp())}|y")
    return end


@pytest.mark.parametrize(
    ("left", "is_said"),
    [
        (timedelta(days=2, minutes=1), False),
        (timedelta(days=2), True),
        (timedelta(minutes=1), True),
        (timedelta(0), False),
        (timedelta(days=-1), False),
    ],
)
@pytest.mark.parametrize("path", ["/records", "/runs", "/profile"])
def test_pages_say_it_from_two_days_before(
    path: str, left: timedelta, is_said: bool, alice: User, later: Later, api_of: ApiOf
) -> None:
    end = ending(alice, left)
    said = f"Your cookie ends on {(clock.local_text(end) or '')[:16]}. Copy a new one from your browser."
    page = api_of(alice).get(path).content.decode()
    assert (said in page) == is_said
    assert ("Open settings" in page) == is_said


def test_the_banner_of_another_account_stays_away(alice: User, bob: User, later: Later, api_of: ApiOf) -> None:
    ending(alice, timedelta(days=1))
    assert "Your cookie ends" not in api_of(bob).get("/records").content.decode()


def test_the_status_has_the_named_end(alice: User, bob: User, later: Later, api_of: ApiOf) -> None:
    end = ending(alice, timedelta(days=1))
    assert api_of(alice).get("/api/status").json()["cookie_expires_at"] == clock.local_text(end)
    assert api_of(bob).get("/api/status").json()["cookie_expires_at"] is None
    credential.store(bob.pk, NAMELESS.format(1))
    assert api_of(bob).get("/api/status").json()["cookie_expires_at"] is None
