"""Sessions in Redis: read from there, and gone everywhere when they end (docs/decisions/store.md#sessions-in-redis)."""

import pickle
from collections.abc import Callable

import pytest
from django.conf import settings
from django.core.cache import caches
from pytest_django import DjangoAssertNumQueries
from redis import ConnectionError as Unreachable
from redis import Redis

from accounts.actor import Actor
from accounts.models import Session, User
from accounts.session_stores import session_cache
from accounts.session_stores.session_store import SessionStore
from accounts.signin.sessions import end_others
from archive_site.lib import seldom_log
from tests.factories import ApiClient

pytestmark = [pytest.mark.postgres_only, pytest.mark.django_db, pytest.mark.usefixtures("fresh_lines")]


Foreign = Callable[[Redis, str], object]


def no_pickle(redis: Redis, name: str) -> None:
    redis.set(name, b"no pickle")


def pickle_of_a_missing_class(redis: Redis, name: str) -> None:
    redis.set(name, b"cno_such_module\nNoClass\n.")


def cut_pickle(redis: Redis, name: str) -> None:
    redis.set(name, pickle.dumps(("", "content"))[:-4])


def number(redis: Redis, name: str) -> None:
    redis.set(name, 5)


def no_content(redis: Redis, name: str) -> None:
    redis.set(name, pickle.dumps(("", "content")))


def list_(redis: Redis, name: str) -> None:
    redis.rpush(name, "content")


FOREIGN = [no_pickle, pickle_of_a_missing_class, cut_pickle, number, no_content, list_]


@pytest.fixture
def redis() -> Redis:
    return Redis.from_url(str(settings.REDIS_URL))


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [line.getMessage() for line in caplog.records if line.name == session_cache.__name__]


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


@pytest.mark.parametrize("content", FOREIGN)
def test_a_session_that_redis_does_not_hold_rightly_is_read_from_the_store_and_put_right(
    content: Foreign, key: str, redis: Redis, caplog: pytest.LogCaptureFixture
) -> None:
    name = caches["default"].make_key(session_cache._name(key))
    redis.delete(name)
    content(redis, name)
    assert SessionStore(key)["colour"] == "blue"
    assert session_cache.read(key)
    assert len(warnings(caplog)) <= 1


@pytest.mark.parametrize("content", FOREIGN)
def test_a_session_whose_generation_redis_does_not_hold_rightly_is_read_from_the_store(
    content: Foreign, key: str, redis: Redis
) -> None:
    name = caches["default"].make_key(session_cache._GENERATION)
    redis.delete(name)
    content(redis, name)
    try:
        assert SessionStore(key)["colour"] == "blue"
        assert session_cache.read(key)
    finally:
        redis.delete(name)


def test_the_log_says_it_once_a_minute(key: str, redis: Redis, caplog: pytest.LogCaptureFixture) -> None:
    name = caches["default"].make_key(session_cache._name(key))
    for seconds in (0, 59, 1):
        seldom_log._last = {kind: at - seconds for kind, at in seldom_log._last.items()}
        no_pickle(redis, name)
        assert SessionStore(key)["colour"] == "blue"
    said = 'Redis holds no session where it should, and gets it again: "UnpicklingError: '
    assert [line.startswith(said) for line in warnings(caplog)] == [True, True]


def test_a_request_whose_session_cannot_be_unpickled_is_answered(
    alice: User, api_of: Callable[[User], ApiClient], redis: Redis
) -> None:
    api = api_of(alice)
    no_pickle(redis, caches["default"].make_key(session_cache._name(str(api.client.session.session_key))))
    assert [api.get("/api/status").status_code for _ in range(2)] == [200, 200]


def test_sessions_last_while_redis_does_not_answer(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise Unreachable

    for name in ("get", "get_many", "set"):
        monkeypatch.setattr(caches["default"], name, fail)
    assert SessionStore(key)["colour"] == "blue"
