"""Reading the values of a call that comes from outside: texts, credits and times. Pure functions."""

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from usage.amounts.units import CREDITS, Unit

MAX_REQUEST_ID = 128
MAX_LABEL = 200

# A moment is between these years.
FIRST_YEAR, LAST_YEAR = 1969, 2100

# Possessive: with backtracking, a million digits and a letter would take the square of that many steps.
_NUMBER = re.compile(r"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d{1,4}+)?", re.ASCII)
_PLAIN = re.compile(r"(\d{1,6})(?:\.(\d*+))?", re.ASCII)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class UnreadableRow(ValueError):
    """The reason for skipping a row, without any of its content."""

    def __init__(self, why: Message):
        super().__init__(why)
        self.why = why


class MissingRequestId(UnreadableRow):
    """The row has no requestId."""


def request_id(value: object) -> str:
    """Give the id of a call; raises UnreadableRow, and MissingRequestId for an empty one."""
    found = text(value).strip()
    if not found:
        raise MissingRequestId(Message("request_id_missing"))
    if len(found) > MAX_REQUEST_ID:
        raise UnreadableRow(Message("request_id_too_long", most=MAX_REQUEST_ID))
    return found


def label(value: object) -> str:
    """Give the name of a model, a client or a purpose, cut to the length that is stored."""
    return text(value)[:MAX_LABEL]


def amount(value: object, unit: Unit = CREDITS) -> int:
    """Give an amount in whole parts of its unit, rounded half to even; raises UnreadableRow."""
    plain = _PLAIN.fullmatch(value) if isinstance(value, str) else None
    if plain and len(plain[2] or "") <= unit.digits:
        # Most amounts are written like this, and whole numbers are faster than decimals.
        return int(plain[1] + (plain[2] or "").ljust(unit.digits, "0"))
    found = number(value)
    if found is None:
        raise UnreadableRow(Message("credit_not_number"))
    if not is_within(found, unit.most):
        raise UnreadableRow(_too_large(unit))
    return unit.parts(found)


def _too_large(unit: Unit) -> Message:
    if unit is CREDITS:
        return Message("credit_above_million")
    return Message("amount_too_large", most=unit.most, unit=unit.code)


def server_time(value: object, zone: ZoneInfo, server_zone: ZoneInfo) -> str:
    """Turn a wall clock of `zone`, epoch seconds or milliseconds into `YYYY-MM-DD HH:MM:SS` in the server's zone.

    Raises UnreadableRow, also for a time in no year of calls.
    """
    return wall_clock(instant(value, zone), server_zone)


def instant(value: object, zone: ZoneInfo) -> datetime:
    """The aware instant of a wall clock of `zone`, a time with an offset, epoch seconds or milliseconds.

    Raises UnreadableRow.
    """
    try:
        return _instant(value, zone)
    except (ValueError, OverflowError):
        raise UnreadableRow(Message("time_unreadable")) from None


def moment_of_years(value: object, zone: ZoneInfo) -> datetime:
    """The aware instant of a time in the years 1970 to 2099, for which any zone has a wall clock.

    Raises UnreadableRow.
    """
    found = instant(value, zone)
    if not FIRST_YEAR < found.year < LAST_YEAR:
        raise UnreadableRow(Message("time_unreadable"))
    return found


def wall_clock(moment: datetime, server_zone: ZoneInfo) -> str:
    """An aware instant as `YYYY-MM-DD HH:MM:SS` in the server's zone. Raises UnreadableRow for a time in no year of
    calls."""
    try:
        ts = moment.astimezone(server_zone).replace(tzinfo=None).isoformat(" ", "seconds")
    except (ValueError, OverflowError):
        raise UnreadableRow(Message("time_unreadable")) from None
    require_year(ts)
    return ts


def count(value: object, most: int = 10**12) -> int | None:
    """A whole number from 0 to `most` from a number or its text; None if it is none."""
    found = number(value)
    return int(found) if found is not None and 0 <= found <= most and found == int(found) else None


def require_year(ts: str) -> None:
    """Raises UnreadableRow for a wall clock before 1970 or after 2099.

    Sums by day cost as many days as there are between the first and the last.
    """
    if not "1970" <= ts[:4] < "2100":
        raise UnreadableRow(Message("time_unreadable"))


def _instant(value: object, zone: ZoneInfo) -> datetime:
    epoch = number(value)
    if epoch is None:
        written = text(value).strip()
        if len(written) < len("2026-09-07 23:42"):
            raise ValueError("no time of day")
        found = datetime.fromisoformat(written)
        return found if found.tzinfo else found.replace(tzinfo=zone)
    if 10**12 <= epoch < 10**14:
        epoch /= 1000
    if not 10**9 <= epoch < 10**11:
        raise ValueError("neither seconds nor milliseconds of this age")
    return datetime.fromtimestamp(int(epoch), UTC)


def number(value: object) -> Decimal | None:
    """Read a finite number from a number or its text; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    try:
        written = str(value).strip()
        return Decimal(written) if _NUMBER.fullmatch(written) else None
    except (InvalidOperation, ValueError):
        # Python writes no whole number of more than 4,300 digits.
        return None


def is_within(found: Decimal, most: int) -> bool:
    """Whether a number is from `-most` to `most`: `abs` overflows where one has a million digits."""
    return -most <= found <= most


def text(value: object) -> str:
    """Give the text; NUL and lone surrogates, which databases cannot store, become U+FFFD."""
    found = value if isinstance(value, str) else _digits(value) if isinstance(value, int | float) else ""
    if found.isascii():
        return found.replace("\x00", "\ufffd")
    return _UNSTORABLE.sub("\ufffd", found) if "\x00" in found or not _encodable(found) else found


def _digits(value: float) -> str:
    try:
        return str(value)
    except ValueError:
        # A whole number of more than 4,300 digits, which is no name and no prompt.
        return ""


def _encodable(found: str) -> bool:
    try:
        found.encode()
    except UnicodeEncodeError:
        return False
    return True
