"""Telling failures of Redis from others, without loading its client where there is none."""

import sys


def is_of_redis(error: BaseException | None) -> bool:
    """Whether Redis has failed; without REDIS_URL nothing loads its client, so nothing is."""
    exceptions = sys.modules.get("redis.exceptions")
    return exceptions is not None and isinstance(error, exceptions.RedisError)
