"""What the overview asks for first, known already when its page is written: the browser fetches it beside the scripts.

The scripts decide (`static/js/overview_reads.js`, `filters.js`); what is told here and not asked for by them is wasted.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from urllib.parse import urlencode

from archive_site.lib.http.parameters import truth

_TOP = 10
_RECENT_DAYS = 90
_DEFAULT = "30"

_Span = tuple[date, date]


def first_reads(given: Mapping[str, str], today: date) -> list[str]:
    """The addresses of the reads for the filters in a page's address; none for a span of one's own."""
    period = given.get("period", _DEFAULT)
    if period == "custom" or ("period" not in given and ("from" in given or "to" in given)):
        return []
    span = _span(period, today)
    named = _named(given)
    asked = {**_bounds(span), **named}
    reads = [
        _address("summary", asked),
        _address("daily", {**_bounds(_with_year(span, today)), **named}),
        _address("dims", asked),
        _address("top", {**asked, "n": str(_TOP)}),
        _address("dims", {}),
        _address("dims", {"from": (today - timedelta(days=_RECENT_DAYS - 1)).isoformat(), "dim": "model"}),
    ]
    # All days are asked for twice, and read once.
    return list(dict.fromkeys(reads))


def _named(given: Mapping[str, str]) -> dict[str, str]:
    """The model and client that are asked for, or that the calls have none."""
    named: dict[str, str] = {}
    for name in ("model", "client"):
        if truth(given.get(f"no_{name}")):
            named[f"no_{name}"] = "1"
        elif given.get(name):
            named[name] = given[name]
    return named


def _span(period: str, today: date) -> _Span | None:
    """The days of a period; None is all."""
    month = today.replace(day=1)
    before = month - timedelta(days=1)
    spans = {
        "today": (today, today),
        "yesterday": (today - timedelta(days=1), today - timedelta(days=1)),
        "month": (month, today),
        "last-month": (before.replace(day=1), before),
        "all": None,
    } | {days: (today - timedelta(days=int(days) - 1), today) for days in ("7", "30", "90")}
    return spans[period] if period in spans else spans[_DEFAULT]


def _with_year(span: _Span | None, today: date) -> _Span | None:
    """The days of a span and of the calendar of a year, in whole weeks."""
    first = today - timedelta(days=364)
    first -= timedelta(days=first.weekday())
    return span and (min(span[0], first), max(span[1], today))


def _bounds(span: _Span | None) -> dict[str, str]:
    return {"from": span[0].isoformat(), "to": span[1].isoformat()} if span else {}


def _address(name: str, asked: Mapping[str, str]) -> str:
    return f"/api/{name}?{urlencode(asked)}" if asked else f"/api/{name}"
