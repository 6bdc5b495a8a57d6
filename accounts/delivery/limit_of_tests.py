"""How many tests of notices and webhooks an account may ask for: they count apart from what it is sent otherwise."""

import math
from datetime import timedelta

from django.db.models import QuerySet
from django.utils.translation import gettext

from accounts.models import Delivery
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError

# Tests that may wait at once.
MOST_WAITING = 3
# Tries of tests; a test to ten addresses has ten.
MOST_IN_HOUR = 60
_HOUR = timedelta(hours=1)


def require_room(tests: QuerySet[Delivery], number: int, place: str = "") -> None:
    """Raises ApiError 429 where these leave no room for a test to `number` receivers, with the seconds until they do.

    Those that wait count for `place` alone, if it is given: tests of one that is slow hold up none of another. In the
    caller's turn, so that two requests do not take the same room (docs/api.md#notices).
    """
    waiting = tests.filter(state=Delivery.State.WAITING, **({"address": place} if place else {}))
    if waiting.values("notice_id").distinct().count() >= MOST_WAITING:
        raise ApiError(429, "too_frequent", gettext("Other tests are still waiting to be sent."), retry_after=60)
    now = clock.now()
    in_hour = tests.filter(notice__began_at__gt=now - _HOUR, notice__began_at__lte=now)
    began = list(in_hour.order_by("notice__began_at").values_list("notice__began_at", flat=True))
    too_many = len(began) + number - MOST_IN_HOUR
    if too_many > 0:
        wait = math.ceil((began[too_many - 1] + _HOUR - now).total_seconds())
        words = gettext("At most %(most)s tests are sent in an hour. Try again in %(minutes)s minutes.")
        minutes = math.ceil(wait / 60)
        raise ApiError(429, "too_frequent", words % {"most": MOST_IN_HOUR, "minutes": minutes}, retry_after=wait)
