"""The distance between requests of several collections to one source host: docs/decisions/collection.md#the-lease."""

import time
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import caches

# The most requests a second to a host, from all collections together.
PER_SECOND = 4
_KEPT = 60


def until_turn(address: str) -> float:
    """The seconds to wait before another try to send a request to the address; 0.0 if it may be sent now.

    One collection alone waits for each answer anyway. Of several, one gets each quarter of a second, whatever the
    process or node.
    """
    if settings.COLLECTIONS_AT_ONCE == 1:
        return 0.0
    now = time.time()
    turn = int(now * PER_SECOND)
    if caches["counters"].add(f"upstream:{urlsplit(address).netloc}:{turn}", 1, _KEPT):
        return 0.0
    return max(0.001, (turn + 1) / PER_SECOND - now)
