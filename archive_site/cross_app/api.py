"""JSON views whose answers span apps: docs/api.md#reads."""

from typing import Any

from django.core.exceptions import ValidationError
from django.http import HttpResponseBase
from django.utils.translation import gettext

from accounts.api import actor_of, refused
from accounts.reauthentication import recent_password_required
from archive_site.cross_app.account_deletion import delete_account
from archive_site.cross_app.archive_manifest import beyond_the_data
from archive_site.cross_app.archive_manifest import manifest as manifest_of
from archive_site.cross_app.bundle import bundle as bundle_of
from archive_site.cross_app.status import status as status_of
from archive_site.lib.http import parameters
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.json_views import body_of
from archive_site.lib.http.parameters import TRUE_WORDS, truth, whole_number
from usage import etag


def manifest(request: AccountRequest) -> HttpResponseBase:
    user = request.user
    beyond = beyond_the_data(user)
    return etag.answer(request, beyond, lambda: manifest_of(user, beyond))


def bundle(request: AccountRequest) -> HttpResponseBase:
    user, days, most = request.user, parameters.days(request.GET), parameters.clamped(request.GET, "topN", 30, 1000)
    beyond = beyond_the_data(user)
    return etag.answer(request, (days, most, beyond), lambda: bundle_of(user, beyond, days, most))


def status(request: AccountRequest) -> dict[str, Any]:
    return status_of(request.user)


@recent_password_required
def delete_user(request: AccountRequest, user_id: str) -> dict[str, Any]:
    keep_data = truth(body_of(request).get("keep_data"), TRUE_WORDS | {"yes"})
    try:
        user = delete_account(whole_number(user_id), keep_data=keep_data, actor=actor_of(request))
    except ValidationError as error:
        raise refused(error) from None
    if user is None:
        raise ApiError(404, None, gettext("There is no such account."))
    if keep_data:
        words = gettext("%(name)s is deleted; its data stays under the id %(id)s.")
    else:
        words = gettext("%(name)s is deleted with its data.")
    return {"ok": True, "message": words % {"name": user.username, "id": whole_number(user_id)}}
