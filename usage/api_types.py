"""The types of saved views, budgets and the forecast, as the API has them (docs/api.md#budgets)."""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from archive_site.lib.http.answer_types import Answer, Day, Done, Given, Timestamp, about, one_of
from usage import models

# How the range of a forecast was found: from the account's own weekdays and hours, or not at all.
BY_WEEKDAYS, NOT_KNOWN = "weekdays", "none"
_METHOD = "`none` where fewer than 7 of the last 56 days are archived"
_LIKELY = "null where too few days are archived"


class Forecast(Answer, frozen=True):
    month: Annotated[str, Meta(description="the present one", pattern="^[0-9]{4}-[0-9]{2}$", examples=["2026-09"])]
    so_far: Annotated[float, about("credits of the month until now")]
    low: Annotated[float | None, about(f"one of ten such months ends below; {_LIKELY}")]
    middle: Annotated[float | None, about(f"the likely end; {_LIKELY}")]
    high: Annotated[float | None, about(f"one of ten such months ends above; {_LIKELY}")]
    method: Annotated[str, one_of((BY_WEEKDAYS, NOT_KNOWN), _METHOD)]


class View(Answer, frozen=True):
    id: int
    name: Annotated[str, Meta(max_length=60)]
    query: Annotated[str, about("an address of the records page after `?`")]


_NAME = Meta(description="1 to 60 characters without control characters", max_length=60)
_QUERY = Meta(description="the part of an address of the records page after `?`", max_length=10_000)


class NewView(Given, frozen=True):
    name: Annotated[str, _NAME]
    query: Annotated[str, _QUERY] | UnsetType = UNSET


class ChangedView(Given, frozen=True):
    name: Annotated[str, _NAME] | UnsetType = UNSET
    query: Annotated[str, _QUERY] | UnsetType = UNSET


class StoredView(Done, frozen=True):
    view: View


Period = Annotated[str, one_of(models.Budget.Period.values, "`week` is from Monday")]
Model = Annotated[str, Meta(description="the model whose calls count; empty counts all", max_length=models.NAME_MOST)]
Client = Annotated[str, Meta(description="the client whose calls count; empty counts all", max_length=models.NAME_MOST)]
Thresholds = Annotated[
    list[Annotated[int, Meta(ge=1, le=200)]],
    Meta(description="percents, sorted, each once; 50, 80 and 100 by default", max_length=10),
]
FirstDay = Annotated[
    int,
    Meta(description="of a month: the day on which it begins; in a shorter month its last day", ge=1, le=31),
]
_RUNS_OUT = (
    "the end of the hour in which the credits are used up, in the past or as the account's days usually go; null if "
    "that is not before `ends_at`, or too few days are archived"
)
_PACE = "the spent share of the credits by the share of the period that is over: 1 lasts exactly to its end"


class Budget(Answer, frozen=True):
    heading: ClassVar[str] = "Budgets"

    id: int
    period: Period
    credits: Annotated[float, Meta(description="more than 0, at most 10^12", gt=0, le=10**12)]
    model: Model
    client: Client
    thresholds: Thresholds
    spent: Annotated[float, about("in the present period")]
    left: Annotated[float, about("below 0 where more is spent")]
    percent: Annotated[float, about("of the credits that are spent, rounded down to 2 decimals")]
    ends_at: Annotated[Timestamp, about("the last second of the present period")]
    runs_out_at: Annotated[Timestamp | None, about(_RUNS_OUT)]
    first_day: FirstDay
    begins_on: Annotated[Day, about("the first day of the present period")]
    pace: Annotated[float, about(_PACE)]


class ChangedBudget(Given, frozen=True):
    id: Annotated[int, about("of the budget to change; without it a new one is made")] | UnsetType = UNSET
    period: Period | UnsetType = UNSET
    credits: (
        Annotated[float | str, Meta(description="more than 0, at most 10^12; a number or its text", examples=[100])]
        | UnsetType
    ) = UNSET
    model: Model | UnsetType = UNSET
    client: Client | UnsetType = UNSET
    thresholds: Thresholds | UnsetType = UNSET
    first_day: FirstDay | UnsetType = UNSET


class StoredBudget(Done, frozen=True):
    budget: Budget


class RefusedBudget(Answer, frozen=True):
    field: Annotated[str, about("the field that is refused")] | UnsetType = UNSET
