"""The OpenAPI 3.1 document of the API, made of the descriptions beside its views (docs/api.md#openapi-description)."""

import json
import re
from collections.abc import Mapping
from functools import cache
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.utils.translation import override

from archive_site.lib.http.described import JSON, TAGS, FileAnswer, Refusal
from archive_site.lib.http.operations import Operation, operations
from archive_site.lib.http.request_types import Parameter
from archive_site.lib.http.schemas import Schema, Shared, always, list_of, object_of, one_of, text, whole
from archive_site.lib.http.type_schemas import schema_of

_ABOUT = """The JSON endpoints of a usage archive, and its files.

All data belongs to one account: the one that is signed in, or that of the token. HEAD is answered wherever GET is. An
unknown path under `/api/` is 404 `not_found`. Texts for people, such as `message`, are in the language of the
reader."""
SESSION, CSRF, TOKEN = "session", "csrf", "token"
_ADMIN = "admin"
_FILE: Schema = {"schema": {"type": "string", "format": "binary"}}
_SECURITY_SCHEMES = {
    SESSION: {
        "type": "apiKey",
        "in": "cookie",
        "name": settings.SESSION_COOKIE_NAME,
        "description": "The cookie of a browser that has signed in. An endpoint names the role that it needs, if any.",
    },
    CSRF: {
        "type": "apiKey",
        "in": "header",
        "name": "X-CSRF-Token",
        "description": "The token that pages hold, beside the cookie of a session: each POST of a session needs it.",
    },
    TOKEN: {
        "type": "http",
        "scheme": "bearer",
        "description": "A personal token `ua_…` of the profile page. An endpoint names the scopes that open it.",
    },
}
_TAG = {"schema": text(), "description": "of this answer, for `If-None-Match`"}
_LINK = {"schema": text(), "description": "of a file: the address of the part that follows, if any"}
_NOT_MODIFIED = {"description": "The client has this answer already (`If-None-Match`)."}
_FAILED_PAGES = {
    status: {"description": f"{about}, as a page.", "content": {"text/html": _FILE}}
    for status, about in {
        "500": "An unexpected failure",
        "503": "The store is locked or does not answer",
        "507": "The disk is full",
    }.items()
}
_SEND_TO_SIGN_IN = {"description": "Nobody is signed in: leads to `/login`."}
_HEADERS = {
    405: {"Allow": {"schema": text(), "description": "the methods of the path", "required": True}},
    429: {"Retry-After": {"schema": whole(minimum=1), "description": "seconds to wait", "required": True}},
}


@cache
def document_json() -> str:
    """The document as JSON; made at the first request, once in a process."""
    return json.dumps(document(), ensure_ascii=False, separators=(",", ":"), default=str)


def document() -> dict[str, Any]:
    with override("en"):
        return json.loads(json.dumps(_Document().whole(), default=str))  # type: ignore[no-any-return]


def ways_in(operation: Operation) -> list[dict[str, list[str]]]:
    """How a request may show whose it is: one of these. Named are the role of a session and the scope of a token."""
    roles = [_ADMIN] if operation.endpoint and operation.endpoint.admin else []
    by_session: dict[str, list[str]] = {SESSION: roles} | ({CSRF: []} if operation.method == "POST" else {})
    return [by_session, *({TOKEN: [scope]} for scope in operation.scopes)]


