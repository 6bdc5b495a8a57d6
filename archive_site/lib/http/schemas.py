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


def switch(about: Words = "") -> Schema:
    return _of_type("boolean", about, {})


def count(about: Words = "") -> Schema:
    """A whole number from 0 on."""
    return whole(about, minimum=0)


def timestamp(about: Words = "") -> Schema:
    """A moment by the server's wall clock."""
    pattern = "^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$"
    return text(about, pattern=pattern, examples=["2026-09-07 12:30:00"])


def day(about: Words = "") -> Schema:
    return text(about, format="date", examples=["2026-09-07"])


def one_of(values: Iterable[Any], about: Words = "") -> Schema:
    """One of some texts."""
    return text(about, enum=list(values))


def always(value: object) -> Schema:
    return {"const": value}


def list_of(items: Schema, about: Words = "", **more: Any) -> Schema:
    return _with_words({"type": "array", "items": items, **more}, about)


def map_of(values: Schema, about: Words = "") -> Schema:
    """An object whose keys are names that the description cannot list."""
    return _with_words({"type": "object", "additionalProperties": values}, about)


def object_of(fields: Mapping[str, Schema], about: Words = "") -> Schema:
    """An object with these fields and no others; a name that ends with `?` is that of a field that may be absent."""
    required = [name for name in fields if not name.endswith("?")]
    schema: Schema = {
        "type": "object",
        "properties": {name.rstrip("?"): field for name, field in fields.items()},
        "additionalProperties": False,
    }
    return _with_words(schema | ({"required": required} if required else {}), about)


def with_fields(base: Schema, fields: Mapping[str, Schema]) -> Schema:
    """An object with the fields of another one and further ones; a further one takes the place of one of that name."""
    required, given = set(base.get("required", ())), {name.rstrip("?"): name for name in fields}
    changed: dict[str, Schema] = {}
    for name, field in base["properties"].items():
        named = given.get(name, name if name in required else f"{name}?")
        changed[named] = fields.get(named, field) if name in given else field
    return object_of(changed | dict(fields))


def without_fields(base: Schema, *names: str) -> Schema:
    """An object without some fields of another one."""
    required = set(base.get("required", ()))
    fields = base["properties"].items()
    return object_of({name if name in required else f"{name}?": field for name, field in fields if name not in names})


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    if isinstance(schema, Shared) or "type" not in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    changed = {"type": [schema["type"], "null"]}
    return {**schema, **changed, **({"enum": [*schema["enum"], None]} if "enum" in schema else {})}


def done(fields: Mapping[str, Schema] | None = None) -> Schema:
    """The answer of a change that worked: `ok`, a message for people, and what else it has."""
    return object_of({"ok": always(True), "message": text("for people, in their language"), **(fields or {})})


def _of_type(kind: str, about: Words, more: Mapping[str, Any]) -> Schema:
    return _with_words({"type": kind, **more}, about)


def _with_words(schema: Schema, about: Words) -> Schema:
    return {**schema, "description": about} if about else schema
