"""What tests have seen of the description: a whole run of the tests fails where something of it was never answered.

Kept are the answers of each operation by status and error code, and the fields that an answer may lack.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from django.urls import get_urlconf, set_urlconf

from archive_site.lib.http.described import FileAnswer
from archive_site.lib.http.operations import Operation, operations
from archive_site.lib.http.schemas import Schema
from archive_site.lib.http.type_schemas import schema_of

_seen: set[str] = set()


def note(method: str, path: str, status: int, body: Any) -> None:
    """Keep an answer of the operation at a path as the description has it."""
    operation = _by_name().get(f"{method} {path}")
    if operation is None:
        return
    name = f"{method} {path} {status}"
    code = body.get("error", "") if status >= 400 and isinstance(body, dict) else ""
    _seen.add(f"{name} {code}".strip())
    answer = operation.description.answers.get(status)
    if body is not None and answer is not None and not isinstance(answer, FileAnswer):
        _seen.update(f"{name} has {field}" for field in present(schema_of(answer), body))


def take() -> list[str]:
    """All that was seen in this process."""
    return sorted(_seen)


def never_seen(seen: set[str]) -> list[str]:
    """What the description has and `seen` lacks. What each route may answer has tests of its own."""
    return sorted(name for operation in operations() for name in _expected(operation) if name not in seen)


def _expected(operation: Operation) -> Iterator[str]:
    description = operation.description
    name = f"{operation.method} {operation.path}"
    yield from (f"{name} {error}" for error in description.errors if error not in operation.common_refusals)
    if description.is_conditional:
        yield f"{name} 304"
    for status, answer in description.answers.items():
        yield f"{name} {status}"
        if not isinstance(answer, FileAnswer):
            yield from (f"{name} {status} has {field}" for field in optional(schema_of(answer)))


def optional(schema: Schema, path: str = "") -> Iterator[str]:
    """The fields of a schema that may be absent."""
    yield from (field for field, is_optional in _fields(schema, path) if is_optional)


def _fields(schema: Schema, path: str) -> Iterator[tuple[str, bool]]:
    for inner, place in _inner(schema, path):
        yield from _fields(inner, place)
    for name, field in schema.get("properties", {}).items():
        yield f"{path}{name}", name not in schema.get("required", ())
        yield from _fields(field, f"{path}{name}.")


def _inner(schema: Schema, path: str) -> Iterator[tuple[Schema, str]]:
    yield from ((one, path) for one in schema.get("anyOf", ()))
    yield from ((schema[key], path) for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict))


def present(schema: Schema, value: Any, path: str = "") -> Iterator[str]:
    """The fields of a value that its schema has."""
    for one in schema.get("anyOf", ()):
        yield from present(one, value, path)
    if isinstance(value, list):
        for item in value:
            yield from present(schema.get("items", {}), item, path)
    if not isinstance(value, dict):
        return
    if isinstance(schema.get("additionalProperties"), dict):
        for item in value.values():
            yield from present(schema["additionalProperties"], item, path)
    for name, field in schema.get("properties", {}).items():
        if name in value:
            yield f"{path}{name}"
            yield from present(field, value[name], f"{path}{name}.")


@contextmanager
def own_routes() -> Iterator[None]:
    """The project's own routes, in this thread: a test may serve others when the description is first asked for."""
    before = get_urlconf()
    set_urlconf("archive_site.urls")
    try:
        yield
    finally:
        set_urlconf(before)


@cache
@own_routes()
def _by_name() -> dict[str, Operation]:
    return {f"{one.method} {one.path}": one for one in operations()}
