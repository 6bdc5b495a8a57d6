"""How many requests are made in an hour for an account's notices and webhooks (docs/decisions/notices.md#outbox)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.core.cache import caches
from django.db.models import Q, QuerySet

from accounts.delivery import stored_webhooks
from accounts.delivery.events import TESTS
from accounts.delivery.stored_webhooks import PLACE, is_place
from accounts.models import Delivery

MOST_IN_HOUR = 30
# To all hosts together; an account has as many webhooks, and names of hosts cost nothing.
MOST_TO_WEBHOOKS = stored_webhooks.MOST * MOST_IN_HOUR
HOUR = 3600


@dataclass(frozen=True)
class Limit:
    """A limit by the name of its counter; `counted` chooses what of the account counts for it."""

    name: str
    most: int
    counted: Q


def count(delivery: Delivery, now: datetime) -> QuerySet[Delivery] | None:
    """Count a request in the present hour; where that is used up, what else waits and counts for it."""
    # Tests were counted when they were asked for.
    if delivery.notice.event in TESTS:
        return None
    for limit in _limits_of(delivery):
        counters, key = caches["counters"], f"{limit.name}:{int(now.timestamp()) // HOUR}"
        counters.add(key, 0, 2 * HOUR)
        if counters.incr(key) > limit.most:
            waiting = Delivery.objects.filter(user_id=delivery.user_id, state=Delivery.State.WAITING)
            return waiting.filter(limit.counted).exclude(notice__event__in=TESTS)
    return None


def _limits_of(delivery: Delivery) -> Iterator[Limit]:
    """The notices of an account count together. Its webhooks count by host: one that is made anew gets no more, and one
    holds up neither notices nor those of other hosts.
    """
    user_id = delivery.user_id
    if not is_place(delivery.address):
        yield Limit(f"notices:{user_id}", MOST_IN_HOUR, ~Q(address__startswith=PLACE))
        return
    host, places = stored_webhooks.host_of(user_id, delivery.address)
    yield Limit(f"webhooks:{user_id}:{host}", MOST_IN_HOUR, Q(address__in=places))
    yield Limit(f"webhooks:{user_id}", MOST_TO_WEBHOOKS, Q(address__startswith=PLACE))
