"""What a JSON view takes and answers, written beside it (docs/api.md#openapi-description).

`openapi` makes the document of these descriptions, and `tests/api_reference.py` a part of docs/api.md.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from django.http import HttpRequest

from archive_site.lib.http.answer_types import Answer
from archive_site.lib.http.request_types import ARCHIVE, Parameter, Query, parameters_of, read
from archive_site.lib.http.schemas import Schema, Words
from archive_site.lib.http.type_schemas import Form, fields_of

JSON, FORM = "application/json", "multipart/form-data"
READS, CHOICES, COLLECTION = "Reads", "Views and budgets", "Collection"
ACCOUNTS, BACKUPS, AUDIT = "Accounts", "Backups", "Audit and log"
TAGS = (READS, CHOICES, COLLECTION, ACCOUNTS, BACKUPS, AUDIT)
View = TypeVar("View", bound=Callable[..., Any])


@dataclass(frozen=True)
class Refusal:
    """When an error is given, and the fields that it has beside the usual ones."""

    about: Words
    more: Mapping[str, Schema] | type[Answer] | None = None

    @property
    def fields(self) -> Mapping[str, Schema]:
        return fields_of(self.more) if isinstance(self.more, type) else self.more or {}


@dataclass(frozen=True)
class FileAnswer:
    """An answer that is no JSON, of one of these media types; without one it has no content."""

    media_types: Sequence[str]
    about: Words


@dataclass(frozen=True)
class Description:
    """One view. `errors` are by status and code, as in `409 busy`, or by status alone where there is no code.

    `arguments`: the types of the view's arguments by name. `is_conditional`: it carries an ETag.
    `file_types`: the media types of files that status 200 may be in place of JSON. `names_archive`: its address may
    name the archive that it is about.
    """

    tag: str
    heading: str
    summary: str
    answers: Mapping[int, Form | FileAnswer]
    about: Words = ""
    query: type[Query] | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    body: Form | None = None
    body_type: str = JSON
    errors: Mapping[str, Words | Refusal] = field(default_factory=dict)
    example: Any = None
    is_conditional: bool = False
    file_types: Sequence[str] = ()
    names_archive: bool = False

    @property
    def parameters(self) -> list[Parameter]:
        own = list(parameters_of(self.query).values()) if self.query else []
        return [*own, *([ARCHIVE] if self.names_archive else [])]

    @property
    def gives_file(self) -> bool:
        """Whether a good answer is no JSON but a file."""
        return isinstance(self.answers.get(200), FileAnswer)


def described(
    tag: str, heading: str, summary: str, *, answer: Form | FileAnswer | None = None, **more: Any
) -> Callable[[View], View]:
    """Describe a view: the part and the heading of docs/api.md, a line, and the fields of `Description`.

    `answer` is that of status 200, instead of `answers`; of a view that gives an `Answer` it is its type. The outermost
    decorator of the view. A view with an argument `query` gets the parameters of the address as the type of the
    argument. Types need no description beside them.
    """

    def attach(view: View) -> View:
        types = signature(view)
        arguments = {name: one.annotation for name, one in types.parameters.items()}
        more.setdefault("answers", {200: types.return_annotation if answer is None else answer})
        query: type[Query] | None = arguments.get("query")
        found = _with_query(view, query) if query else view
        described = {"arguments": arguments, "query": query, **more}
        cast(Any, found).description = Description(tag, heading, summary, **described)
        return found

    return attach


def _with_query(view: View, query: type[Query]) -> View:
    @wraps(view)
    def reading(request: HttpRequest, **path: Any) -> Any:
        return view(request, query=read(query, request.GET), **path)

    return cast(View, reading)


def of_archive(check: Callable[[HttpRequest], object]) -> Callable[[View], View]:
    """A described view whose address may name the archive that it is about; `check` refuses it before all else."""

    def attach(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, **path: Any) -> Any:
            check(request)
            return view(request, **path)

        description = description_of(view)
        assert description
        cast(Any, checked).description = replace(description, names_archive=True)
        return cast(View, checked)

    return attach


def description_of(view: object) -> Description | None:
    return getattr(view, "description", None)
