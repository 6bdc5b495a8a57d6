"""A counter that Redis does not hold as a number begins at zero, and no request fails for it for good.

The rules: docs/decisions/store.md#counters-in-a-small-cache-of-their-own.
"""

import logging
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import caches
from redis import Redis
from redis.exceptions import ResponseError

from accounts.models import User
from archive_site.lib import seldom_log
from archive_site.lib.storage.redis_counters import RedisCounters
from tests.concurrency import together
from tests.factories import ApiClient

pytestmark = [pytest.mark.postgres_only, pytest.mark.usefixtures("fresh_lines")]
Foreign = Callable[[Redis, str], object]


def words(redis: Redis, name: str) -> None:
    redis.set(name, "no number")


def pickled(redis: Redis, name: str) -> None:
    redis.set(name, b"\x80\x05K\x05")


def too_large(redis: Redis, name: str) -> None:
    redis.set(name, 2**63 - 1)


def list_(redis: Redis, name: str) -> None:
    redis.rpush(name, "1")


def set_(redis: Redis, name: str) -> None:
    redis.sadd(name, "1")


FOREIGN = [words, pickled, too_large, list_, set_]


@pytest.fixture
def cache() -> RedisCounters:
    counters = caches["counters"]
    assert isinstance(counters, RedisCounters)
    return counters


@pytest.fixture
def redis(cache: RedisCounters) -> Any:
    return cache._client()


@pytest.mark.parametrize("foreign", FOREIGN)
def test_what_is_no_number_begins_at_zero(foreign: Foreign, cache: RedisCounters, redis: Redis) -> None:
    foreign(redis, cache.make_key("key"))
    assert cache.add("key", 0, 60)
    assert (cache.incr("key"), cache.get("key")) == (1, 1)
    assert 0 < redis.ttl(cache.make_key("key")) <= 60


@pytest.mark.parametrize("foreign", FOREIGN)
def test_it_is_read_as_missing(foreign: Foreign, cache: RedisCounters, redis: Redis) -> None:
    foreign(redis, cache.make_key("key"))
    assert cache.get("key", 7) == 7
    assert not redis.exists(cache.make_key("key"))


@pytest.mark.parametrize("foreign", FOREIGN)
def test_it_cannot_be_counted_up_as_a_missing_one(foreign: Foreign, cache: RedisCounters, redis: Redis) -> None:
    foreign(redis, cache.make_key("key"))
    with pytest.raises(ValueError, match="no such counter"):
        cache.incr("key")


@pytest.mark.parametrize("foreign", FOREIGN)
def test_it_can_be_set_and_deleted(foreign: Foreign, cache: RedisCounters, redis: Redis) -> None:
    foreign(redis, cache.make_key("key"))
    assert cache.delete("key")
    foreign(redis, cache.make_key("key"))
    cache.set("key", 3, 60)
    assert cache.get("key") == 3


def test_a_number_is_kept(cache: RedisCounters) -> None:
    cache.set("key", -3, 60)
    assert (cache.add("key", 5, 60), cache.get("key"), cache.decr("key")) == (False, -3, -4)


def test_a_counter_that_is_gone_is_not_made_without_an_end(cache: RedisCounters, redis: Redis) -> None:
    with pytest.raises(ValueError, match="no such counter"):
        cache.incr("key")
    assert not redis.exists(cache.make_key("key"))
    cache.set("key", 1, 60)
    assert (cache.incr("key", 4), cache.decr("key")) == (5, 4)
    assert 0 < redis.ttl(cache.make_key("key")) <= 60


def test_threads_that_meet_it_at_once_lose_no_count(cache: RedisCounters, redis: Redis) -> None:
    def count() -> int:
        cache.add("key", 0, 60)
        return cache.incr("key")

    for _ in range(20):
        words(redis, cache.make_key("key"))
        assert sorted(together(*[count] * 8)) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_other_refusals_of_redis_are_not_taken_for_it(cache: RedisCounters, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ResponseError("refused")

    cache.set("key", 1, 60)
    monkeypatch.setattr("redis.Redis.eval", refuse)
    with pytest.raises(ResponseError, match="refused"):
        cache.incr("key")
    assert cache.get("key") == 1


def test_the_log_says_it_once_a_minute(cache: RedisCounters, redis: Redis, caplog: pytest.LogCaptureFixture) -> None:
    for seconds in (0, 59, 1):
        seldom_log._last = {kind: at - seconds for kind, at in seldom_log._last.items()}
        words(redis, cache.make_key("key"))
        cache.get("key")
    lines = [line.getMessage() for line in caplog.records if line.levelno >= logging.WARNING]
    assert lines == ["a counter in Redis was no number and begins at zero"] * 2


@pytest.mark.django_db
@pytest.mark.parametrize("foreign", FOREIGN)
def test_requests_are_answered_whatever_their_counters_are(foreign: Foreign, alice: User, redis: Redis) -> None:
    api = ApiClient.signed_in(alice)
    assert api.get("/api/summary").status_code == 200
    names = [name.decode() for name in redis.scan_iter() if b"session:" not in name and b":sessions" not in name]
    assert names
    for name in names:
        redis.delete(name)
        foreign(redis, name)
    assert [api.get("/api/summary").status_code for _ in range(2)] == [200, 200]
