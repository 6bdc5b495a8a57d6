"""The counters in Redis, which takes any value under their names: what is no number is removed and begins anew.

The rules: docs/decisions/store.md#counters-in-a-small-cache-of-their-own.
"""

import logging
import re
from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.redis import RedisCache
from redis import Redis
from redis.client import Pipeline
from redis.exceptions import ResponseError

from archive_site.lib import seldom_log

log = logging.getLogger(__name__)

# What Redis can count up and down: whole numbers of 64 bits, as it writes them.
_NUMBER = re.compile(rb"0|-?[1-9][0-9]{0,17}")
# Counts up what is there.
_INCREASE = "if redis.call('exists', KEYS[1]) == 1 then return redis.call('incrby', KEYS[1], ARGV[1]) end"


class _NoNumber(Exception):
    """Redis holds another value under the name of a counter."""


class RedisCounters(RedisCache):
    """Django's cache in Redis, for whole numbers."""

    def add(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        is_added = super().add(key, int(value), timeout, version)
        if is_added or self._is_there(key, version):
            return is_added
        # It is no number, or another process has just removed it.
        self._is_removed(key, version)
        return super().add(key, int(value), timeout, version)

    def get(self, key: str, default: Any = None, version: int | None = None) -> Any:
        try:
            found = _number(self._client(), self.make_and_validate_key(key, version=version))
        except _NoNumber:
            self._is_removed(key, version)
            return default
        return default if found is None else found

    def set(self, key: str, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        super().set(key, int(value), timeout, version)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        """The new count. Raises ValueError if the key is missing, or was no counter."""
        try:
            # In one step: between two the key may end, and would begin anew without an end.
            found = self._client().eval(_INCREASE, 1, self.make_and_validate_key(key, version=version), str(delta))
        except ResponseError:
            if not self._is_removed(key, version):
                raise
            found = None
        if found is None:
            raise ValueError("no such counter")
        return int(found)

    def _client(self) -> Redis:
        client: Redis = self._cache.get_client(write=True)
        return client

    def _is_there(self, key: str, version: int | None) -> bool:
        try:
            return _number(self._client(), self.make_and_validate_key(key, version=version)) is not None
        except _NoNumber:
            return False

    def _is_removed(self, key: str, version: int | None) -> bool:
        """Remove what is no number; whether there was something. Another process may count under the name meanwhile."""
        name = self.make_and_validate_key(key, version=version)

        def remove(steps: Pipeline) -> None:
            try:
                _number(steps, name)
            except _NoNumber:
                steps.multi()
                steps.delete(name)

        # The transaction gives the results of its steps: without a step, as where a number was found, it gives none.
        is_removed = bool(self._client().transaction(remove, name))
        if is_removed:
            seldom_log.warn(log, "redis counters", "a counter in Redis was no number and begins at zero")
        return is_removed


def _number(client: Redis, name: str) -> int | None:
    """The number under a name; None if the name has no value. Raises _NoNumber, and RedisError."""
    try:
        found: Any = client.get(name)
    except ResponseError as error:
        # A list, a set or the like.
        if not str(error).startswith("WRONGTYPE"):
            raise
        raise _NoNumber from None
    if found is not None and not _NUMBER.fullmatch(found):
        raise _NoNumber
    return None if found is None else int(found)
