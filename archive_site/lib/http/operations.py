"""The operations of the API: each described view of the URL map, with its method and path."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver, get_urlconf

from archive_site.lib.http.answer_types import LoggedFailure
from archive_site.lib.http.described import Description, Refusal, description_of
from archive_site.lib.http.json_views import Endpoint, endpoint_of, scopes_of
from archive_site.lib.http.schemas import Words

Refusals = Mapping[str, Words | Refusal]
_NAMED = re.compile(r"<(?:\w+:)?(\w+)>")

_ALWAYS: Refusals = {
    "400 bad_request": "The request cannot be understood.",
    "401 unauthorized": "The request has no valid session or token.",
    "403 forbidden": "The request comes with a token that does not open this method.",
    "403 second_factor_required": "The account lacks a second factor that the instance requires.",
    "405 method_not_allowed": "The path has no such method; `Allow` lists those that it has.",
    "411 length_required": "A body came without `Content-Length`.",
    "413 too_large": "The body is over the limit.",
    "500 internal": Refusal("An unexpected failure: the log has the cause under the same event.", LoggedFailure),
    "503 unavailable": "The store is locked, a restore replaces it, the database or Redis does not answer, or too many "
    "slow connections are open.",
    "507 no_space": "The disk is full.",
}
_TOO_MANY_READS: Refusals = {"429 too_frequent": "More than 240 reads of the account in a minute."}
# Files take as long as they need.
_TIMED_READS: Refusals = {
    "429 too_frequent": "More than 240 reads of the account in a minute, or two slow ones that are running.",
    "503 too_slow": "The read took longer than 10 seconds and was ended: ask for less.",
}
_TOO_MANY_WRITES: Refusals = {"429 too_frequent": "More than 600 writes of the account in a minute."}
_OF_POST: Refusals = {"400 bad_request": "The CSRF token is missing or wrong."}
_OF_TOKENS: Refusals = {name: _ALWAYS[name] for name in ("401 unauthorized", "403 forbidden")}
_OF_ARCHIVE: Refusals = {
    "400 bad_request": "A parameter is not accepted.",
    "404 not_found": "The account has no such archive.",
}
_FOR_ADMINS: Refusals = {"403 forbidden": "The account is not an administrator."}


@dataclass(frozen=True)
class Operation:
    """One method of a path. `endpoint` is None for a view outside `/api/`, which leads visitors to the sign-in.

    `scopes`: the tokens that open it.
    """

    method: str
    path: str
    description: Description
    endpoint: Endpoint | None
    scopes: tuple[str, ...]

    @property
    def path_names(self) -> list[str]:
        return re.findall(r"{(\w+)}", self.path)

    @property
    def common_refusals(self) -> Refusals:
        """What each such route may answer, whatever its view does."""
        of_archive = _OF_ARCHIVE if self.description.names_archive else {}
        if self.endpoint is None:
            return {**_OF_TOKENS, **_TOO_MANY_READS, **of_archive} if self.scopes else {}
        is_read = self.method == "GET"
        reads = _TOO_MANY_READS if self.description.gives_file else _TIMED_READS
        return {
            **_ALWAYS,
            **({} if is_read else _OF_POST),
            **(reads if is_read else _TOO_MANY_WRITES if self.endpoint.limited else {}),
            **(_FOR_ADMINS if self.endpoint.admin else {}),
            **({"404 not_found": of_archive["404 not_found"]} if of_archive else {}),
        }

    @property
    def refusals(self) -> dict[str, list[Refusal]]:
        """All errors by status and code: the words of the view, after those of its route."""
        found: dict[str, list[Refusal]] = {}
        for refusals in (self.common_refusals, self.description.errors):
            for name, refusal in refusals.items():
                found.setdefault(name, []).append(refusal if isinstance(refusal, Refusal) else Refusal(refusal))
        return dict(sorted(found.items()))


class Undescribed(Exception):
    """A view of the API has no description."""


def operations() -> list[Operation]:
    """All operations, in the order of the URL map. Raises Undescribed."""
    return [one for pattern, path in _routes(get_resolver(get_urlconf())) for one in _of_route(pattern, path)]


def path_of_route(route: str) -> str:
    """The path of a route, with `{name}` for what it names."""
    return _NAMED.sub(r"{\1}", f"/{route.removeprefix('/')}")


def _routes(resolver: URLResolver, before: str = "/") -> Iterator[tuple[URLPattern, str]]:
    for pattern in resolver.url_patterns:
        path = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern, path)
        # A route with a fixed part is another spelling of one that names this part.
        elif not pattern.default_args:
            yield pattern, path


def _of_route(pattern: URLPattern, route: str) -> Iterator[Operation]:
    path, endpoint = path_of_route(route), endpoint_of(pattern.callback)
    views: Mapping[str, Any] = endpoint.views if endpoint else {"GET": pattern.callback}
    for method, view in views.items():
        description = description_of(view)
        if description:
            yield Operation(method, path, description, endpoint, scopes_of(pattern.callback).get(method, ()))
        elif endpoint:
            raise Undescribed(f"{method} {path}")
