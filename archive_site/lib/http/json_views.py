"""The conventions of JSON views (method, sign-in, role, body, errors): docs/api.md#conventions."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Any, NoReturn

from django.core.exceptions import PermissionDenied, ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext, gettext_noop

# Routes of endpoints name these converters.
from archive_site.lib.http import path_converters as path_converters
from archive_site.lib.http import rate_limits
from archive_site.lib.http.answer_types import Answer, as_json
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import Scopes, bearer_of, is_by_token
from archive_site.lib.http.whole_answers import whole_answer
from archive_site.lib.i18n import sentences

_ENCODER = DjangoJSONEncoder(ensure_ascii=False)
_LONG_LIST, _ITEMS_A_PIECE = 100, 20
_TYPE = "application/json"
FOR_ADMINS = gettext_noop("Only an administrator may do this.")
Body = dict[str, Any]


class JsonText(str):
    """A body that is already JSON."""


@dataclass(frozen=True)
class JsonPieces:
    """A large body that is already JSON, in pieces that are made while they are written: as text it would take up to
    four bytes a letter, in each copy."""

    pieces: Iterable[bytes]


# A value of a dict may be an iterator of answers: a list that is made while it is written.
JsonBody = Answer | tuple[Answer | Body, ...] | Body | list[Any] | JsonText | JsonPieces
# A view takes an AccountRequest and returns a body, or a response where it needs another status or type.
ViewAnswer = Answer | tuple[Answer, ...] | Body | HttpResponseBase
View = Callable[..., ViewAnswer]


@dataclass(frozen=True)
class Endpoint:
    """The parts of a route that `endpoint` made, for the description of the API."""

    views: Mapping[str, View]
    admin: bool
    limited: bool
    scopes: Scopes


_endpoints: dict[Callable[..., HttpResponseBase], Endpoint] = {}


def endpoint(
    *, admin: bool = False, limited: bool = True, scopes: Scopes | None = None, **views: View
) -> Callable[..., HttpResponseBase]:
    """One route of the API from its views by method: `endpoint(GET=read, POST=write)`.

    `limited` off: writes do not count for the account's limit, so that its owner can always end other sessions.
    `scopes`: the tokens that may use a method, as `{"GET": (READ,)}`; without it no token may.
    Checked in this order: an anonymous request is 401, a missing scope or role 403, a method without a view 405 with
    `Allow`, too many reads or writes 429.
    """
    allowed = sorted({*views, *(["HEAD"] if "GET" in views else [])})
    opened_by = scopes or {}

    def dispatch(request: HttpRequest, **path: Any) -> HttpResponseBase:
        # Before the view: a sign-out ends it.
        account = request.user.pk
        try:
            require_account(request)
            method = "GET" if request.method == "HEAD" else request.method or ""
            require_scope(request, opened_by, method if method in views else None)
            if admin:
                require_admin(request)
            if method not in views:
                return not_allowed(allowed)
            if method == "GET":
                rate_limits.require_read_rate(request)
            elif limited:
                rate_limits.require_write_rate(request)
            answer = views[method](request, **path)
        except ApiError as error:
            return error_response(error)
        except ValidationError as error:
            return error_response(ApiError(400, "bad_request", sentences(error.messages)))
        except PermissionDenied:
            return error_response(ApiError(403, "forbidden", gettext(FOR_ADMINS)))
        response = answer if isinstance(answer, HttpResponseBase) else json_answer(json_pieces(answer))
        response.headers["Archive-Account"] = str(account)
        return response

    _endpoints[dispatch] = Endpoint(views, admin, limited, opened_by)
    return dispatch


def endpoint_of(route: Callable[..., HttpResponseBase]) -> Endpoint | None:
    """The parts of a route; None for one that `endpoint` did not make."""
    return _endpoints.get(route)


def opened_by_token(scope: str) -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """Lets tokens of a scope use a reading view outside of `/api/`; they get failures as JSON, not as pages."""
    scopes: Scopes = {"GET": (scope,)}

    def decorated(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **path: Any) -> HttpResponseBase:
            if bearer_of(request) is None:
                return view(request, *args, **path)
            try:
                require_account(request)
                require_scope(request, scopes)
                rate_limits.require_read_rate(request)
                return view(request, *args, **path)
            except ApiError as error:
                return error_response(error)
            except Http404:
                return error_response(ApiError(404, "not_found", gettext("There is nothing at this address.")))

        guarded.scopes = scopes  # type: ignore[attr-defined]
        return guarded

    return decorated


def is_of_the_api(route: Callable[..., HttpResponseBase]) -> bool:
    """Whether a route answers in JSON; a page under `/api/` does not."""
    return route in _endpoints or route is unknown_path


def scopes_of(route: Callable[..., HttpResponseBase]) -> Scopes:
    """The tokens that may use a route, by its methods."""
    found = _endpoints.get(route)
    opened: Scopes = found.scopes if found else getattr(route, "scopes", {})
    return opened


def require_account(request: HttpRequest) -> None:
    if request.user.is_authenticated:
        return
    if bearer_of(request):
        raise ApiError(401, "unauthorized", gettext("This token is unknown or has ended."))
    raise ApiError(401, "unauthorized", gettext("Sign in first."))


def require_scope(request: HttpRequest, scopes: Scopes, method: str | None = None) -> None:
    """Raises ApiError 403 for a token without a scope of the method; without a method, of any method of the route."""
    if not is_by_token(request):
        return
    named = scopes.get(method, ()) if method else [scope for each in scopes.values() for scope in each]
    bearer = bearer_of(request)
    if bearer and bearer.scopes.isdisjoint(named):
        words = gettext("This needs a token with the scope %(scopes)s.") % {"scopes": gettext(" or ").join(named)}
        raise ApiError(403, "forbidden", words if named else gettext("No token may do this: sign in."))


def require_admin(request: HttpRequest) -> None:
    if not getattr(request.user, "is_admin", False):
        raise ApiError(403, "forbidden", gettext(FOR_ADMINS))


def body_of(request: HttpRequest) -> Body:
    """The JSON object of a POST; any other body counts as an empty object (docs/api.md#requests-and-bodies).

    Raises ApiError 400 `bad_request` for a lone surrogate, which no store and no answer can hold.
    """
    try:
        value = json.loads(request.body, parse_constant=_no_constant)
        if not isinstance(value, dict):
            return {}
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        message = gettext("The body contains incomplete characters (lone surrogates).")
        raise ApiError(400, "bad_request", message) from None
    except (ValueError, RecursionError):
        return {}
    return value


def _no_constant(name: str) -> NoReturn:
    """Raises ValueError for NaN and infinities, which Python reads, and which are no JSON."""
    raise ValueError(name)


def json_response(body: JsonBody, status: int = 200) -> HttpResponse:
    """A short answer."""
    response = HttpResponse(b"".join(json_pieces(body)), content_type=_TYPE, status=status)
    response.headers["Content-Length"] = str(len(response.content))
    response.headers["Cache-Control"] = "no-store"
    return response


def json_answer(pieces: Iterable[bytes]) -> HttpResponseBase:
    """The answer with a body in pieces, whatever its length."""
    response = whole_answer(pieces, _TYPE)
    response.headers["Cache-Control"] = "no-store"
    return response


def json_pieces(body: JsonBody) -> Iterator[bytes]:
    """A body as JSON; a long list goes in pieces: a text takes four bytes a letter where one letter needs them."""
    if isinstance(body, JsonPieces):
        yield from body.pieces
        return
    if isinstance(body, JsonText):
        yield body.encode()
        return
    if isinstance(body, Answer | tuple):
        # In its place, so that structs and dicts of a long list are not both kept while it is written.
        body = as_json(body)
    if not isinstance(body, dict) or not any(map(_is_long, body.values())):
        yield _encoded(body)
        return
    for place, (name, value) in enumerate(body.items()):
        yield (b", " if place else b"{") + _encoded(name) + b": "
        yield from _list_in_pieces(iter(value)) if _is_long(value) else [_encoded(value)]
    yield b"}"


def _encoded(value: object) -> bytes:
    """JSON; half a character, which a text of others may hold, is a question mark: an answer about it is no failure."""
    return _ENCODER.encode(value).encode(errors="replace")


def _list_in_pieces(items: Iterator[Any]) -> Iterator[bytes]:
    before = b"["
    while some := list(islice(items, _ITEMS_A_PIECE)):
        plain = [as_json(one) if isinstance(one, Answer) else one for one in some]
        yield before + _encoded(plain)[1:-1]
        before = b", "
    yield b"]" if before != b"[" else b"[]"


def _is_long(value: object) -> bool:
    return isinstance(value, Iterator) or (isinstance(value, list) and len(value) >= _LONG_LIST)


def error_response(error: ApiError) -> HttpResponse:
    return retry_later(json_response(error.body(), error.status), error.retry_after)


def retry_later(response: HttpResponse, seconds: int | None) -> HttpResponse:
    """The response with the whole seconds after which to try again, if they are known."""
    if seconds is not None:
        response.headers["Retry-After"] = str(max(1, seconds))
    return response


def not_allowed(allowed: list[str]) -> HttpResponse:
    message = gettext("Use %(methods)s here.") % {"methods": gettext(" or ").join(allowed)}
    response = error_response(ApiError(405, "method_not_allowed", message))
    response.headers["Allow"] = ", ".join(allowed)
    return response


def unknown_path(request: HttpRequest, **path: Any) -> HttpResponse:
    """Any other path under /api/: 404, or 401 for an anonymous request."""
    try:
        require_account(request)
    except ApiError as error:
        return error_response(error)
    return error_response(ApiError(404, "not_found", gettext("There is no such endpoint.")))
