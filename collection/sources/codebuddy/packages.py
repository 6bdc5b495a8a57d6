"""Turning answers about packages of credits into packages (docs/upstream.md#packages). Pure functions."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.failures import secrets_of
from collection.sources.codebuddy.rows import good_payload
from collection.sources.over_http.answer_json import object_of
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.request_ids import id_of
from collection.sources.over_http.unusable import broken, unknown_form
from usage.amounts.units import CREDITS
from usage.incoming.values import FIRST_YEAR, LAST_YEAR, UnreadableRow, count, instant, label, number
from usage.packages.package import Key, Kind, SeenPackage, State

# Packages that an answer is asked for, and those that one may have all the same.
PAGE_SIZE, MOST = 200, 1_000
# What stands for the id of the limit that an enterprise sets.
MEMBERSHIP = "enterprise"
_KINDS: Mapping[int | None, Kind] = {4: Kind.PLAN, 1: Kind.GIFT}
_STATES: Mapping[int | None, State] = {0: State.VALID, 1: State.REFUNDED, 2: State.EXPIRED, 3: State.USED_UP}
_MOST_CREDITS = 10**12
_A_DAY = timedelta(days=1)
# Seconds, and a thousand times as many milliseconds, that are later than any end.
_FAR = 10**11
# Where a size and its parts stand: of the running cycle, and of the whole, which is wrong for plans.
_OF_CYCLE = "CycleCapacity{}Precise", "CycleCapacity{}"
_OF_WHOLE = "Capacity{}Precise", "Capacity{}"

Json = Mapping[str, object]


class Shown(NamedTuple):
    """The packages of an answer: those that could be read, how many rows it and the whole list have, how many of them
    could not be read, and the ids of these; empty texts stand for those without one. Not each form `has_ids`."""

    packages: list[SeenPackage]
    received: int
    total: int
    unreadable: int = 0
    unread_ids: frozenset[str] = frozenset()
    has_ids: bool = True


def read_packages(answer: Answer, zone: ZoneInfo, cookie: str) -> Shown:
    """The packages of an answer, in any of its forms. Raises SourceFailure."""
    payload = good_payload(answer, cookie)
    data = object_of(payload.get("data"))
    inner = object_of(object_of(data.get("Response")).get("Data"))
    if "resources" in data:
        rows, total = data["resources"], None
    else:
        holder = inner or data
        rows, total = holder.get("Accounts"), count(holder.get("TotalCount"))
    if rows is None and (payload.get("data") is None or total == 0):
        return Shown([], 0, 0)
    if not isinstance(rows, list):
        raise unknown_form(Message("rows_not_list"), payload, secrets_of(cookie))
    if len(rows) > MOST:
        raise broken(Message("rows_too_many", count=f"{MOST:,}"))
    found: dict[Key, SeenPackage] = {}
    unread, names = [], Counter[str]()
    for row in rows:
        try:
            each = _read_resource(row, zone, names) if "resources" in data else _read_account(row, zone)
        except UnreadableRow:
            unread.append(label(row.get("ResourceId")) if isinstance(row, dict) else "")
        else:
            found.setdefault(each.key, each)
    if rows and not found:
        raise unknown_form(Message("no_row_readable"), payload, secrets_of(cookie))
    received, has_ids = len(rows), "resources" not in data
    return Shown(list(found.values()), received, max(total or 0, received), len(unread), frozenset(unread), has_ids)


def read_member(answer: Answer, zone: ZoneInfo, cookie: str) -> SeenPackage:
    """The limit and the use of a member of an enterprise, as a plan of the running cycle. Raises SourceFailure."""
    payload = good_payload(answer, cookie)
    data = object_of(payload.get("data"))
    try:
        size, used = _credits(data.get("limitNum")), _credits(data.get("credit"))
    except UnreadableRow:
        raise unknown_form(Message("no_row_readable"), payload, secrets_of(cookie)) from None
    granted_at = _first_time(data, ("cycleStartTime",), zone)
    return SeenPackage(
        key=Key(MEMBERSHIP, _cycle(granted_at)),
        code="",
        name="Enterprise",
        kind=Kind.PLAN,
        size=size,
        left=size - used,
        used=used,
        granted_at=granted_at,
        expires_at=_first_time(data, ("cycleEndTime", "cycleResetTime"), zone),
        state=State.VALID,
    )


def _read_account(row: object, zone: ZoneInfo) -> SeenPackage:
    """One row of `Accounts`. Raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    kind = _KINDS.get(count(row.get("CapacityType")), Kind.ADD_ON)
    # What is granted anew in each cycle, as that of a plan.
    is_plan = kind is Kind.PLAN or (count(row.get("TotalCycles")) or 0) > 1
    size, left, used = _capacity(row, *((_OF_CYCLE, _OF_WHOLE) if is_plan else (_OF_WHOLE, _OF_CYCLE)))
    granted, ends = ("CycleStartTime", "CreateTime"), ("DeductionEndTime", "ExpiredTime", "CycleEndTime")
    if is_plan:
        ends = ("CycleEndTime", "DeductionEndTime", "ExpiredTime")
    else:
        granted = ("CreateTime", "CycleStartTime")
    granted_at = _first_time(row, granted, zone)
    is_cycle = is_plan and granted_at is not None and row.get("CycleStartTime") not in (None, "")
    return SeenPackage(
        key=Key(id_of(row.get("ResourceId")), _cycle(granted_at) if is_cycle else ""),
        code=label(row.get("PackageCode")),
        name=label(row.get("PackageName")) or label(row.get("PackageCode")),
        kind=kind,
        size=size,
        left=left,
        used=used,
        granted_at=granted_at,
        expires_at=_first_time(row, ends, zone),
        state=_STATES.get(count(row.get("Status")), State.VALID),
        renews=_renews(row, zone) if is_plan else None,
    )


