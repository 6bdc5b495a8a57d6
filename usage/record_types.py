"""The types of records and lists of them, as the API has them (docs/api.md#record).

Records in the short form are written as text, row by row: their type only describes what is written.
"""

from typing import Annotated, ClassVar

from msgspec import UNSET, Meta, UnsetType

from archive_site.lib.http.answer_types import Answer, Day, Items, Paged, Timestamp, Together, about
from usage.measure_types import MeasuredCall, MeasuredSums
from usage.sum_types import Average, Free, Window

_NAME = Meta(description="may be empty", max_length=200)
_PURPOSE = about("the purpose; may be empty")
_PROMPT = about("may be empty")
_CREDITS = "exact to 6 decimals where the unit is credits; 0 is a free call, null an unknown amount"


class Call(MeasuredCall, frozen=True):
    """What every form of a record has."""

    request_id: Annotated[str, Meta(description="from the upstream", max_length=128)]
    credits: Annotated[Annotated[float, Meta(ge=0)] | None, about(_CREDITS)]
    model: Annotated[str, _NAME]
    client: Annotated[str, _NAME]
    ts: Annotated[Timestamp, about("when the call was made")]


class Record(Call, frozen=True):
    heading: ClassVar[str] = "Record"

    prompt: (
        Annotated[str, about("may be empty; not in lists that are asked for without prompts (`lean=1`)")] | UnsetType
    ) = UNSET
    agent_purpose: Annotated[str, about("the purpose, where `columns=purpose` asks for it")] | UnsetType = UNSET


class WholeRecord(Call, frozen=True):
    prompt: Annotated[str, _PROMPT]
    user_id: Annotated[int, about("the account")]
    day: Annotated[Day, about("of `ts`")]
    hour: Annotated[int, Meta(description="of `ts`", ge=0, le=23)]
    agent_purpose: Annotated[str, _PURPOSE]
    prompt_truncated: Annotated[bool, about("the upstream gave only the beginning of the prompt")]
    first_seen_at: Annotated[Timestamp, about("when it was collected")]
    updated_at: Annotated[Timestamp, about("when it last changed")]
    run_id: Annotated[int | None, about("the run that stored it last")]


class ShortRecord(MeasuredCall, frozen=True):
    heading: ClassVar[str] = "Short form of a record"

    id: Annotated[str, about("the `request_id`")]
    c: Annotated[float | None, about("credits")]
    m: Annotated[str, about("model")]
    cl: Annotated[str, about("client")]
    t: Annotated[Timestamp, about("when the call was made")]
    px: Annotated[str, Meta(description="the first 120 characters of the prompt", max_length=120)]


class SumsOfList(MeasuredSums, frozen=True, rename="camel"):
    credits: Annotated[float, about("of all records that the filters find")]
    avg: Average
    free: Free
    free_share: Annotated[float | None, about("their share of `total` in percent; null without records")]


class AboutList(Answer, frozen=True, kw_only=True):
    """What stands beside the records of a list."""

    next: (
        Annotated[str | None, about("in an order of time: the place after the last item, for `after`; null at the end")]
        | UnsetType
    ) = UNSET
    window: Window
    sums: Annotated[SumsOfList, about("with `sums=1`")] | UnsetType = UNSET


RECORDS = Together((Items[Record], Paged, AboutList))


class ChangedRecord(Call, frozen=True):
    heading: ClassVar[str] = "Changes"

    agent_purpose: Annotated[str, _PURPOSE]
    prompt_truncated: Annotated[bool, about("the upstream gave only the beginning of the prompt")]
    prompt: Annotated[str, _PROMPT]


_AS_IT_IS = about("each as it is at the moment of the answer")


class Changes(Answer, frozen=True):
    removed: Annotated[list[str], about("the `request_id` of each record that was removed")]
    added: Annotated[list[ChangedRecord], _AS_IT_IS]
    changed: Annotated[list[ChangedRecord], _AS_IT_IS]
    calls_from: Annotated[Day | None, about("calls of days before it were erased, which `removed` leaves out; or null")]
    next: Annotated[str, about("the place after this answer")]
    more: Annotated[bool, about("whether more changes are there already")]
