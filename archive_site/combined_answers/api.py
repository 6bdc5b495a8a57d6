"""JSON views whose answers span apps: docs/api.md#reads."""

from typing import Annotated, Any, Literal

from django.contrib.auth import logout
from django.core.exceptions import ValidationError
from django.http import HttpResponseBase
from django.utils.translation import gettext

from accounts import archives
from accounts.actor import actor_of
from accounts.api import refused, throttled
from accounts.api_types import NO_USER, REAUTHENTICATE, REAUTHENTICATE_WITH_CODE, THROTTLED
from accounts.models import username_key
from accounts.signin.reauthentication import give_password, recent_password_required, require_proof
from accounts.signin.second_step import require_recent_factor
from accounts.signin.throttling import TooManyFailures
from archive_site.account_deletion import delete_account
from archive_site.combined_answers.archive_manifest import Manifest, beyond_the_data
from archive_site.combined_answers.archive_manifest import manifest as manifest_of
from archive_site.combined_answers.bundle import BUNDLE
from archive_site.combined_answers.bundle import bundle as bundle_of
from archive_site.combined_answers.status import Status
from archive_site.combined_answers.status import status as status_of
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Answer, Done, Given, about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import ACCOUNTS, COLLECTION, READS, described
from archive_site.lib.http.json_views import JsonText, body_of
from archive_site.lib.http.openapi import document_json
from archive_site.lib.http.parameter_parsing import TRUE_WORDS, truth
from archive_site.lib.http.request_types import Parameter, clamped, read
from archive_site.lib.http.span_of_days import BAD_DAY, OfDays
from usage import etag


@described(READS, "Manifest", "What the archive is", answer=Manifest, is_conditional=True)
def manifest(request: AccountRequest) -> HttpResponseBase:
    archive_id = archives.of_request(request)
    beyond = beyond_the_data(request.user, archive_id)
    measured = archives.is_named(request)
    return etag.answer(request, beyond, lambda: manifest_of(archive_id, beyond, measured=measured))


class OfBundle(OfDays, frozen=True, rename={"most": "topN"}):
    most: Annotated[int, clamped(30, 1000), about("how many of the most expensive records")]


@described(READS, "Bundle", "All of a period in one answer", answer=BUNDLE, errors=BAD_DAY, is_conditional=True)
def bundle(request: AccountRequest, query: OfBundle) -> HttpResponseBase:
    archive_id, days, most = archives.of_request(request), query.days, query.most
    measured = archives.is_named(request)
    beyond = beyond_the_data(request.user, archive_id)
    return etag.answer(
        request, (days, most, beyond), lambda: bundle_of(archive_id, beyond, days, most, measured=measured)
    )


@described(COLLECTION, "Status", "The state of the instance, and of the account's collection")
def status(request: AccountRequest) -> Status:
    return status_of(request.user, archives.of_request(request))


class OpenApiDocument(Answer, frozen=True):
    openapi: Literal["3.1.0"]
    info: dict[str, Any]
    paths: dict[str, Any]
    components: dict[str, Any]
    servers: list[dict[str, Any]]
    tags: list[dict[str, Any]]


@described(
    READS,
    "OpenAPI description",
    "This description of the API",
    answer=OpenApiDocument,
    is_conditional=True,
)
def openapi(request: AccountRequest) -> HttpResponseBase:
    return etag.answer(request, (), lambda: JsonText(document_json()))


_IF_YES = Parameter(lambda values, name: truth(values.get(name), TRUE_WORDS | {"yes"}))


class DeletedUser(Given, frozen=True):
    keep_data: Annotated[bool, _IF_YES, about("whether records, runs and settings stay")] = False


@described(
    ACCOUNTS,
    "Delete a user",
    "Delete an account, and its data unless they are kept",
    body=DeletedUser,
    errors={"400": "It is your own account, the only one, or the last administrator.", **NO_USER, **REAUTHENTICATE},
)
@recent_password_required
def delete_user(request: AccountRequest, user_id: int) -> Done:
    keep_data = read(DeletedUser, body_of(request)).keep_data
    try:
        user = delete_account(user_id, keep_data=keep_data, actor=actor_of(request))
    except ValidationError as error:
        raise refused(error) from None
    if user is None:
        raise ApiError(404, None, gettext("There is no such account."))
    if keep_data:
        words = gettext("%(name)s is deleted; its data stays under the id %(id)s.")
    else:
        words = gettext("%(name)s is deleted with its data.")
    return Done(True, words % {"name": user.username, "id": user_id})


class OwnAccount(Given, frozen=True):
    username: Annotated[str, about("your own, to confirm")]
    password: Annotated[str, about("may be empty for an account that has proved elsewhere who it is")]


@described(
    ACCOUNTS,
    "Delete your own account",
    "Delete your own account with all its data",
    body=OwnAccount,
    errors={
        "400": "The name or the password is wrong, or it is the only account or the last administrator.",
        **REAUTHENTICATE_WITH_CODE,
        **THROTTLED,
    },
)
def delete_own_account(request: AccountRequest) -> Done:
    """POST /api/account/delete: the session ends with it."""
    require_recent_factor(request)
    given, user = read(OwnAccount, body_of(request)), request.user
    if username_key(given.username.strip()) != username_key(user.username):
        raise ApiError(400, None, gettext("Type %(name)s to delete this account.") % {"name": user.username})
    try:
        if not user.has_usable_password():
            require_proof(request)
        elif not give_password(request, given.password):
            raise ApiError(400, None, gettext("The password is wrong."))
        delete_account(user.pk, keep_data=False, actor=actor_of(request), by_owner=True)
    except TooManyFailures as error:
        raise throttled(error) from None
    except ValidationError as error:
        raise refused(error) from None
    logout(request)
    return Done(True, gettext("Your account is deleted with its data."))
