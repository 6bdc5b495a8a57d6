"""The JSON views of saved views (docs/api.md#saved-views)."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.json_views import Body, body_of
from archive_site.lib.http.parameters import whole_number
from usage import saved_views
from usage.models import SavedView


def views(request: AccountRequest) -> Body:
    return {"items": [saved_views.payload(view) for view in saved_views.views_of(request.user.pk)]}


def create(request: AccountRequest) -> Body:
    name, query = _texts(body_of(request))
    try:
        view = saved_views.create(request.user.pk, name or "", query or "")
    except ValidationError as error:
        raise _refused(error) from None
    message = gettext("The view “%(name)s” is saved.") % {"name": view.name}
    return {"ok": True, "message": message, "view": saved_views.payload(view)}


def change(request: AccountRequest, view_id: str) -> Body:
    name, query = _texts(body_of(request))
    try:
        view = _found(saved_views.change(request.user.pk, whole_number(view_id), name=name, query=query))
    except ValidationError as error:
        raise _refused(error) from None
    message = gettext("The view “%(name)s” is saved.") % {"name": view.name}
    return {"ok": True, "message": message, "view": saved_views.payload(view)}


def delete(request: AccountRequest, view_id: str) -> Body:
    view = _found(saved_views.delete(request.user.pk, whole_number(view_id)))
    return {"ok": True, "message": gettext("The view “%(name)s” is deleted.") % {"name": view.name}}


def _texts(body: Body) -> list[str | None]:
    """Name and query, None where one is missing. Raises ApiError 400 for other types: a list is no name."""
    given = [body.get("name"), body.get("query")]
    if not all(value is None or isinstance(value, str) for value in given):
        raise ApiError(400, "bad_request", gettext("Name and query of a view are texts."))
    return given


def _found(view: SavedView | None) -> SavedView:
    if view is None:
        raise ApiError(404, None, gettext("There is no such view."))
    return view


def _refused(error: ValidationError) -> ApiError:
    return ApiError(400, "bad_request", " ".join(error.messages))
