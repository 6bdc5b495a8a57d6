"""The JSON views of saved views (docs/api.md#saved-views)."""

from django.utils.translation import gettext

from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Done, Items
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import CHOICES, described
from archive_site.lib.http.json_views import Body, body_of
from usage.api_types import ChangedView, NewView, StoredView, View
from usage.models import SavedView
from usage.saved_views import stored_views

_REFUSED = {"400 bad_request": "A name or filters that are not accepted, or 50 views are there."}
_MISSING = {"404": "There is no such view."}


@described(CHOICES, "Saved views", "The saved views of the account, by name", answer=Items[View])
def views(request: AccountRequest) -> Items[View]:
    return Items([stored_views.payload(view) for view in stored_views.views_of(request.user.pk)])


@described(CHOICES, "Saved views", "Store a view", body=NewView, errors=_REFUSED)
def create(request: AccountRequest) -> StoredView:
    name, query = _texts(body_of(request))
    view = stored_views.create(request.user.pk, name or "", query or "")
    message = gettext("The view “%(name)s” is saved.") % {"name": view.name}
    return StoredView(True, message, stored_views.payload(view))


@described(
    CHOICES,
    "Saved views",
    "Change the name or the filters of a view",
    body=ChangedView,
    errors=_REFUSED | _MISSING,
)
def change(request: AccountRequest, view_id: int) -> StoredView:
    name, query = _texts(body_of(request))
    view = _found(stored_views.change(request.user.pk, view_id, name=name, query=query))
    message = gettext("The view “%(name)s” is saved.") % {"name": view.name}
    return StoredView(True, message, stored_views.payload(view))


@described(CHOICES, "Saved views", "Delete a view", errors=_MISSING)
def delete(request: AccountRequest, view_id: int) -> Done:
    view = _found(stored_views.delete(request.user.pk, view_id))
    return Done(True, gettext("The view “%(name)s” is deleted.") % {"name": view.name})


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
