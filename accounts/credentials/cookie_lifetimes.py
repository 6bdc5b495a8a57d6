"""How long the cookies of an account lasted: from being set until the source refused them.

Most cookies name their end; for the others this is all that is known (docs/decisions/accounts.md#the-cookie).
"""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import transaction
from django.utils.crypto import salted_hmac

from accounts.models import CookieLifetime
from archive_site.lib import clock

# How long before the end of a session pages say so; status_banner.js has the same number of days.
SOON = timedelta(days=2)
# How many lifetimes of an account are kept.
KEPT = 10
_DAY = timedelta(days=1)


class Lasted(NamedTuple):
    """Whole days, at least one: the shortest and the longest of the lifetimes that are kept."""

    least: int
    most: int


def begin(archive_id: int, cookie: str) -> None:
    """Note that this cookie was set; the same cookie again begins nothing."""
    recognised = salted_hmac("accounts.cookie_lifetime", cookie, algorithm="sha256").hexdigest()
    with transaction.atomic():
        newest = _newest(archive_id)
        if newest and newest.cookie_hash == recognised:
            return
        # How long a cookie would have lasted is unknown if it was replaced before its end.
        CookieLifetime.objects.filter(user_id=archive_id, refused_at=None).delete()
        CookieLifetime.objects.create(user_id=archive_id, cookie_hash=recognised, set_at=clock.now())


def end(archive_id: int, asked_at: datetime, was_accepted: Callable[[datetime], bool]) -> None:
    """Note that the source refused the cookie with which it was asked at `asked_at`, in the caller's transaction.

    `was_accepted` says whether it accepted a cookie since an instant: one that never worked has no lifetime.
    """
    newest = _newest(archive_id)
    if newest is None or newest.refused_at or asked_at < newest.set_at or not was_accepted(newest.set_at):
        return
    CookieLifetime.objects.filter(pk=newest.pk, refused_at=None).update(refused_at=clock.now())
    known = CookieLifetime.objects.filter(user_id=archive_id).order_by("-pk").values_list("pk", flat=True)
    CookieLifetime.objects.filter(pk__in=list(known[KEPT:])).delete()


def lasted(archive_id: int) -> Lasted | None:
    """How long the account's cookies lasted; None where no end was seen yet."""
    rows = CookieLifetime.objects.filter(user_id=archive_id, refused_at__isnull=False)
    days = [max(1, round((end - start) / _DAY)) for start, end in rows.values_list("set_at", "refused_at") if end]
    return Lasted(min(days), max(days)) if days else None


def forget(archive_id: int) -> None:
    CookieLifetime.objects.filter(user_id=archive_id).delete()


def _newest(archive_id: int) -> CookieLifetime | None:
    return CookieLifetime.objects.filter(user_id=archive_id).order_by("pk").last()
