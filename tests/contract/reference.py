"""The tables of docs/api.md, from the descriptions of the views.

Each part stands between two marks, which name it: `operation: GET /api/top`, `schema: Run`, `parameters: Filters`,
`endpoints` or `scopes`.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.utils import translation

from archive_site.lib.http.bearer import SCOPES
from archive_site.lib.http.described import TAGS, Description, FileAnswer
from archive_site.lib.http.operations import Operation, operations
from archive_site.lib.http.request_types import Parameter
from archive_site.lib.http.schemas import Schema, Shared
from archive_site.lib.http.type_schemas import schema_of
from tests.contract.schema_words import cell, few_fields, kind, table
from tests.test_documents import slug

END = "<!-- end -->"
_KINDS = "operation|schema|parameters|endpoints|scopes"
_PART = re.compile(rf"(<!-- ({_KINDS})(?:: ([^\n]*?))? -->)\n.*?<!-- end -->", re.DOTALL)


def with_reference(document: str) -> str:
    """The document with each part between its marks, in English. Raises ValueError for a part that it lacks."""
    missing = sorted(set(_named_parts()) - set(parts_of(document)))
    if missing:
        raise ValueError(f"docs/api.md has no marks for {', '.join(missing)}")
    with translation.override("en"):
        return _PART.sub(lambda found: f"{found[1]}\n{_part(found[2], found[3] or '')}\n{END}", document)


def parts_of(document: str) -> list[str]:
    """The names of the parts that the document has marks for."""
    return [f"{kind}: {name}" if name else kind for _, kind, name in _PART.findall(document)]


def _named_parts() -> Iterator[str]:
    yield "endpoints"
    yield "scopes"
    yield from (f"operation: {name}" for name in _operations())
    yield from (f"schema: {name}" for name in _shared())
    yield from (f"parameters: {name}" for name in _parameters())


def _part(kind: str, name: str) -> str:
    makers: dict[str, Callable[[], str]] = {
        "endpoints": _endpoints,
        "scopes": _scopes,
        "operation": lambda: _operation(_operations()[name]),
        "schema": lambda: _schema(_shared()[name]),
        "parameters": lambda: _parameter_table(_parameters()[name]),
    }
    return makers[kind]()


def _operations() -> dict[str, Operation]:
    return {f"{one.method} {_shown(one.path)}": one for one in operations()}


def _shown(path: str) -> str:
    return path.replace("{", "<").replace("}", ">")


def _shared() -> dict[str, Shared]:
    """Shared schemas by name, but for those that belong to one endpoint."""
    found: dict[str, Shared] = {}
    waiting: list[Any] = [one.description for one in _operations().values()]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Shared) and not one.in_words:
            found[one.name] = one
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        elif isinstance(one, Description):
            waiting += [schema_of(answer) for answer in one.answers.values() if not isinstance(answer, FileAnswer)]
            waiting += [schema_of(one.body)] if one.body else []
    return dict(sorted(found.items()))


def _parameters() -> dict[str, list[Parameter]]:
    """Parameters that several endpoints take, by the heading that describes them."""
    found: dict[str, dict[str, Parameter]] = {}
    for operation in _operations().values():
        for one in operation.description.parameters:
            if one.heading:
                found.setdefault(one.heading, {})[one.name] = one
    return {heading: list(named.values()) for heading, named in found.items()}


def _endpoints() -> str:
    by_tag: dict[str, list[str]] = {tag: [] for tag in TAGS}
    for name, one in sorted(_operations().items()):
        by_tag[one.description.tag].append(f"[`{name}`](#{slug(one.description.heading)})")
    rows = [f"| {tag} | {', '.join(named)} |" for tag, named in by_tag.items()]
    return "\n".join(["| about | endpoints |", "|---|---|", *rows])


def _scopes() -> str:
    rows = ["| scope | opens |", "|---|---|"]
    for scope in SCOPES:
        opened = [f"`{name}`" for name, one in sorted(_operations().items()) if scope in one.scopes]
        rows.append(f"| `{scope}` | {', '.join(opened)} |")
    return "\n".join(rows)


def _is_for_admins(operation: Operation) -> bool:
    return operation.endpoint is not None and operation.endpoint.admin


def _operation(operation: Operation) -> str:
    described = operation.description
    about = f" {described.about}" if described.about else ""
    whom = " For administrators." if _is_for_admins(operation) else ""
    pieces = [f"`{operation.method} {_shown(operation.path)}`: {described.summary}.{whom}{about}"]
    linked = _linked([one for one in described.parameters if one.heading])
    own = [one for one in described.parameters if not one.heading]
    pieces += [f"Parameters: {linked}."] if linked else []
    pieces += [_parameter_table(own)] if own else []
    if described.body is not None:
        pieces.append(
            table(schema_of(described.body), "form" if described.body_type.startswith("multipart") else "body")
        )
    pieces += [_answer(status, answer) for status, answer in sorted(described.answers.items())]
    pieces += [f"Or a file: {_media_types(described.file_types)}."] if described.file_types else []
    pieces += [cell(_errors(operation))] if described.errors else []
    return "\n\n".join(filter(None, pieces))


def _linked(parameters: Iterable[Parameter]) -> str:
    by_heading: dict[str, list[str]] = {}
    for one in parameters:
        by_heading.setdefault(one.heading, []).append(f"`{one.name}`")
    return "; ".join(f"{', '.join(names)} ([{heading}](#{slug(heading)}))" for heading, names in by_heading.items())


def _parameter_table(parameters: Iterable[Parameter]) -> str:
    rows = ["| parameter | | |", "|---|---|---|"]
    rows += [f"| `{one.name}` | {kind(one.schema)} | {cell(str(one.about))} |" for one in parameters]
    return "\n".join(rows)


def _answer(status: int, answer: Any) -> str:
    if isinstance(answer, FileAnswer):
        return f"{status}: {f'{_media_types(answer.media_types)}. ' if answer.media_types else ''}{answer.about}"
    schema = schema_of(answer)
    if words := few_fields(schema):
        return f"{status}: {words}."
    if isinstance(schema, Shared) or (schema.get("type") == "array" and isinstance(schema["items"], Shared)):
        return f"{status}: {kind(schema)}."
    return "\n\n".join(table(one, str(status)) for one in schema.get("anyOf", [schema]))


def _media_types(media_types: Iterable[str]) -> str:
    return ", ".join(f"`{one}`" for one in media_types)


def _errors(operation: Operation) -> str:
    causes = []
    for name, refusals in operation.refusals.items():
        status, _, code = name.partition(" ")
        if name in operation.description.errors:
            refusal = refusals[-1]
            fields = "".join(f", with `{field.rstrip('?')}`" for field in refusal.fields)
            causes.append(
                f"{status}{f' `{code}`' if code else ' without `error`'}{fields} ({_as_part(str(refusal.about))})"
            )
    return f"Errors: {'; '.join(causes)}."


def _as_part(words: str) -> str:
    """A sentence within another one."""
    return words[0].lower() + words[1:].rstrip(".")


def _schema(schema: Schema) -> str:
    return table(schema, "field", with_shared=True)
