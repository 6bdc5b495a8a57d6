"""Times as files write them (docs/decisions.md#writings-of-a-column)."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from usage.incoming_values import UnreadableRow, server_time

_FIRST_YEAR, _LAST_YEAR = "1970", "2100"
_OWN = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", re.ASCII)
_TIME = re.compile(
    r"""(?:(?P<year>\d{4})[-/.年](?P<month>\d{1,2})[-/.月](?P<day>\d{1,2})日?
        |(?P<day2>\d{1,2})\.(?P<month2>\d{1,2})\.(?P<year2>\d{4}))
    (?:[T, ]+|(?<=日)|(?=[上下午]))
    (?P<half>[上下]午|午[前後]|[ap]\.?m\.?)?\ *
    (?P<hour>\d{1,2})[:时時](?P<minute>\d\d)(?:[:分](?P<second>\d\d)(?:[.,]\d+)?秒?|分)?
    (?:\ *(?P<half2>[ap]\.?m\.?))?
    (?:\ *(?:(?P<utc>z|utc|gmt)|(?:utc|gmt)?(?P<offset>[+-]\d{1,2}(?::?\d\d)?)
        (?:\ [a-z]{2,5}|\ [+-]\d{2,4})?(?:\ m=[+-][\d.]+)?))?""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_MORNING = ("a", "上", "午前")
_ROUNDED = re.compile(r"\d(?:[.,]\d+)?e\+?\d+", re.IGNORECASE | re.ASCII)
_SERIAL = re.compile(r"([2-7]\d{4})(?:[.,](\d+))?", re.ASCII)
# The day 0 of spreadsheets.
_SERIAL_START = datetime(1899, 12, 30)


def are_serials(cells: Iterable[str]) -> bool:
    """Whether the times of a column are the day numbers of a spreadsheet, with fractions for the time of day."""
    has_fraction = False
    for cell in cells:
        found = _SERIAL.fullmatch(cell.strip())
        # Another time; a row without one says nothing.
        if found is None and sum(map(str.isdigit, cell)) > 7:
            return False
        has_fraction |= bool(found and found[2])
    return has_fraction


class TimeReader:
    """Reads times. Those without an offset are wall clock of `zone`; the results are wall clock of `server_zone`."""

    def __init__(self, zone: ZoneInfo, server_zone: ZoneInfo, *, are_serials: bool = False):
        self._zone, self._server_zone = zone, server_zone
        self._are_serials = are_serials

    def read(self, cell: str) -> tuple[str, bool]:
        """The time as `YYYY-MM-DD HH:MM:SS`, and whether the cell has its seconds. Raises UnreadableRow."""
        ts, is_exact = self._read(cell.strip())
        # Sums by day cost as many days as there are between the first and the last.
        if not _FIRST_YEAR <= ts[:4] < _LAST_YEAR:
            raise UnreadableRow(Message("time_unreadable"))
        return ts, is_exact

    def _read(self, told: str) -> tuple[str, bool]:
        if self._zone is self._server_zone and _OWN.fullmatch(told) and _is_date(told):
            return told, True
        if not told.isascii():
            told = unicodedata.normalize("NFKC", told)
        if parts := _TIME.fullmatch(told):
            return self._in_zone(_iso(parts)), parts["second"] is not None
        if _ROUNDED.fullmatch(told):
            raise UnreadableRow(Message("time_rounded"))
        if serial := _SERIAL.fullmatch(told):
            if not self._are_serials:
                raise UnreadableRow(Message("time_is_serial"))
            days = Decimal(f"{serial[1]}.{serial[2] or 0}")
            return self._in_zone((_SERIAL_START + timedelta(seconds=round(days * 86400))).isoformat(" ")), True
        return self._in_zone(told), True

    def _in_zone(self, told: str) -> str:
        return server_time(told, self._zone, self._server_zone)


def _is_date(told: str) -> bool:
    try:
        datetime.fromisoformat(told)
    except ValueError:
        return False
    return True


def _iso(parts: re.Match[str]) -> str:
    year, month, day = (parts[name] or parts[f"{name}2"] for name in ("year", "month", "day"))
    hour = _hour(int(parts["hour"]), (parts["half"] or parts["half2"] or "").lower())
    offset = "+00:00" if parts["utc"] else _offset(parts["offset"] or "")
    return f"{year}-{month:0>2}-{day:0>2} {hour:02}:{parts['minute']}:{parts['second'] or '00'}{offset}"


def _hour(hour: int, half: str) -> int:
    """The hour of a day of 24; raises UnreadableRow where it is none of its half."""
    if not half:
        return hour
    is_morning = half.startswith(_MORNING)
    if hour > (12 if is_morning else 23):
        raise UnreadableRow(Message("time_unreadable"))
    return hour % 12 + (0 if is_morning else 12)


def _offset(told: str) -> str:
    digits = told[1:].replace(":", "")
    # `UTC+8`
    return f"{told[0]}{digits:0>2}" if 0 < len(digits) < 3 else f"{told[:1]}{digits:0>4}" if digits else ""
