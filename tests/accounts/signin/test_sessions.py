"""Where an account is signed in, and POST /api/sessions/end-others."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Session, User
from accounts.signin import sessions
from archive_site.lib import clock
from audit.models import Entry
from tests.factories import PASSWORD, ApiClient

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36"
EDGE = f"{CHROME} Edg/140.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1"
PATH = "/api/sessions/end-others"


def signed_in(username: str = "alice", agent: str = FIREFOX, address: str = "192.0.2.7") -> ApiClient:
    """A visitor who signed in through the page, as a browser does."""
    visitor = ApiClient()
    fields = {"_csrf": visitor.token, "username": username, "password": PASSWORD}
    visitor.client.post("/login", fields, headers={"User-Agent": agent}, REMOTE_ADDR=address)
    visitor.token = visitor.client.cookies[settings.CSRF_COOKIE_NAME].value
    return visitor


def key_of(visitor: ApiClient) -> str:
    return str(visitor.client.cookies[settings.SESSION_COOKIE_NAME].value)


def is_in(visitor: ApiClient) -> bool:
    return bool(visitor.get("/api/settings").status_code == 200)


def listed(visitor: ApiClient) -> str:
    page: Any = visitor.get("/profile")
    return str(page.content, "utf-8").split("data-sessions")[1].split("</ul>")[0]


def test_a_session_is_listed_with_browser_address_and_when_it_began(alice: User) -> None:
    part = listed(signed_in())
    expected = ["Firefox on Linux", "192.0.2.7", (clock.local_text(clock.now()) or "")[:15], "this session"]
    assert [text for text in expected if text not in part] == []


def test_the_own_one_is_first_and_the_others_are_not_called_this_one(alice: User) -> None:
    visitor, other = signed_in(), signed_in(agent=SAFARI, address="192.0.2.8")
    part = listed(visitor)
    assert part.index("Firefox") < part.index("Safari on iPhone")
    assert part.count("this session") == 1
    assert listed(other).index("Safari") < listed(other).index("Firefox")


def test_no_key_of_a_session_is_on_the_page(alice: User) -> None:
    visitor, other = signed_in(), signed_in()
    page = str(visitor.get("/profile").content)
    assert [key for key in map(key_of, (visitor, other)) if key in page] == []


def test_only_ones_own_are_listed(alice: User, bob: User) -> None:
    signed_in("bob", address="192.0.2.99")
    assert "192.0.2.99" not in listed(signed_in())


@pytest.mark.parametrize("ended", ["password", "version", "time", "sign-out"])
def test_one_that_has_ended_is_not_listed(alice: User, ended: str) -> None:
    other = signed_in(address="192.0.2.99")
    if ended == "password":
        alice.set_password("another Horse 8")
        alice.save()
    elif ended == "version":
        User.objects.update(session_version=2)
    elif ended == "time":
        Session.objects.update(expire_date=clock.now() - timedelta(seconds=1))
    else:
        other.client.post("/logout", {"_csrf": other.token})
    alice.refresh_from_db()
    assert sessions.in_force(alice, None) == []


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (CHROME, "Chrome on Windows"), (EDGE, "Edge on Windows"), (SAFARI, "Safari on iPhone"),
        ("curl/8.5", "curl/8.5"), ("x" * 500, f">{'x' * 59}…<"),
        ("<script>", "&lt;script&gt;"), ("", "Unknown browser"),
    ],
)  # fmt: skip
def test_a_browser_is_named_in_words_where_they_are_known(alice: User, agent: str, words: str) -> None:
    assert words in listed(signed_in(agent=agent))


def test_a_session_from_before_they_were_kept_is_listed_by_when_it_ends(alice: User, api_of: ApiOf) -> None:
    api_of(alice)
    (session,) = sessions.in_force(alice, None)
    assert abs(session.begun_at - clock.now()) < timedelta(minutes=1)
    assert (session.address, session.agent) == ("", "")


def test_many_are_counted_not_listed(alice: User) -> None:
    visitor = signed_in()
    kept = Session.objects.get()
    Session.objects.bulk_create(
        Session(pk=f"other{n}", session_data=kept.session_data, expire_date=kept.expire_date, user_id=alice.pk)
        for n in range(25)
    )
    part = listed(visitor)
    assert (part.count("Firefox on Linux"), "and 6 older sessions" in part) == (20, True)


def test_all_others_end_and_this_one_goes_on(alice: User) -> None:
    visitor, first, second = (signed_in() for _ in range(3))
    answer = visitor.post(PATH)
    assert answer.json() == {"ok": True, "message": "2 other sessions are signed out."}
    assert [is_in(one) for one in (visitor, first, second)] == [True, False, False]


def test_it_is_audited_as_signing_out(alice: User) -> None:
    visitor = signed_in()
    signed_in()
    visitor.post(PATH)
    entry = Entry.objects.get(action="logout")
    assert (entry.actor, entry.user_id, entry.detail) == ("alice", alice.pk, "other sessions ended: 1")


def test_where_there_is_no_other_nothing_is_done_or_written_down(alice: User) -> None:
    visitor = signed_in()
    assert visitor.post(PATH).json() == {"ok": True, "message": "There are no other sessions."}
    assert is_in(visitor)
    assert not Entry.objects.filter(action="logout").exists()


def test_nobody_elses_session_ends_whatever_is_sent(alice: User, bob: User) -> None:
    visitor, other = signed_in(), signed_in("bob")
    visitor.post(PATH, {"user_id": bob.pk, "id": key_of(other), "session": key_of(other)})
    assert is_in(other)


def test_it_needs_a_sign_in_and_the_token(alice: User, anonymous: ApiClient) -> None:
    visitor = signed_in()
    other = signed_in()
    assert anonymous.post(PATH).status_code == 401
    assert visitor.client.post(PATH).status_code == 400
    assert visitor.get(PATH).status_code == 405
    assert is_in(other)
