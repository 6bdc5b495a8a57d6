"""The causes of notices in packages of credits: those that end unused, and credits that run out
(docs/decisions/notices.md#causes)."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from accounts.notices.beginning_and_end import Cause
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from usage.packages import stored_packages
from usage.packages.package import Kind, State
from usage.packages.packages_now import Likely, Shown, likely
from usage.record_payloads import amount
from usage.unit_of_archive import unit_of
from usage.units import Unit

EXPIRE, END = "credits_expire", "credits_end"
# So long before credits end or run out it is said.
_BEFORE = timedelta(days=7)
# What is unused of a package is worth a notice from this part of its size on.
_WORTH = 0.01
# A list of packages says what is left for this long.
_FRESH = timedelta(days=2)
_MINUTES = len("2026-09-07 23:42")


def causes(archive_id: int) -> Iterator[Cause]:
    """What ends unused, and whether the credits last until the next grant, if the days go on as usual."""
    if not stored_packages.has_any(archive_id):
        return
    now, unit = clock.local_time(clock.now()), unit_of(archive_id)
    found = likely(archive_id)
    if not found.is_read_since(clock.now() - _FRESH):
        return
    for place, one in enumerate(found.valid):
        unused = found.outlook.unused.get(place)
        if one.ends and one.ends - now <= _BEFORE and unused is not None and unused >= one.row.size * _WORTH:
            yield _expires(one, unused, unit)
    yield from _runs_out(found, now)


def _expires(one: Shown, unused: float, unit: Unit) -> Cause:
    facts = {
        # No forecast is as exact as its digits.
        "amount": amount(float(round(unit.number(round(unused)))), unit),
        "name": one.row.name or one.row.resource_id,
        "end": _minute(one.ends),
    }
    # An end that the source moves is another one.
    return Cause(EXPIRE, f"{one.row.resource_id} {one.ends}", Message("notice_credits_expire", **facts), once=True)


def _runs_out(found: Likely, now: datetime) -> Iterator[Cause]:
    grant = _next_grant(found.shown)
    # Without a plan nobody knows of a grant: it is said once a month.
    period = f"{grant:%Y-%m-%d} " if grant else f"{now:%Y-%m} "
    facts = {"grant": _minute(grant)}
    if not found.valid:
        text = Message("notice_credits_used_up_until", **facts) if grant else Message("notice_credits_used_up")
        yield Cause(END, f"{period}used up", text, once=True, continues=period)
        return
    until = found.outlook.lasts_until
    if until is None or until - now > _BEFORE or (grant and until >= grant):
        return
    facts["until"] = _minute(until)
    text = (
        Message("notice_credits_end_before", **facts) if grant else Message("notice_credits_end", until=facts["until"])
    )
    yield Cause(END, f"{period}soon", text, once=True, continues=period)


def _next_grant(shown: Sequence[Shown]) -> datetime | None:
    """When the next cycle of a plan begins."""
    plans = [one for one in shown if one.row.kind == Kind.PLAN and one.state in (State.VALID, State.USED_UP)]
    now = clock.local_time(clock.now())
    return min((one.ends for one in plans if one.ends and one.ends > now), default=None)


def _minute(moment: datetime | None) -> str:
    return moment.isoformat(" ")[:_MINUTES] if moment else ""
