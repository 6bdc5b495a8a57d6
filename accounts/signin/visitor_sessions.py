"""Sessions of visitors who have not signed in: short ones, and not many of them
(docs/decisions/accounts.md#anonymous-visitors-leave-little-behind)."""

from datetime import timedelta
from typing import Final

from django.contrib.sessions.backends.base import SessionBase
from django.db.models import BooleanField, ExpressionWrapper, Q

from accounts.models import Session
from archive_site.lib import clock
from archive_site.lib.storage import disk_space

# All last as long, so those that end first have begun first. It is enough for a sign-in elsewhere.
LASTS_SECONDS: Final = 900
# Visitors leave at most this number of rows behind.
MOST_KEPT = 2000
# Clocks of nodes differ a little.
_LONGEST = timedelta(seconds=LASTS_SECONDS, minutes=1)


def begin(session: SessionBase) -> None:
    """Let the session be one of a visitor, from now on; those that began first make room for it."""
    keep_short(session)
    with disk_space.left_out_if_full("the removal of old sessions of visitors"):
        forget_oldest(session)


def keep_short(session: SessionBase) -> None:
    session.set_expiry(LASTS_SECONDS)


def forget_oldest(own: SessionBase) -> None:
    """Keep this session and the newest of other visitors. Those of a clock that ran ahead go first, which would else
    push out every new one."""
    lasts_longer = ExpressionWrapper(Q(expire_date__gt=clock.now() + _LONGEST), output_field=BooleanField())
    others = Session.objects.filter(user_id=None).exclude(pk=own.session_key).order_by(lasts_longer, "-expire_date")
    superfluous = list(others.values_list("pk", flat=True)[MOST_KEPT - 1 : MOST_KEPT + 99])
    if superfluous:
        Session.objects.filter(pk__in=superfluous).delete()