class _Document:
    def __init__(self) -> None:
        self._schemas: dict[str, Schema] = {}
        self._responses: dict[str, dict[str, Any]] = {}

    def whole(self) -> dict[str, Any]:
        paths: dict[str, dict[str, Any]] = {}
        for operation in operations():
            paths.setdefault(operation.path, {})[operation.method.lower()] = self._operation(operation)
        return {
            "openapi": "3.1.0",
            "info": {"title": "Usage Archive", "version": settings.VERSION, "description": _ABOUT},
            "servers": [{"url": settings.SERVICE_PATH or "/"}],
            "tags": [{"name": tag} for tag in TAGS],
            "paths": paths,
            "components": {
                "schemas": dict(sorted(self._schemas.items())),
                "responses": dict(sorted(self._responses.items())),
                "securitySchemes": _SECURITY_SCHEMES,
            },
        }

    def _operation(self, operation: Operation) -> dict[str, Any]:
        description = operation.description
        scopes = " or ".join(f"`{scope}`" for scope in operation.scopes)
        about = " ".join(filter(None, [str(description.about), scopes and f"Open to tokens with the scope {scopes}."]))
        parameters = [self._path_name(operation, name) for name in operation.path_names]
        parameters += [self._parameter(one) for one in description.parameters]
        answer: dict[str, Any] = {
            "operationId": _id_of(operation),
            "summary": description.summary,
            "tags": [description.tag],
            **({"description": about} if about else {}),
            **({"parameters": parameters} if parameters else {}),
            "security": ways_in(operation),
            "responses": self._responses_of(operation),
        }
        if description.body is not None:
            body = {"schema": self._packed(schema_of(description.body))}
            answer["requestBody"] = {"content": {description.body_type: body}}
        return answer

    def _path_name(self, operation: Operation, name: str) -> dict[str, Any]:
        kind = operation.description.arguments[name]
        schema = text(minLength=1) if kind is str else schema_of(kind)
        return {"name": name, "in": "path", "required": True, "schema": self._packed(schema)}

    def _parameter(self, one: Parameter) -> dict[str, Any]:
        schema = list_of(one.schema) if one.repeats else one.schema
        return {"name": one.name, "in": "query", "description": one.about, "schema": self._packed(schema)}

    def _responses_of(self, operation: Operation) -> dict[str, Any]:
        description = operation.description
        responses = {str(status): self._answer(operation, status) for status in description.answers}
        if description.is_conditional:
            responses["304"] = _NOT_MODIFIED
        if operation.endpoint is None:
            responses |= {"302": _SEND_TO_SIGN_IN, **_FAILED_PAGES}
        by_status: dict[int, dict[str, list[Refusal]]] = {}
        for name, refusals in operation.refusals.items():
            status, _, code = name.partition(" ")
            by_status.setdefault(int(status), {})[code] = refusals
        for given, codes in by_status.items():
            refusal = self._refusal(operation, given, codes)
            # A page for browsers, and JSON for programs.
            page = responses.get(str(given), {}).get("content", {})
            responses[str(given)] = refusal | {"content": page | refusal["content"]} if page else refusal
        return dict(sorted(responses.items()))

    def _answer(self, operation: Operation, status: int) -> dict[str, Any]:
        description = operation.description
        answer = description.answers[status]
        if isinstance(answer, FileAnswer):
            content = dict.fromkeys(answer.media_types, _FILE)
            return {"description": answer.about, **({"content": content} if content else {})}
        schema = schema_of(answer)
        is_first = status == min(description.answers)
        example = description.example if description.example is not None and is_first else example_of(schema)
        json_content = {JSON: {"schema": self._packed(schema), "example": example}}
        files = dict.fromkeys(description.file_types if status == HTTPStatus.OK else (), _FILE)
        found: dict[str, Any] = {"description": HTTPStatus(status).phrase, "content": json_content | files}
        # A file in place of JSON is made again each time.
        tag = _TAG | {"required": not description.file_types}
        headers: dict[str, Any] = {"ETag": tag} if description.is_conditional else {}
        headers |= {"Link": _LINK} if description.file_types else {}
        return found | ({"headers": headers} if headers else {})

    def _refusal(self, operation: Operation, status: int, codes: Mapping[str, list[Refusal]]) -> dict[str, Any]:
        """The answer of a status; the same for all whose only errors of it are those of each route."""
        made = self._refusal_itself(status, codes)
        if any(f"{status} {code}".strip() in operation.description.errors for code in codes):
            return made
        name = "".join(word.title() for code in codes for word in code.split("_"))
        if self._responses.setdefault(name, made) != made:
            # The same code for another reason.
            self._responses[name := name + operation.method.title()] = made
        return {"$ref": f"#/components/responses/{name}"}

    def _refusal_itself(self, status: int, codes: Mapping[str, list[Refusal]]) -> dict[str, Any]:
        lines = [
            " ".join([*([f"`{code}`:"] if code else []), *(str(one.about) for one in codes[code])]) for code in codes
        ]
        alike: dict[str, list[str]] = {}
        fields: dict[str, Mapping[str, Schema]] = {}
        for code, refusals in codes.items():
            more = {name: field for one in refusals for name, field in one.fields.items()}
            # Errors without a code have one field less.
            key = f"{sorted(more)} {bool(code)}"
            alike.setdefault(key, []).append(code)
            fields[key] = more
        schemas = [self._packed(_error(alike[key], fields[key])) for key in alike]
        schema = schemas[0] if len(schemas) == 1 else {"anyOf": schemas}
        headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
        return {"description": "\n".join(lines), **headers, "content": {JSON: {"schema": schema}}}

    def _packed(self, schema: Schema) -> Schema:
        """The schema with references in place of those that are shared."""
        if isinstance(schema, Shared):
            if schema.name not in self._schemas:
                self._schemas[schema.name] = {}
                self._schemas[schema.name] = self._inner(schema)
            return {"$ref": f"#/components/schemas/{schema.name}"}
        return self._inner(schema)

    def _inner(self, schema: Schema) -> Schema:
        packed = dict(schema)
        for key in ("items", "additionalProperties"):
            if isinstance(packed.get(key), dict):
                packed[key] = self._packed(packed[key])
        if "properties" in packed:
            packed["properties"] = {name: self._packed(field) for name, field in packed["properties"].items()}
        for key in ("anyOf", "prefixItems"):
            if key in packed:
                packed[key] = [self._packed(one) for one in packed[key]]
        return packed


def example_of(schema: Schema) -> Any:
    """A value that the schema accepts, of the examples of its parts."""
    if "examples" in schema:
        return schema["examples"][0]
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if "anyOf" in schema:
        return example_of(schema["anyOf"][0])
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: example_of(field) for name, field in schema.get("properties", {}).items()}
    if kind == "array":
        return [example_of(schema["items"]) for _ in range(max(1, schema.get("minItems", 1)))]
    plain: dict[str, Any] = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}
    return plain[kind]


def _error(codes: list[str], fields: Mapping[str, Schema]) -> Schema:
    code = {"error": one_of(codes)} if codes[0] else {}
    return object_of({"ok": always(False), **code, "message": text(), **fields})


def _id_of(operation: Operation) -> str:
    words = re.sub(r"\W+", "_", operation.path.removeprefix("/api")).strip("_")
    return f"{operation.method.lower()}_{words}"
