"""The types of what a file of calls holds, as the API has them (docs/api.md#import)."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from archive_site.lib.http.answer_types import Answer, about
from usage.record_types import Call


class ConflictingCall(Answer, frozen=True):
    request_id: str
    differs: list[str]


class UnreadableRow(Answer, frozen=True):
    row: Annotated[int, about("the line of a CSV file or of JSON lines, else the number of the element")]
    reason: Annotated[str, about("with column and value")]
    column: Annotated[str, about("of the cell that is the reason, else empty")]
    value: Annotated[str, about("of that cell, cut")]


class DamagedCell(Answer, frozen=True):
    row: int
    column: str
    value: Annotated[str, about("around the first one")]


class Examples(Answer, frozen=True):
    new: list[Call]
    conflicting: list[ConflictingCall]
    unreadable: list[UnreadableRow]
    damaged: list[DamagedCell]


class UnreadableAnswer(Answer, frozen=True):
    """What the refusal of a file has beside the usual fields of an error."""

    columns: (
        Annotated[dict[str, str | None], about("the column by field; null where none is recognised")] | UnsetType
    ) = UNSET
    headers: (
        Annotated[list[str], about("where no column is recognised for a field that every call has")] | UnsetType
    ) = UNSET
    encodings: (
        Annotated[list[str], about("to choose from, where the encoding is not found; likely ones first")] | UnsetType
    ) = UNSET
