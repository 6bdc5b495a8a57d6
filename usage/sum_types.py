"""The types of sums, as the API has them (docs/api.md#totals).

The days of a series are written as text, row by row: their type only describes what is written.
"""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType, field

from archive_site.lib.http.answer_types import Answer, Count, Day, about

Average = Annotated[float, about("credits of a call on average")]
Free = Annotated[Count, about("free calls")]
_BOUND = "day; null in an empty archive"
_CHANGE = about("in percent, to 2 decimals; null where the earlier value is zero")


class Window(Answer, frozen=True):
    heading: ClassVar[str] = "Window of an answer"

    first: Annotated[Day | None, about(f"the first {_BOUND}")] = field(name="from")
    last: Annotated[Day | None, about(f"the last {_BOUND}")] = field(name="to")
    days: Annotated[Count | None, about("how many days these are")]


class Totals(Answer, frozen=True):
    heading: ClassVar[str] = "Totals"

    credits: Annotated[float, about("of all calls")]
    calls: Count
    free: Free
    paid: Annotated[Count, about("calls that cost credits")]
    models: Annotated[Count, about("distinct models")]
    clients: Annotated[Count, about("distinct clients")]


class ComparedTotals(Totals, frozen=True, rename="camel"):
    heading: ClassVar[str] = "Comparison"

    avg_per_call: Average


class InPercent(Answer, frozen=True):
    """The change of credits and calls from an earlier span."""

    credits: Annotated[float | None, _CHANGE]
    calls: Annotated[float | None, _CHANGE]


class Change(InPercent, frozen=True, rename="camel"):
    heading: ClassVar[str] = "Comparison"

    avg_per_call: Annotated[float | None, _CHANGE]


class Compared(Answer, frozen=True):
    """The comparison of totals with those of an earlier span."""

    window: Window
    until: Annotated[str | None, about("the last minute that counts on its last day; null where that day is whole")]
    totals: ComparedTotals
    change: Change


_EARLIER = about("with `compare`: the earlier span")


class Span(Totals, frozen=True, rename="camel"):
    heading: ClassVar[str] = "Summary"
    in_words: ClassVar[bool] = True

    first_day: Annotated[Day | None, about("the first day with records in the window")]
    last_day: Annotated[Day | None, about("the last day with records in the window")]
    days: Annotated[Count, about("how many days have records")]
    window: Window
    avg_per_call: Average


class Delta(InPercent, frozen=True):
    window: Window


class PartialDay(Answer, frozen=True):
    date: Annotated[Day, about("today")]
    hhmm: Annotated[str, Meta(description="the present time", pattern="^[0-9]{2}:[0-9]{2}$", examples=["14:05"])]


_PARTIAL = about("present where the window holds today, which is not over")


class Summary(Span, frozen=True):
    prev: Span
    delta: Annotated[Delta, about("the change from `prev`")]
    partial: Annotated[PartialDay, _PARTIAL] | UnsetType = UNSET
    comparison: Annotated[Compared, _EARLIER] | UnsetType = UNSET
