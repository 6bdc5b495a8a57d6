"""The JSON views of saved views (docs/api.md#saved-views)."""

from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.json_views import Body, body_of
from archive_site.lib.http.parameters import as_text, whole_number
from usage import saved_views
from usage.models import SavedView


def views(request: AccountRequest) -> Body:
    return {"items": [saved_views.payload(view) for view in saved_views.views_of(request.user.pk)]}


def create(request: AccountRequest) -> Body:
    body = body_of(request)
    try:
        view = saved_views.create(request.user.pk, as_text(body.get("name")), as_text(body.get("query")))
    except ValidationError as error:
        raise _refused(error) from None
    message = gettext("The view “%(name)s” is saved.") % {"name": view.name}
    return {"ok": True, "message": message, "view": saved_views.payload(view)}


def change(request: AccountRequest, view_id: str) -> Body:
    body = body_of(request)
    name, query = (None if body.get(key) is None else as_text(body[key]) for key in ("name", "query"))
    try:
        view = _found(saved_views.change(request.user.pk, whole_number(view_id), name=name, query=query))
    except ValidationError as error:
        raise _refused(error) from None
    message = gettext("The view “%(name)s” is saved.") % {"name": view.name}
    return {"ok": True, "message": message, "view": saved_views.payload(view)}


def delete(request: AccountRequest, view_id: str) -> Body:
    view = _found(saved_views.delete(request.user.pk, whole_number(view_id)))
    return {"ok": True, "message": gettext("The view “%(name)s” is deleted.") % {"name": view.name}}


def _found(view: SavedView | None) -> SavedView:
    if view is None:
        raise ApiError(404, None, gettext("There is no such view."))
    return view


def _refused(error: ValidationError) -> ApiError:
    return ApiError(400, "bad_request", " ".join(error.messages))
