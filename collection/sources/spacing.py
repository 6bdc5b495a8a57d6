"""The distance between requests of several collections to one source host: docs/decisions/collection.md#the-lease."""

import logging
import time
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import caches

from archive_site.lib import seldom_log
from archive_site.lib.storage.redis_failures import is_of_redis

log = logging.getLogger(__name__)

# The most requests a second to a host, from all collections together.
PER_SECOND = 4
_KEPT = 60
# Seconds between two tries while Redis does not answer.
_WITHOUT_REDIS = 1.0


def until_turn(address: str) -> float:
    """The seconds to wait before another try to send a request to the address; 0.0 if it may be sent now.

    One collection alone waits for each answer anyway. Of several, one gets each quarter of a second, whatever the
    process or node.
    """
    if settings.COLLECTIONS_AT_ONCE == 1:
        return 0.0
    now = time.time()
    turn = int(now * PER_SECOND)
    try:
        if caches["counters"].add(f"upstream:{urlsplit(address).netloc}:{turn}", 1, _KEPT):
            return 0.0
    except Exception as error:
        if not is_of_redis(error):
            raise
        # It has come back by the next try, or else the run waits: it would fail for no fault of its own.
        seldom_log.warn(log, "spacing", "a collection waits for Redis: %s", seldom_log.shown(str(error)))
        return _WITHOUT_REDIS
    return max(0.001, (turn + 1) / PER_SECOND - now)
