"""Each JSON answer that a test gets under /api/ is held against the description of the API.

Everything that `ApiClient` asks comes here: an answer that the description does not have fails its test.
"""

import gzip
import json
from functools import cache, partial
from typing import Any

from django.http import FileResponse, HttpResponse
from django.test import Client
from django.urls import Resolver404, resolve
from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from archive_site.lib.http import openapi
from archive_site.lib.http.described import JSON
from archive_site.lib.http.operations import path_of_route
from tests.contract import seen
from tests.contract.seen import own_routes

# Items of a list that are looked at: a bundle has 20,000 records, all made by the same line of code.
MOST_ITEMS = 50


class NotDescribed(AssertionError):
    """An answer that the description does not have."""


class CheckedClient(Client):
    """Django's test client, whose answers have to be those of the description."""

    def request(self, **request: Any) -> Any:
        response: Any = super().request(**request)
        if isinstance(response, FileResponse) and response.headers["Content-Type"] == JSON:
            response = self._in_memory(response)
        path, method = request.get("PATH_INFO", ""), request.get("REQUEST_METHOD", "GET")
        check(method, path, response)
        return response

    def _in_memory(self, response: Any) -> Any:
        """A large answer, which is in a file, as one whose JSON is looked at."""
        whole: Any = HttpResponse(b"".join(response), status=response.status_code, headers=dict(response.headers))
        for name in (
            "client",
            "context",
            "cookies",
            "exc_info",
            "request",
            "resolver_match",
            "templates",
            "wsgi_request",
        ):
            setattr(whole, name, getattr(response, name))
        whole.json = partial(self._parse_json, whole)  # type: ignore[attr-defined]  # missing in the stubs
        return whole


def check(method: str, path: str, response: Any) -> None:
    """Raises NotDescribed unless the description has this answer: its status, its headers, and a body of JSON."""
    if not path.startswith("/api/") and method != "GET":
        # Pages and files outside the API answer with pages.
        return
    template = template_of(path)
    known = _document()["paths"].get(template)
    if known is None:
        return
    asked, status = "get" if method == "HEAD" else method.lower(), str(response.status_code)
    described = known.get(asked)
    if described is None:
        # A method that the path does not have is answered before any view: as in each of its operations.
        described = next(iter(known.values()))
    answer = described["responses"].get(status)
    if answer is None:
        raise NotDescribed(f"{method} {path}: {status} is not described: {_shown(response)}")
    answer = _resolved(answer)
    body = None if method == "HEAD" else _json_of(response)
    if body is not None:
        _check_body(f"{method} {path}: {status}", answer, body)
    seen.note(method, template, response.status_code, body if body is None else _shortened(body))
    required = [name for name, header in answer.get("headers", {}).items() if header.get("required")]
    missing = [name for name in required if not response.has_header(name)]
    if missing:
        raise NotDescribed(f"{method} {path}: {status} lacks the headers {missing}")


def template_of(path: str) -> str:
    """The path of its route, with names in place of what it names; empty for a path without a route."""
    try:
        return path_of_route(resolve(path).route)
    except Resolver404:
        return ""


def _check_body(where: str, answer: dict[str, Any], body: Any) -> None:
    content = answer.get("content", {})
    if JSON not in content:
        raise NotDescribed(f"{where} is described as {list(content)}, and is JSON")
    schema = json.dumps(content[JSON]["schema"], sort_keys=True)
    wrong = best_match(_validator(schema).iter_errors(_shortened(body)))
    if wrong:
        raise NotDescribed(f"{where}: {wrong.json_path}: {wrong.message}")


@cache
@own_routes()
def _document() -> dict[str, Any]:
    return openapi.document()


@cache
def _validator(schema: str) -> Draft202012Validator:
    whole = {**json.loads(schema), "components": _document()["components"]}
    return Draft202012Validator(whole)


def _resolved(answer: dict[str, Any]) -> dict[str, Any]:
    reference = answer.get("$ref")
    if not reference:
        return answer
    found: dict[str, Any] = _document()["components"]["responses"][reference.rpartition("/")[2]]
    return found


def _json_of(response: Any) -> Any:
    if not response.headers.get("Content-Type", "").startswith(JSON) or response.streaming:
        return None
    content = response.content
    if response.headers.get("Content-Encoding") == "gzip":
        content = gzip.decompress(content)
    return json.loads(content) if content else None


def _shortened(value: Any) -> Any:
    if isinstance(value, list):
        return [_shortened(one) for one in value[:MOST_ITEMS]]
    if isinstance(value, dict):
        return {name: _shortened(one) for name, one in value.items()}
    return value


def _shown(response: Any) -> str:
    return "a stream" if response.streaming else str(response.content[:300])
