"""The causes of notices in packages of credits: those that end unused, and credits that run out
(docs/decisions/notices.md#causes)."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta

from accounts.notices.beginning_and_end import Cause, has_notice, open_name
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.models import Package
from usage.packages import stored_packages
from usage.packages.package import Kind, State
from usage.packages.packages_now import Likely, Shown, likely
from usage.record_payloads import amount

EXPIRE, END = "credits_expire", "credits_end"
# What the names of the causes of the second end with.
_SOON, _USED_UP = "soon", "used up"
# So long before credits end or run out it is said.
_BEFORE = timedelta(days=7)
# What is unused of a package is worth a notice from this part of its size on.
_WORTH = 0.01
# A list of packages says what is left for this long.
_FRESH = timedelta(days=2)


def judged(user_id: int, archive_id: int) -> tuple[list[Cause], set[str]]:
    """What ends unused, and whether the credits last until the next grant, if the days go on as usual; and the events
    that were looked for. Where packages were not read lately, what was said of a day stands until then."""
    if not stored_packages.has_any(archive_id):
        return [], {EXPIRE, END}
    now, unit = clock.local_time(clock.now()), unit_of(archive_id)
    found = likely(archive_id)
    if not found.is_read_since(clock.now() - _FRESH):
        ending = _expiring(found, now, unit)
        return [one for one in ending if has_notice(user_id, archive_id, one.event, one.name)], {EXPIRE}
    if _is_between_cycles(found):
        return list(_expiring(found, now, unit)), {EXPIRE}
    said = open_name(user_id, archive_id, END)
    return [*_expiring(found, now, unit), *_runs_out(found, said)], {EXPIRE, END}


def _expiring(found: Likely, now: datetime, unit: Unit) -> Iterator[Cause]:
    """A cause for each day on which something ends unused."""
    by_day: dict[date, list[tuple[Shown, float]]] = defaultdict(list)
    for place, one in enumerate(found.valid):
        unused = found.outlook.unused.get(place)
        if one.ends and one.ends - now <= _BEFORE and unused is not None and unused >= one.row.size * _WORTH:
            by_day[one.ends.date()].append((one, unused))
    for day, ending in by_day.items():
        # No forecast is as exact as its digits.
        whole = float(round(unit.number(round(sum(unused for _, unused in ending)))))
        if not whole:
            continue
        left, first = amount(whole, unit), ending[0][0]
        if len(ending) > 1:
            text = Message("notice_credits_expire_several", count=len(ending), amount=left, day=str(day))
        else:
            name = first.row.name or first.row.resource_id
            text = Message("notice_credits_expire", name=name, amount=left, end=_minute(first.ends))
        yield Cause(EXPIRE, str(day), text, once=True)


def _runs_out(found: Likely, said: str) -> Iterator[Cause]:
    """`said` is the name of the notice that is open, empty without one."""
    now, grant = clock.local_time(clock.now()), _next_grant(found.shown)
    before = f"{grant:%Y-%m-%d} " if grant else "after "
    period, facts = before + _granted(found.shown, grant), {"grant": _minute(grant)}
    if said.startswith(before) and (said.endswith(_SOON) or not found.valid):
        # What still holds is not said again, whatever was granted meanwhile.
        period = said.removesuffix(_SOON).removesuffix(_USED_UP)
    if not found.valid:
        text = Message("notice_credits_used_up_until", **facts) if grant else Message("notice_credits_used_up")
        yield Cause(END, f"{period}{_USED_UP}", text, once=True, continues=period)
        return
    until = found.outlook.lasts_until
    if until is None or until - now > _BEFORE or (grant and until >= grant):
        return
    ends = {"until": _minute(until)}
    text = Message("notice_credits_end_before", **ends, **facts) if grant else Message("notice_credits_end", **ends)
    yield Cause(END, f"{period}{_SOON}", text, once=True, continues=period)


def _granted(shown: Sequence[Shown], grant: datetime | None) -> str:
    """What was granted last, in the name of a cause: it is said once until something is granted, in a cycle of a plan
    until something is bought."""
    if grant is not None:
        cycles = (one.row.granted_at for one in shown if one.ends == grant and _is_cycle(one.row))
        begun = max(filter(None, cycles), default=None)
        once = (one.row for one in shown if not _is_cycle(one.row))
        bought = [row.granted_at for row in once if row.kind == Kind.ADD_ON and row.granted_at]
        last = max(bought, default=None)
        return f"after {clock.local_text(last)} " if begun and last and last > begun else ""
    granted = max((one.row.granted_at for one in shown if one.row.granted_at), default=None)
    # The source does not say of each when it was granted.
    others = sum(one.row.granted_at is None for one in shown)
    return f"{clock.local_text(granted)} " + (f"and {others} more " if others else "")


def _is_between_cycles(found: Likely) -> bool:
    """Whether something goes on whose last cycle ended lately and is followed by none yet: what is left of the next is
    not known. The source may list the ended one for hours."""
    now, last = clock.now(), dict[str, Package]()
    rows = [one.row for one in found.shown if _is_cycle(one.row) and one.row.expires_at]
    for row in sorted(rows, key=lambda row: row.expires_at or now):
        last[row.resource_id] = row
    going_on = [row for row in last.values() if row.renews is not False and row.state != State.REFUNDED]
    return any(row.expires_at and now - _FRESH < row.expires_at <= now for row in going_on)


def _next_grant(shown: Sequence[Shown]) -> datetime | None:
    """When the next cycle of a plan begins; without a plan, that of a package which is worth what is left of others."""
    going_on = [one for one in shown if one.state in (State.VALID, State.USED_UP) and one.row.renews is not False]
    now = clock.local_time(clock.now())
    cycles = [one for one in going_on if _is_cycle(one.row) and one.ends and one.ends > now]
    plans = [one for one in cycles if one.row.kind == Kind.PLAN]
    # The gift of a day may be small beside them.
    others = {
        one: sum(each.row.left for each in shown if each.state is State.VALID and each is not one) for one in cycles
    }
    grants = plans or [one for one in cycles if one.row.size >= others[one]]
    return min((one.ends for one in grants if one.ends), default=None)


def _is_cycle(row: Package) -> bool:
    """Whether something is granted anew after it."""
    return row.kind == Kind.PLAN or bool(row.cycle)


def _minute(moment: datetime | None) -> str:
    return moment.isoformat(" ", "minutes") if moment else ""
