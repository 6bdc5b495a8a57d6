"""The JSON Schemas of the types of answers and bodies (docs/api.md#openapi-description)."""

from collections.abc import Iterator
from functools import cache
from types import UnionType
from typing import Any, get_args

import msgspec

from archive_site.lib.http.answer_types import Answer, Together
from archive_site.lib.http.schemas import Schema, Shared, nullable, object_of

# What a view takes or answers: a type, one of several, or a schema where its fields are not those of a type.
Form = Any
_NULL = {"type": "null"}


def schema_of(form: Form) -> Schema:
    """The schema of a form; structs without a heading of their own are written out where they are used."""
    if isinstance(form, dict):
        return form
    if isinstance(form, UnionType):
        # msgspec cannot distinguish them when it reads, so it has no schema of them.
        return {"anyOf": [schema_of(one) for one in get_args(form)]}
    return _of_several(form) if isinstance(form, Together) else _of_type(form)


def fields_of(form: Form) -> dict[str, Schema]:
    """The schemas of the fields of a type by name, with `?` behind that of one that may be absent."""
    schema = schema_of(form)
    required = set(schema.get("required", ()))
    return {name if name in required else f"{name}?": field for name, field in schema["properties"].items()}


def _of_several(form: Together) -> Schema:
    schema = object_of({name: field for one in form.types for name, field in fields_of(one).items()})
    return Shared(form.name, form.heading, schema, in_words=True) if form.name else schema


@cache
def _of_type(form: Any) -> Schema:
    (schema,), components = msgspec.json.schema_components([form], ref_template="{name}")
    return _Reader(components).read(schema)


class _Reader:
    """Reads a schema of msgspec, with what it refers to in its place."""

    def __init__(self, components: dict[str, Schema]):
        self._components = components
        types = list(_types(Answer))
        self._types = {one.__name__: one for one in types}
        if len(self._types) < len(types):
            raise ValueError("two types of answers have the same name")

    def read(self, schema: Schema) -> Schema:
        found = {key: value for key, value in schema.items() if key not in ("title", "default", "anyOf", "$ref")}
        if "$ref" in schema:
            return self._named(schema["$ref"], found)
        if "anyOf" in schema:
            return self._one_of([self.read(one) for one in schema["anyOf"]]) | found
        for key in ("items", "additionalProperties"):
            if isinstance(found.get(key), dict):
                found[key] = self.read(found[key])
        if "properties" in found:
            found["properties"] = {name: self.read(field) for name, field in found["properties"].items()}
            found["additionalProperties"] = False
        if not found.get("required", True):
            del found["required"]
        if len(found.get("enum", ())) == 1:
            found["const"] = found.pop("enum")[0]
        return found

    def _named(self, name: str, words: Schema) -> Schema:
        inner, kind = self.read(self._components[name]), self._types.get(name)
        inner.pop("description", None)
        own = kind.__dict__ if kind else {}
        if "heading" in own:
            return Shared(name, own["heading"], inner, in_words=own.get("in_words", False))
        return inner | words

    @staticmethod
    def _one_of(schemas: list[Schema]) -> Schema:
        others = [one for one in schemas if one != _NULL]
        if len(others) == len(schemas) or len(others) > 1:
            return {"anyOf": schemas}
        return nullable(others[0])


def _types(base: type[Answer]) -> Iterator[type[Answer]]:
    for one in base.__subclasses__():
        yield one
        yield from _types(one)
