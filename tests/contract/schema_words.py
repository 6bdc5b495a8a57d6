"""Schemas as rows of a table in docs/api.md."""

from collections.abc import Iterator, Mapping
from typing import Any

from accounts.config import KEYS
from archive_site.lib.http.schemas import Schema, Shared
from tests.test_documents import slug

MOST_IN_A_LINE = 4
_TIMESTAMP = "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"
_PLAIN = {"integer": "whole number", "number": "number", "boolean": "true or false", "object": "object", "null": "null"}


def table(schema: Schema, title: str, *, with_shared: bool = False) -> str:
    """The fields of an object or of the objects of a list, one per row, those of inner objects by their path.

    `with_shared`: a shared schema itself is written out, and not only named.
    """
    rows = list(_rows(schema, "", is_open=with_shared))
    if not rows:
        return ""
    return "\n".join([f"| {title} | | |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)])


def few_fields(schema: Schema) -> str:
    """An object of a few plain fields, in a line; empty for any other."""
    fields = {} if isinstance(schema, Shared) else schema.get("properties", {})
    if not 0 < len(fields) <= MOST_IN_A_LINE or any(list(_rows(field, "")) for field in fields.values()):
        return ""
    return ", ".join(
        f"`{name}`" if name in ("ok", "message") else f"`{name}` ({_in_line(name, field, schema)})"
        for name, field in fields.items()
    )


def _in_line(name: str, field: Schema, whole: Schema) -> str:
    return ": ".join(filter(None, [kind(field), _about(name, field, whole)]))


def _rows(schema: Schema, path: str, *, is_open: bool = False) -> Iterator[tuple[str, str, str]]:
    if isinstance(schema, Shared) and not is_open:
        return
    if schema.get("type") == "array" or schema.get("type") == ["array", "null"]:
        yield from _rows(schema["items"], f"{path}[].")
        return
    if isinstance(schema.get("additionalProperties"), dict):
        yield from _rows(schema["additionalProperties"], f"{path}.<name>.")
        return
    for other in schema.get("anyOf", ()):
        yield from _rows(other, path)
    fields = schema.get("properties", {})
    if settings := _settings(fields):
        yield f"`{path}<key>`", "text", "each key of [settings.md](settings.md)"
    for name, field in fields.items():
        if name in settings:
            continue
        yield f"`{path}{name}`", kind(field), _about(name, field, schema)
        yield from _rows(field, f"{path}{name}" if _has_own_mark(field) else f"{path}{name}.")


def _settings(fields: Mapping[str, Schema]) -> set[str]:
    """The settings among the fields if all are there: they have a document of their own."""
    settings = KEYS.keys() - {"cookie", "user_agent"}
    return set(settings) if settings <= fields.keys() else set()


def _has_own_mark(field: Schema) -> bool:
    return "items" in field or isinstance(field.get("additionalProperties"), dict)


def _about(name: str, field: Schema, whole: Schema) -> str:
    words = str(field.get("description", ""))
    if name not in whole.get("required", ()):
        words = f"optional; {words}" if words else "optional"
    return cell(words)


def kind(schema: Schema) -> str:
    """The kind of a value in words, with a link where another part of the document has its fields."""
    if isinstance(schema, Shared):
        return f"[{schema.name}](#{slug(schema.heading)})"
    if "const" in schema:
        return f"`{_json(schema['const'])}`"
    if "enum" in schema:
        words = [value for value in schema["enum"] if value not in ("", None)]
        return cell(", ".join(f"`{value}`" for value in words) + (" or null" if None in schema["enum"] else ""))
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(kind(one) for one in schema["anyOf"]))
    kinds = schema.get("type", "object")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    return " or ".join(_kind_named(name, schema) for name in kinds)


def _kind_named(name: str, schema: Schema) -> str:
    if name == "string":
        return _text(schema)
    if name == "array":
        return f"list of {kind(schema['items'])}"
    if name == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"map of {kind(schema['additionalProperties'])}"
    return _PLAIN[name] + ("" if name == "null" else _bounds(schema))


def _text(schema: Schema) -> str:
    if schema.get("format") == "date":
        return "day"
    return "timestamp" if schema.get("pattern") == _TIMESTAMP else "text"


def _bounds(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    span = f" {least} to {most:,}" if least is not None and most is not None else ""
    default = f", default {schema['default']}" if "default" in schema else ""
    return span + default


def _json(value: Any) -> str:
    return {True: "true", False: "false"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def cell(words: str) -> str:
    """A text that does not end a cell of a table."""
    return words.replace("|", "\\|").replace("\n", " ")
