"""Sessions in Redis: read from there, and gone everywhere when they end (docs/decisions/store.md#sessions-in-redis)."""

from collections.abc import Callable

import pytest
from django.conf import settings
from django.core.cache import caches
from pytest_django import DjangoAssertNumQueries
from redis import ConnectionError as Unreachable
from redis import Redis

from accounts import session_cache
from accounts.actor import Actor
from accounts.models import Session, User
from accounts.session_store import SessionStore
from accounts.signin.sessions import end_others
from tests.factories import ApiClient

pytestmark = [pytest.mark.postgres_only, pytest.mark.django_db]


@pytest.fixture
def key() -> str:
    """The key of a stored session."""
    session = SessionStore()
    session["colour"] = "blue"
    session.save()
    assert session.session_key
    return session.session_key


def test_a_known_session_is_read_without_the_store(key: str, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert SessionStore(key)["colour"] == "blue"


def test_an_unknown_one_is_read_once(key: str, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    session_cache.forget([key])
    with django_assert_num_queries(1):
        assert [SessionStore(key)["colour"] for _ in range(2)] == ["blue", "blue"]


def test_a_change_is_known_at_once(key: str) -> None:
    session = SessionStore(key)
    session["colour"] = "red"
    session.save()
    assert SessionStore(key)["colour"] == "red"


def test_one_that_is_deleted_is_forgotten(key: str) -> None:
    Session.objects.filter(pk=key).delete()
    assert SessionStore(key).get("colour") is None


def test_ending_other_sessions_ends_them(alice: User, api_of: Callable[[User], ApiClient]) -> None:
    elsewhere = api_of(alice)
    assert elsewhere.get("/api/status").status_code == 200
    end_others(alice, None, Actor("alice", alice.pk, ""))
    assert elsewhere.get("/api/status").status_code == 401


def test_a_restore_ends_all(key: str) -> None:
    Session.objects.filter(pk=key)._raw_delete("default")
    assert SessionStore(key).get("colour") == "blue"
    session_cache.forget_all()
    assert SessionStore(key).get("colour") is None


def test_redis_holds_no_key_that_opens_a_session(key: str) -> None:
    assert settings.REDIS_URL
    client = Redis.from_url(str(settings.REDIS_URL))
    names = [name.decode() for name in client.scan_iter()]
    assert [key in name for name in names] == [False] * len(names)


def test_sessions_last_while_redis_does_not_answer(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise Unreachable

    for name in ("get", "get_many", "set"):
        monkeypatch.setattr(caches["default"], name, fail)
    assert SessionStore(key)["colour"] == "blue"
