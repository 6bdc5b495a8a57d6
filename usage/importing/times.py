"""Times as files write them (docs/decisions/files.md#writings-of-a-column)."""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from zoneinfo import ZoneInfo

from archive_site.lib.normal_form import normal_form
from archive_site.lib.stored_message import Message
from usage.incoming.values import UnreadableRow, require_year, server_time

# No form of a time is longer; longer cells are not looked at.
_LONGEST = 96
_OWN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.ASCII)
_TIME = re.compile(
    r"""(?:(?P<year>\d{4})(?:[-/年]|\.\ ?)(?P<month>\d{1,2})(?:[-/月]|\.\ ?)(?P<day>\d{1,2})(?:日|\.)?
        |(?P<day2>\d{1,2})\.\ ?(?P<month2>\d{1,2})\.\ ?(?P<year2>\d{4}))
    (?:\ ?(?:星期|周|週)[一二三四五六日天])?
    (?:[T, _]++|(?<=日)|(?=[上下午오凌早清中傍晚]))
    (?P<half>[上下]午|午[前後]|오[전후]|凌晨|早上|早晨|清晨|中午|傍晚|晚上|[ap]\.?m\.?)?\ *+
    (?P<hour>\d{1,2})(?P<sign>[:时時.])(?P<minute>\d\d)(?:(?:(?P=sign)|[:分])(?P<second>\d\d)(?:[.,]\d+)?秒?|分)?
    (?:\ *+(?:(?P<half2>[ap]\.?\ ?m\.?)|uhr))?
    (?:\ *+(?:(?P<utc>z|utc|gmt|\((?:utc|gmt)\))(?:\[[\w/+-]+\])?|(?:utc|gmt)?(?P<offset>[+-]\d{1,2}(?::?[0-5]\d)?)
        (?:\ [a-z]{2,5}|\ [+-]\d{2,4}|\ ?\([^)]*\)|\[[\w/+-]+\])?(?:\ m=[+-][\d.]+)?))?""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
# English forms: those of RFC 5322, of `date`, of JavaScript and of the United States. Names of zones other than UTC
# have several meanings.
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = rf"(?P<name>{'|'.join(_MONTHS)})[a-z]{{0,6}}\.?"
_CLOCK = r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:\.\d+)?)?(?:\ ?(?P<half2>[ap]\.?m\.?))?"
_ZONE = r"(?:\ ?(?:(?P<utc>z|utc?|gmt)|(?:utc|gmt)?(?P<offset>[+-]\d{1,2}(?::?[0-5]\d)?))(?:\ \([^()]*\))?)?"
_ENGLISH = [
    re.compile(rf"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{{0,6}}[.,]? )?{form}", re.ASCII | re.IGNORECASE)
    for form in (
        rf"(?P<day>\d{{1,2}})[ -]{_MONTH}[ -](?P<year>\d{{4}}),? {_CLOCK}{_ZONE}",
        rf"{_MONTH} +(?P<day>\d{{1,2}})(?:,? )(?P<year>\d{{4}}),? (?:at )?{_CLOCK}{_ZONE}",
        rf"{_MONTH} +(?P<day>\d{{1,2}}) {_CLOCK}{_ZONE} (?P<year>\d{{4}})",
    )
]
_MORNING = ("a", "上", "午前", "오전", "凌", "早", "清")
_NOON, _EVENING = "中", ("傍", "晚")
_ROUNDED = re.compile(r"\d+(?:[.,]\d+)?e\+?\d+", re.IGNORECASE | re.ASCII)
_SERIAL = re.compile(r"([2-7]\d{4})(?:[.,](\d+))?", re.ASCII)
# The day 0 of spreadsheets, and the decimals that show a second.
_SERIAL_START, _EXACT_DECIMALS = datetime(1899, 12, 30), 5
# Millionths and milliardths of a second since 1970.
_FINE_EPOCH = re.compile(r"(\d{10}\d{3})(?:\d{3}|\d{6})", re.ASCII)
_COMPACT = re.compile(r"(\d{4})(\d\d)(\d\d)[T ](\d\d)(\d\d)(?=$|[Z+-])", re.ASCII)
# What the other forms of ISO 8601 have of a time of day.
_ISO_TIME = re.compile(r"[T _](?P<hour>\d\d):?(?P<minute>\d\d)(?P<second>:?\d\d)?", re.ASCII)


class Serials(StrEnum):
    """What a column says of the day numbers of a spreadsheet in it."""

    NONE = "none"
    ROUNDED = "rounded"
    EXACT = "exact"


def serials_in(cells: Iterable[str]) -> Serials:
    """Whether the times of a column are day numbers of a spreadsheet, with fractions for the time of day.

    Where no cell has the decimals of a second, the spreadsheet has stored them as it showed them.
    """
    most_decimals = 0
    for cell in cells:
        found = _SERIAL.fullmatch(cell.strip()) if len(cell) <= _LONGEST else None
        if found:
            most_decimals = max(most_decimals, len(found[2] or ""))
        elif sum(map(str.isdigit, cell[:_LONGEST])) > 7:
            # Another time; a cell without one says nothing.
            return Serials.NONE
    if not most_decimals:
        return Serials.NONE
    return Serials.EXACT if most_decimals >= _EXACT_DECIMALS else Serials.ROUNDED


class TimeReader:
    """Reads times. Those without an offset are wall clock of `zone`; the results are wall clock of `server_zone`."""

    def __init__(self, zone: ZoneInfo, server_zone: ZoneInfo, serials: Serials = Serials.NONE):
        self._zone, self._server_zone = zone, server_zone
        self._serials = serials

    def read(self, cell: str) -> tuple[str, bool]:
        """The time as `YYYY-MM-DD HH:MM:SS`, and whether the cell has its seconds. Raises UnreadableRow."""
        written = cell.strip()
        if len(written) > _LONGEST:
            raise UnreadableRow(Message("time_unreadable"))
        ts, is_exact = self._read(written)
        require_year(ts)
        return ts, is_exact

    def _read(self, written: str) -> tuple[str, bool]:
        if self._zone is self._server_zone and _OWN.fullmatch(written) and _is_date(written):
            return written, True
        if not written.isascii():
            written = normal_form("NFKC", written)
        if parts := _TIME.fullmatch(written):
            return self._in_zone(_iso(parts)), parts["second"] is not None
        if _ROUNDED.fullmatch(written):
            raise UnreadableRow(Message("time_rounded"))
        if serial := _SERIAL.fullmatch(written):
            return self._in_zone(self._of_serial(serial)), True
        return self._of_other_form(written)

    def _of_serial(self, found: re.Match[str]) -> str:
        if self._serials is not Serials.EXACT:
            if self._serials is Serials.ROUNDED:
                raise UnreadableRow(Message("time_rounded"))
            raise UnreadableRow(Message("time_is_serial"))
        days = Decimal(f"{found[1]}.{found[2] or 0}")
        return (_SERIAL_START + timedelta(seconds=round(days * 86400))).isoformat(" ")

    def _of_other_form(self, written: str) -> tuple[str, bool]:
        """An epoch, an English form as in `Fri, 20 Nov 2026 12:30:00 GMT`, or one of ISO 8601."""
        if fine := _FINE_EPOCH.fullmatch(written):
            written = fine[1]
        for form in _ENGLISH if written[:1].isalnum() else ():
            if parts := form.fullmatch(written):
                return self._in_zone(_iso(parts)), parts["second"] is not None
        written = _COMPACT.sub(r"\1-\2-\3T\4:\5", written)
        time = _ISO_TIME.search(written)
        if not time and "-" in written.lstrip("-"):
            raise UnreadableRow(Message("time_unreadable"))
        return self._in_zone(written), time is None or time["second"] is not None

    def _in_zone(self, written: str) -> str:
        return server_time(written, self._zone, self._server_zone)


def _is_date(written: str) -> bool:
    try:
        datetime.fromisoformat(written)
    except ValueError:
        return False
    return True


def _iso(parts: re.Match[str]) -> str:
    found = parts.groupdict()
    year, day = (found[name] or found.get(f"{name}2") for name in ("year", "day"))
    month = _MONTHS.index(found["name"].lower()) + 1 if "name" in found else found["month"] or found["month2"]
    hour = _hour(int(found["hour"]), (found.get("half") or found["half2"] or "").lower())
    offset = "+00:00" if found["utc"] else _offset(found["offset"] or "")
    return f"{year}-{month:0>2}-{day:0>2} {hour:02}:{found['minute']}:{found['second'] or '00'}{offset}"


def _hour(hour: int, half: str) -> int:
    """The hour of a day of 24; raises UnreadableRow where it is none of its half."""
    if not half:
        return hour
    if (half[0] == _NOON and 2 < hour < 11) or (half[0] in _EVENING and hour in (0, 12)):
        raise UnreadableRow(Message("time_unreadable"))
    if half[0] == _NOON and hour == 11:
        return hour
    is_morning = half.startswith(_MORNING)
    if hour > (12 if is_morning else 23):
        raise UnreadableRow(Message("time_unreadable"))
    return hour % 12 + (0 if is_morning else 12)


def _offset(written: str) -> str:
    digits = written[1:].replace(":", "")
    # `UTC+8`
    return f"{written[0]}{digits:0>2}" if 0 < len(digits) < 3 else f"{written[:1]}{digits:0>4}" if digits else ""
