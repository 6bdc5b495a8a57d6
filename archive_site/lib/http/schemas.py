"""Short words for JSON Schemas (2020-12), for descriptions of JSON views (docs/api.md#openapi-description)."""

from collections.abc import Iterable, Mapping
from typing import Any

Schema = dict[str, Any]
# Descriptions may be texts that are translated only when they are read.
Words = Any


class Shared(Schema):
    """A schema that the document has once, under a name; `heading` of docs/api.md describes it.

    `in_words`: it has the fields of others, and no table of its own there.
    """

    def __init__(self, name: str, heading: str, schema: Schema, *, in_words: bool = False):
        super().__init__(schema)
        self.name = name
        self.heading = heading
        self.in_words = in_words


def text(about: Words = "", **more: Any) -> Schema:
    return _of_type("string", about, more)


def whole(about: Words = "", **more: Any) -> Schema:
    return _of_type("integer", about, more)


def number(about: Words = "", **more: Any) -> Schema:
    return _of_type("number", about, more)


def day(about: Words = "") -> Schema:
    return text(about, format="date", examples=["2026-09-07"])


def one_of(values: Iterable[Any], about: Words = "") -> Schema:
    """One of some texts."""
    return text(about, enum=list(values))


def always(value: object) -> Schema:
    return {"const": value}


def list_of(items: Schema, about: Words = "", **more: Any) -> Schema:
    return _with_words({"type": "array", "items": items, **more}, about)


def object_of(fields: Mapping[str, Schema], about: Words = "") -> Schema:
    """An object with these fields and no others; a name that ends with `?` is that of a field that may be absent."""
    required = [name for name in fields if not name.endswith("?")]
    schema: Schema = {
        "type": "object",
        "properties": {name.rstrip("?"): field for name, field in fields.items()},
        "additionalProperties": False,
    }
    return _with_words(schema | ({"required": required} if required else {}), about)


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    if isinstance(schema, Shared) or "type" not in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    changed = {"type": [schema["type"], "null"]}
    return {**schema, **changed, **({"enum": [*schema["enum"], None]} if "enum" in schema else {})}


def _of_type(kind: str, about: Words, more: Mapping[str, Any]) -> Schema:
    return _with_words({"type": kind, **more}, about)


def _with_words(schema: Schema, about: Words) -> Schema:
    return {**schema, "description": about} if about else schema
