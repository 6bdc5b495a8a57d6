"""The days that a span is compared with: the span before, or the same days a month or a year ago."""

from calendar import monthrange
from datetime import date

from archive_site.lib.http.parameter_parsing import Days
from usage.reads.queries import DayWindow

PREVIOUS, MONTH, YEAR = "previous", "month", "year"
KINDS = (PREVIOUS, MONTH, YEAR)


def earlier_days(kind: str, span: Days, today: date) -> Days | None:
    """The days before a span whose bounds are both given; None where the calendar does not reach back that far.

    `previous` of whole calendar months is as many months before, of a month so far (from its first day to today) the
    same days of the month before, and of any other span the equally long span before. The days of a month that is
    shorter end with its last day.
    """
    first, last = span.first, span.last
    if not first or not last:
        return None
    months = _whole_months(first, last) if last != today else 0
    if kind == PREVIOUS:
        is_month_so_far = last == today and first.day == 1 and first < last and _month(first) == _month(last)
        if not months and not is_month_so_far:
            return DayWindow(first, last).before()
        back = months or 1
    else:
        back = 1 if kind == MONTH else 12
    return _moved(first, last, back, to_month_end=months > 0)


def _whole_months(first: date, last: date) -> int:
    """How many calendar months the span is; 0 if it is not whole months."""
    is_whole = first.day == 1 and last.day == monthrange(last.year, last.month)[1]
    return _month(last) - _month(first) + 1 if is_whole else 0


def _moved(first: date, last: date, months: int, *, to_month_end: bool) -> Days | None:
    if _month(first) < months + 12:
        return None
    return Days(_back(first, months), _back(last.replace(day=1), months, 31) if to_month_end else _back(last, months))


def _back(day: date, months: int, day_of_month: int = 0) -> date:
    """The same day some months earlier, or the last one of that month."""
    year, month = divmod(_month(day) - months, 12)
    return date(year, month + 1, min(day_of_month or day.day, monthrange(year, month + 1)[1]))


def _month(day: date) -> int:
    """The number of a month since the beginning of the calendar."""
    return day.year * 12 + day.month - 1
