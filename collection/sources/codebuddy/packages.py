"""Turning answers about packages of credits into packages (docs/upstream.md#packages). Pure functions."""

from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.failures import secrets_of
from collection.sources.codebuddy.rows import good_payload
from collection.sources.over_http.answer_json import object_of
from collection.sources.over_http.exchange import Answer
from collection.sources.over_http.request_ids import id_of
from collection.sources.over_http.unusable import broken, unknown_form
from usage.incoming_values import UnreadableRow, amount, count, instant, label, number, text
from usage.packages.package import Key, Kind, SeenPackage, State
from usage.units import CREDITS

# Packages that an answer is asked for, and those that one may have all the same.
PAGE_SIZE, MOST = 200, 1_000
FIRST_YEAR, YEAR_AFTER = 1970, 2100
_KINDS = {"4": Kind.PLAN, "1": Kind.GIFT}
_STATES = {"0": State.VALID, "1": State.REFUNDED, "2": State.EXPIRED, "3": State.USED_UP}
# Where a size and its parts stand: of the running cycle, and of the whole, which is wrong for plans.
_OF_CYCLE = "CycleCapacity{}Precise", "CycleCapacity{}"
_OF_WHOLE = "Capacity{}Precise", "Capacity{}"

Json = Mapping[str, object]


class Shown(NamedTuple):
    """The packages of an answer: how many it has, how many there are, and those that could be read."""

    packages: list[SeenPackage]
    received: int
    total: int

    @property
    def unreadable(self) -> int:
        return self.received - len(self.packages)


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
    unread, names = 0, Counter[str]()
    for row in rows:
        try:
            each = _read_resource(row, zone, names) if "resources" in data else _read_account(row, zone)
        except UnreadableRow:
            unread += 1
        else:
            found.setdefault(each.key, each)
    if rows and not found:
        raise unknown_form(Message("no_row_readable"), payload, secrets_of(cookie))
    return Shown(list(found.values()), len(found) + unread, max(total or 0, len(rows)))


def read_member(answer: Answer, zone: ZoneInfo, cookie: str) -> SeenPackage:
    """The limit and the use of a member of an enterprise, as a plan of the running cycle. Raises SourceFailure."""
    payload = good_payload(answer, cookie)
    data = object_of(payload.get("data"))
    try:
        size, used = amount(data.get("limitNum")), amount(data.get("credit"))
    except UnreadableRow:
        raise unknown_form(Message("no_row_readable"), payload, secrets_of(cookie)) from None
    granted_at = _first_time(data, ("cycleStartTime",), zone)
    return SeenPackage(
        key=Key("enterprise", granted_at.isoformat() if granted_at else ""),
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
    kind = _KINDS.get(text(row.get("CapacityType")).strip(), Kind.ADD_ON)
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
        key=Key(id_of(row.get("ResourceId")), granted_at.isoformat() if is_cycle and granted_at else ""),
        code=label(row.get("PackageCode")),
        name=label(row.get("PackageName")) or label(row.get("PackageCode")),
        kind=kind,
        size=size,
        left=left,
        used=used,
        granted_at=granted_at,
        expires_at=_first_time(row, ends, zone),
        state=_STATES.get(text(row.get("Status")).strip(), State.VALID),
    )


def _read_resource(row: object, zone: ZoneInfo, names: Counter[str]) -> SeenPackage:
    """One row of `resources`, which has no id: its name and end stand for one. Raises UnreadableRow."""
    if not isinstance(row, dict):
        raise UnreadableRow(Message("row_not_object"))
    size, left = amount(row.get("total")), amount(row.get("remaining"))
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
        if size is not None and left is not None:
            found.append((size, left, used))
    if not found:
        raise UnreadableRow(Message("credit_not_number"))
    return next((each for each in found if each[0] > 0), found[0])


def _part(row: Json, names: tuple[str, ...], part: str) -> int | None:
    for name in names:
        given = row.get(name.format(part))
        if number(given) is not None:
            return amount(given, CREDITS)
    return None


def _first_time(row: Json, names: tuple[str, ...], zone: ZoneInfo) -> datetime | None:
    """The first of these times that is given and can be read; one far off, as of what never ends, is none."""
    for name in names:
        with suppress(UnreadableRow):
            found = instant(row.get(name), zone)
            return found if FIRST_YEAR <= found.year < YEAR_AFTER else None
    return None
