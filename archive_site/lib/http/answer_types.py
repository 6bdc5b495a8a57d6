"""The base of the types of answers and bodies, and the kinds of their fields (docs/api.md#openapi-description).

A type is a struct of msgspec: mypy checks what a view answers, and the description of the API is made of the fields.
A field that may be absent is `… | UnsetType = UNSET`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

from django.utils.functional import Promise
from msgspec import Meta, Struct, to_builtins

Item = TypeVar("Item")


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """An object of JSON with these fields and no others.

    `heading`: that of docs/api.md which describes it; the description of the API has such a type once, under its name.
    `in_words`: it has the fields of others, and no table of its own there.
    """

    heading: ClassVar[str] = ""
    in_words: ClassVar[bool] = False


def about(words: str, heading: str = "") -> Meta:
    """What a field means; `heading` of docs/api.md describes a parameter that several endpoints take."""
    return Meta(description=words, extra={"heading": heading})


def one_of(values: Iterable[str], words: str | None = None) -> Meta:
    """A text that is one of these."""
    return Meta(description=words, extra_json_schema={"enum": list(values)})


def keys(always: Iterable[str], sometimes: Iterable[str] = (), words: str | None = None, **field: Any) -> Meta:
    """An object with these keys; those of `sometimes` may be absent. `field` is the schema of each value."""
    always = list(always)
    properties = dict.fromkeys((*always, *sometimes), field)
    return Meta(description=words, extra_json_schema={"properties": properties, "required": always})


Count = Annotated[int, Meta(ge=0)]
# A moment by the server's wall clock.
Timestamp = Annotated[
    str,
    Meta(
        pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$",
        extra_json_schema={"examples": ["2026-09-07 12:30:00"]},
    ),
]
Day = Annotated[str, Meta(extra_json_schema={"format": "date", "examples": ["2026-09-07"]})]


class LoggedFailure(Answer, frozen=True):
    """What an unexpected failure has beside the usual fields of an error."""

    event: Annotated[str, Meta(description="names the entry of the log", pattern="^[0-9a-f]{8}$")]


class Done(Answer, frozen=True):
    """The answer of a change that worked."""

    ok: Literal[True]
    message: Annotated[str, about("for people, in their language")]


class Given(Answer, frozen=True):
    """The body of a request; other fields are ignored."""


class Items(Answer, Generic[Item], frozen=True):
    items: list[Item]


class Paged(Answer, frozen=True):
    """The beginning of an answer with one page of many items."""

    total: Annotated[Count, about("items on all pages")]
    page: Annotated[int, Meta(description="counted from 1", ge=1)]
    size: Annotated[int, Meta(description="items of a page", ge=1, le=500)]
    pages: Annotated[int, Meta(description="pages in all", ge=1)]


@dataclass(frozen=True)
class Together:
    """The description of one object with the fields of several types; its view answers with a tuple of these.

    With a `name`, the description of the API has it once, as a type with a heading.
    """

    types: tuple[type[Answer], ...]
    name: str = ""
    heading: str = ""


def as_json(answer: Any) -> Any:
    """An answer, or lists of answers, as what `json` writes: the fields in their order, without those that are unset.

    A tuple of answers and dicts is one object with the fields of all. `json` writes it, and not msgspec: they differ in
    numbers.
    """
    if isinstance(answer, tuple):
        parts = (part if isinstance(part, dict) else as_json(part) for part in answer)
        return {name: value for part in parts for name, value in part.items()}
    return to_builtins(answer, enc_hook=_plain)


def _plain(value: object) -> object:
    # Texts of a subclass, and those that are translated when they are read.
    if isinstance(value, str | Promise):
        return str(value)
    raise TypeError(f"{type(value).__name__} is no value of an answer")
