"""The types of sums, as the API has them (docs/api.md#totals).

The days of a series are written as text, row by row: their type only describes what is written.
"""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType, field

from archive_site.lib.http.answer_types import Answer, Count, Day, about
from usage.measure_types import MeasuredSums

Average = Annotated[float, about("credits of a call on average")]
Free = Annotated[Count, about("free calls")]
_BOUND = "day; null in an empty archive"
_MODELS = "credits by model; of very long answers only the models that `/api/dims` lists"
_CHANGE = about("in percent, to 2 decimals; null where the earlier value is zero")


class Window(Answer, frozen=True):
    heading: ClassVar[str] = "Window of an answer"

    first: Annotated[Day | None, about(f"the first {_BOUND}")] = field(name="from")
    last: Annotated[Day | None, about(f"the last {_BOUND}")] = field(name="to")
    days: Annotated[Count | None, about("how many days these are")]


class Totals(MeasuredSums, frozen=True):
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


class DayOfSeries(MeasuredSums, frozen=True):
    d: Day
    c: Annotated[float, about("credits")]
    k: Annotated[Count, about("calls")]
    fc: Free
    bc: Annotated[Count, about("billed calls")]
    m: Annotated[dict[str, float], about(_MODELS)]
    h: Annotated[list[float], Meta(description="credits by hour", min_length=24, max_length=24)]


class EarlierDay(Answer, frozen=True):
    d: Day
    c: Annotated[float, about("credits")]
    k: Annotated[Count, about("calls")]
    fc: Free


class ComparedDays(Compared, frozen=True):
    days: Annotated[list[EarlierDay], about("those with records")]


DaysOfSeries = Annotated[list[DayOfSeries], about("ascending, only days with records")]


class Daily(Answer, frozen=True):
    days: DaysOfSeries
    comparison: Annotated[ComparedDays, _EARLIER] | UnsetType = UNSET


class PurposeItem(MeasuredSums, frozen=True):
    heading: ClassVar[str] = "Dims"

    name: Annotated[str | None, about("empty for the calls without one, null for those whose purpose is not known")]
    credits: float
    calls: Count
    avg: Average
    free: Free


class DimItem(PurposeItem, frozen=True):
    heading: ClassVar[str] = "Dims"

    name: Annotated[str, about("empty for the calls without one")]


class OtherNames(MeasuredSums, frozen=True):
    heading: ClassVar[str] = "Dims"

    names: Annotated[Count, about("how many there are")]
    credits: float
    calls: Count
    avg: Average
    free: Free


class EarlierItem(Answer, frozen=True):
    heading: ClassVar[str] = "Comparison"

    credits: float
    calls: Count
    avg: Average
    free: Free
    change: Annotated[InPercent, about("since then")]


_BY_CREDITS = about("by credits downwards, then name")
_PURPOSES = about("with `dim=purpose`; by credits downwards, then name, and last the calls of unknown purpose")
_HOURS = about("all 24, `00` to `23`")
_OTHERS = about("of a list that has more than 1,000 names: those that are not listed")
_Earlier = dict[str, EarlierItem]
_Points = Annotated[dict[str, list[float]], about("credits of each point by name, of the 50 biggest names")]


class OthersOfDims(Answer, frozen=True):
    model: OtherNames | UnsetType = UNSET
    client: OtherNames | UnsetType = UNSET
    purpose: OtherNames | UnsetType = UNSET


class EarlierDims(Answer, frozen=True):
    model: _Earlier | UnsetType = UNSET
    client: _Earlier | UnsetType = UNSET
    hour: _Earlier | UnsetType = UNSET
    purpose: _Earlier | UnsetType = UNSET


class ComparedDims(Compared, frozen=True):
    items: Annotated[EarlierDims, about("the earlier items by name")]


class Trend(Answer, frozen=True):
    days: Annotated[Count, about("days of a point; the last one ends with the window, the first may be shorter")]
    model: _Points | UnsetType = UNSET
    client: _Points | UnsetType = UNSET
    purpose: _Points | UnsetType = UNSET


class Dims(Answer, frozen=True):
    model: Annotated[list[DimItem], _BY_CREDITS] | UnsetType = UNSET
    client: Annotated[list[DimItem], _BY_CREDITS] | UnsetType = UNSET
    hour: Annotated[list[DimItem], _HOURS] | UnsetType = UNSET
    purpose: Annotated[list[PurposeItem], _PURPOSES] | UnsetType = UNSET
    others: Annotated[OthersOfDims, _OTHERS] | UnsetType = UNSET
    comparison: Annotated[ComparedDims, _EARLIER] | UnsetType = UNSET
    trend: Annotated[Trend, about("with `trend=1`: up to 60 points for small lines")] | UnsetType = UNSET


class OthersOfBundle(Answer, frozen=True):
    model: OtherNames | UnsetType = UNSET
    client: OtherNames | UnsetType = UNSET


class DimsOfBundle(Answer, frozen=True):
    model: Annotated[list[DimItem], _BY_CREDITS]
    client: Annotated[list[DimItem], _BY_CREDITS]
    hour: Annotated[list[DimItem], _HOURS]
    others: Annotated[OthersOfBundle, _OTHERS] | UnsetType = UNSET