def _renews(row: Json, zone: ZoneInfo) -> bool | None:
    """Whether another cycle of a plan follows: it renews itself, or is paid for longer; None if no field says."""
    flag, end = count(row.get("AutoRenewFlag")), _first_time(row, ("CycleEndTime",), zone)
    paid_until = _first_time(row, ("DeductionEndTime", "ExpiredTime"), zone)
    if flag is None or end is None or paid_until is None:
        return None
    return flag > 0 or paid_until - end > _A_DAY


def _read_resource(row: object, zone: ZoneInfo, names: Counter[str]) -> SeenPackage:
    """One row of `resources`, which has no id: its name and end stand for one. Raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    size, left = _credits(row.get("total")), _credits(row.get("remaining"))
    name, expires_at = label(row.get("name")), _first_time(row, ("expire_at",), zone)
    named = f"{name[:80]}/{expires_at.isoformat() if expires_at else ''}"
    names[named] += 1
    return SeenPackage(
        key=Key(f"{named}/{names[named]}"),
        code="",
        name=name,
        kind=Kind.ADD_ON,
        size=size,
        left=left,
        used=size - left,
        granted_at=None,
        expires_at=expires_at,
        state=State.VALID,
    )


def _capacity(row: Json, *forms: tuple[str, ...]) -> tuple[int, int, int | None]:
    """Size, rest and use, all from the first of these forms that has a size, since another may have zeros for all.

    Raises UnreadableRow.
    """
    found = []
    for form in forms:
        size, left, used = (_part(row, form, part) for part in ("Size", "Remain", "Used"))
        if left is None and size is not None and used is not None:
            left = size - used
        elif size is None and left is not None and used is not None:
            size = left + used
        if size is not None and left is not None:
            found.append((size, left, used))
    if not found:
        raise UnreadableRow(Message("credit_not_number"))
    return next((each for each in found if each[0] > 0), found[0])


def _part(row: Json, names: tuple[str, ...], part: str) -> int | None:
    for name in names:
        given = row.get(name.format(part))
        if number(given) is not None:
            return _credits(given)
    return None


def _credits(value: object) -> int:
    """Credits of a package in parts, whose limit is not that of a call. Raises UnreadableRow."""
    found = number(value)
    if found is None or not -_MOST_CREDITS <= found <= _MOST_CREDITS:
        raise UnreadableRow(Message("credit_not_number"))
    return CREDITS.parts(found)


def _cycle(begun: datetime | None) -> str:
    """The name of a cycle: its beginning, in one form whatever form it came in."""
    return begun.astimezone(UTC).isoformat(timespec="seconds") if begun else ""


def _first_time(row: Json, names: tuple[str, ...], zone: ZoneInfo) -> datetime | None:
    """The first of these times that is given and can be read; one far off, as of what never ends, is none."""
    for name in names:
        if (epoch := number(row.get(name))) is not None and epoch >= _FAR and not _FAR * 10 <= epoch < _FAR * 1000:
            return None
        with suppress(UnreadableRow):
            found = instant(row.get(name), zone)
            if found.year >= LAST_YEAR:
                return None
            if found.year > FIRST_YEAR:
                return found
    return None
