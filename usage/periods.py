"""The periods that pages offer: their names and their days. The scripts read both from the page."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from archive_site.lib import clock

DEFAULT = "30"
CUSTOM = "custom"
NAMES = {
    "today": _("Today"),
    "yesterday": _("Yesterday"),
    "7": _("Last 7 days"),
    "30": _("Last 30 days"),
    "90": _("Last 90 days"),
    "month": _("This month"),
    "last-month": _("Last month"),
    "all": _("All days"),
}
PREVIOUS, NO_COMPARISON = "previous", "none"
# What a page compares its period with; the scripts read these from its picker.
COMPARISONS = {
    PREVIOUS: _("vs. period before"),
    "month": _("vs. a month ago"),
    "year": _("vs. a year ago"),
    CUSTOM: _("vs. other days"),
    NO_COMPARISON: _("No comparison"),
}


class Span(NamedTuple):
    """A span of days, first and last included; None is an open bound."""

    first: date | None = None
    last: date | None = None

    def bounds(self) -> dict[str, str]:
        """The span as parameters of the API."""
        given = {"from": self.first, "to": self.last}
        return {name: day.isoformat() for name, day in given.items() if day}


def periods(today: date) -> dict[str, Span]:
    """The days of each period except the custom one."""
    month = today.replace(day=1)
    yesterday, before = today - timedelta(days=1), month - timedelta(days=1)
    return {
        "today": Span(today, today),
        "yesterday": Span(yesterday, yesterday),
        "month": Span(month, today),
        "last-month": Span(before.replace(day=1), before),
        "all": Span(),
    } | {days: Span(today - timedelta(days=int(days) - 1), today) for days in ("7", "30", "90")}


def calendar_year(today: date) -> Span:
    """The days of the calendar that ends today: at least a year, starting on a Monday."""
    first = today - timedelta(days=364)
    return Span(first - timedelta(days=first.weekday()), today)


def cover(spans: Sequence[Span]) -> Span:
    """The span from the first to the last day of several spans; a bound is open if it is open in one of them."""
    firsts, lasts = [span.first for span in spans], [span.last for span in spans]
    return Span(
        None if None in firsts else min(day for day in firsts if day),
        None if None in lasts else max(day for day in lasts if day),
    )


class Offered(NamedTuple):
    """A period in the menu: its days as parameters of the API, and the value of `compare` for the days before."""

    name: str
    label: str | Promise
    bounds: dict[str, str]
    previous: str


def offered(today: date) -> list[Offered]:
    """The periods in a page's menu, all but the custom one; the scripts read the days from it."""
    spans = periods(today)
    return [Offered(name, label, spans[name].bounds(), previous_of(name, spans[name])) for name, label in NAMES.items()]


def previous_of(name: str, span: Span) -> str:
    """The value of `compare` for the period before: empty for all days, which have none.

    The API would take the last seven days of the 7th for this month so far, so those are named by their days.
    """
    if name == "all":
        return ""
    if name in ("month", "last-month"):
        return "month"
    if not span.first or not span.last or span.first == span.last:
        return PREVIOUS
    length = span.last - span.first + timedelta(days=1)
    return f"{span.first - length}..{span.last - length}"


def compared(given: Mapping[str, str], previous: str) -> str:
    """The value of `compare` of the API for the choice in a page's address; empty without a comparison.

    An unknown choice is the period before, as in the scripts.
    """
    choice = given.get("compare", "")
    if choice == NO_COMPARISON:
        return ""
    if choice in COMPARISONS and choice not in (PREVIOUS, CUSTOM):
        return choice
    first, _, last = choice.partition("..")
    return choice if clock.parse_day(first) and clock.parse_day(last) else previous
