"""The base of the types of what requests give, and the kinds of their fields (docs/api.md#conventions).

A type is a struct of msgspec: the annotation of a field has its kind, a `Parameter` that reads it, and the words that
describe it. One without a kind is a switch or a text, as its type says. Fields are read, and refused, in their order.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import Annotated, Any, TypeVar, get_args

from msgspec import Meta, Struct, structs

from archive_site.lib.http import parameter_parsing, schemas
from archive_site.lib.http.answer_types import about
from archive_site.lib.http.schemas import Schema, Words

BAD = {"400 bad_request": "A parameter or a value is not accepted."}


@dataclass(frozen=True)
class Parameter:
    """How a field is read from all that a request gives, by its name, and the schema of its text.

    `read` raises ApiError and ValidationError. `repeats`: the field may be given several times. The description has
    its name, the words about it, and the heading of docs/api.md that describes it if several endpoints take it.
    """

    read: Callable[[Any, str], Any]
    schema: Schema = field(default_factory=dict)
    repeats: bool = False
    name: str = ""
    about: Words = ""
    heading: str = ""


def plain(schema: Schema) -> Parameter:
    """A text as it is given; empty if it is missing."""
    return Parameter(parameter_parsing.given_text, schema)


def short_text(most: int) -> Parameter:
    """A text of at most `most` characters, without NUL."""
    return Parameter(
        lambda values, name: parameter_parsing.short_text(values, name, most), schemas.text(maxLength=most)
    )


def word(words: Iterable[str], otherwise: str = "") -> Parameter:
    """One of these words; `otherwise` for any other text."""
    known = {word: word for word in words}
    return Parameter(lambda values, name: known.get(values.get(name), otherwise), schemas.one_of(known))


def clamped(default: int, most: int | None = None) -> Parameter:
    """A whole number from 1 on; others are clamped, and texts count as the default."""
    schema = schemas.whole(minimum=1, **({"maximum": most} if most else {}), default=default)
    return Parameter(lambda values, name: parameter_parsing.clamped(values, name, default, most or 10**9), schema)


_TEXT = plain(schemas.text())
_FLAG = Parameter(parameter_parsing.flag, schemas.one_of(("1", "true", "on", "0")))
Day = Annotated[date | None, Parameter(parameter_parsing.day, schemas.day())]
Flag = Annotated[bool, _FLAG]
Switch = Annotated[
    bool | None, Parameter(parameter_parsing.switch, schemas.one_of(("1", "0", "true", "false", "on", "off")))
]
Page = Annotated[int, clamped(1), about("the page, counted from 1", "Paging")]
Size = Annotated[int, clamped(50, 500), about("items of a page", "Paging")]


# Which archive of the account a request is about. It is read before all others.
ARCHIVE = Parameter(
    lambda values, name: values.get(name),
    schemas.text(),
    name="archive",
    about="the id of an archive; without it the account's first one",
    heading="Archives",
)


class Query(Struct, frozen=True):
    """The parameters of an address."""


Read = TypeVar("Read", bound=Struct)


def read(kind: type[Read], values: Mapping[str, object]) -> Read:
    """What a request gives, as its type. Raises ApiError 400 or ValidationError of the first field that is refused."""
    return kind(**{name: one.read(values, one.name) for name, one in parameters_of(kind).items()})


@cache
def parameters_of(kind: type[Struct]) -> dict[str, Parameter]:
    """The fields of a type, as they are described."""
    return {one.name: _parameter(one.encode_name, one.type) for one in structs.fields(kind)}


def _parameter(name: str, annotation: Any) -> Parameter:
    plain_type, *marks = get_args(annotation) or (annotation,)
    found = next((one for one in marks if isinstance(one, Parameter)), _FLAG if plain_type is bool else _TEXT)
    words = next((one for one in marks if isinstance(one, Meta)), Meta())
    return replace(found, name=name, about=words.description, heading=(words.extra or {}).get("heading", ""))
