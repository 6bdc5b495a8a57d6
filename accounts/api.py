"""JSON views of accounts: settings, password, profile, captcha, user management (docs/api.md#accounts)."""

from django.contrib.auth import update_session_auth_hash
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from msgspec import UNSET, UnsetType

from accounts import api_types as types
from accounts import archives, config, settings_change, user_changes
from accounts.actor import actor_of
from accounts.credentials import credential
from accounts.models import User
from accounts.passwords import password_notice, password_warnings
from accounts.signin import captcha, invitations, reauthentication, second_step, sessions
from accounts.signin.device_cookie import device_of
from accounts.signin.forms import throttled_words
from accounts.signin.throttling import TooManyFailures
from accounts.user_changes import public_form
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Done, Items, as_json
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.described import ACCOUNTS, Refusal, described
from archive_site.lib.http.json_views import Body, body_of
from archive_site.lib.http.parameter_parsing import as_text
from archive_site.lib.http.request_types import read
from archive_site.lib.i18n import sentences


@described(ACCOUNTS, "Settings", "Every key with its effective value, without the cookie", answer=types.SETTINGS)
def read_settings(request: AccountRequest) -> Body:
    """GET /api/settings: every key with its effective value, and the caller's permissions; never the cookie."""
    user, archive_id = request.user, archives.first_of(request.user.pk)
    cookie = credential.state(archive_id)
    beside = types.SettingsOf(
        cookie_hint=cookie.hint,
        cookie_broken=cookie.broken,
        global_keys=config.GLOBAL_KEYS,
        user_keys=config.USER_KEYS,
        can_edit_global=user.is_admin,
        can_manage_backups=user.is_admin,
        role=user.role,
    )
    return {**config.effective(archive_id), **as_json(beside)}


@described(
    ACCOUNTS,
    "Settings",
    "Store settings; good keys are stored though others fail",
    body=types.CHANGED_SETTINGS,
    answer=types.StoredSettings,
    errors={**types.INVALID, **types.REAUTHENTICATE},
)
def write_settings(request: AccountRequest) -> types.StoredSettings:
    """POST /api/settings: store a map of keys to values. Raises ApiError 400 `invalid` if any of them failed."""
    user, archive_id = request.user, archives.first_of(request.user.pk)
    if user.is_admin and body_of(request).keys() & set(config.INSTANCE_KEYS):
        reauthentication.require_recent_password(request)
    outcome = settings_change.change(
        user, archive_id, body_of(request), actor=user.username, ip=client_address(request)
    )
    warnings = outcome.warnings or UNSET
    if outcome.errors:
        errors = [str(error) for error in outcome.errors]
        more = types.RefusedSettings(errors, outcome.changed, warnings)
        raise ApiError(400, "invalid", sentences(errors), more=more)
    return types.StoredSettings(True, outcome.changed, outcome.ignored, warnings)


@described(
    ACCOUNTS,
    "Password",
    "Change your own password; the account's other sessions end",
    body=types.OldAndNewPassword,
    answer=types.Warned,
    errors={**types.REFUSED, **types.THROTTLED, **types.REAUTHENTICATE},
)
@reauthentication.recent_password_required
def change_password(request: AccountRequest) -> types.Warned:
    """POST /api/password: this session continues; those of other devices end, and with `end_tokens` all tokens."""
    try:
        given = read(types.OldAndNewPassword, body_of(request))
        device = device_of(request, request.user.username)
        user = user_changes.change_password(
            request.user, given.old, given.new, given.new2, actor_of(request), device, end_tokens=given.end_tokens
        )
    except user_changes.WrongOldPassword as error:
        password_notice.note_wrong(request.session, error.entry)
        raise refused(error) from None
    except ValidationError as error:
        raise refused(error) from None
    except TooManyFailures as error:
        raise throttled(error) from None
    update_session_auth_hash(request, user)
    message = gettext("The password is changed; other devices are signed out.")
    if given.end_tokens:
        message = gettext("The password is changed; other devices are signed out, and all tokens have ended.")
    return types.Warned(True, message, password_warnings.as_field(given.new, user.username))


@described(
    ACCOUNTS,
    "Enter the password again",
    "Enter your own password again, for requests that need a recent one",
    body=types.OwnPassword,
    errors={"400": Refusal("The password or the code is wrong.", types.WrongCode), **types.THROTTLED},
)
def reauthenticate(request: AccountRequest) -> Done:
    """POST /api/reauthenticate: the password of the session's account, for views that require a recent one."""
    try:
        given = read(types.OwnPassword, body_of(request))
        wrong = second_step.give_again(request, given.password, given.code, given.passkey)
    except ValidationError as error:
        raise refused(error) from None
    except TooManyFailures as error:
        raise throttled(error) from None
    if wrong == "password":
        raise ApiError(400, None, gettext("The password is wrong."))
    if wrong:
        raise ApiError(400, None, gettext("The code is wrong or was used before."), field="code")
    return Done(True, gettext("The password is right."))


@described(
    ACCOUNTS,
    "Password",
    "Hide the notice about wrong tries in this session",
    answer=types.Hidden,
)
def dismiss_password_notice(request: AccountRequest) -> types.Hidden:
    """POST /api/password/notice: hide the notice about wrong tries in this session."""
    password_notice.dismiss(request.user.pk, request.session)
    return types.Hidden(True)


@described(ACCOUNTS, "Profile", "Change your own profile", body=types.Profile, errors=types.REFUSED)
def change_profile(request: AccountRequest) -> Done:
    try:
        user_changes.change_profile(request.user, body_of(request), actor_of(request))
    except ValidationError as error:
        raise refused(error) from None
    return Done(True, gettext("The profile is saved."))


@described(ACCOUNTS, "Other sessions", "End every other session of the account")
def end_other_sessions(request: AccountRequest) -> Done:
    """POST /api/sessions/end-others: this session continues; all others of the account end."""
    ended = sessions.end_others(request.user, request.session.session_key, actor_of(request))
    if not ended:
        return Done(True, gettext("There are no other sessions."))
    words = ngettext("%(count)s other session is signed out.", "%(count)s other sessions are signed out.", ended)
    return Done(True, words % {"count": ended})


@described(ACCOUNTS, "Captcha rules", "When the instance asks for a captcha", answer=types.CaptchaRules)
def captcha_rules(request: AccountRequest) -> types.CaptchaRules:
    """POST /api/captcha: the captcha policy of the instance, and the address of the picture."""
    instance = config.instance_settings()
    return types.CaptchaRules(
        policy=instance.captcha_policy,
        length=instance.captcha_length,
        ttl_seconds=captcha.TTL_SECONDS,
        image_url=reverse("captcha"),
        note=gettext("Each picture can be answered once; the answer is not case-sensitive."),
    )


@described(ACCOUNTS, "Users", "All accounts, by id", answer=Items[types.User])
def users(request: AccountRequest) -> Items[types.User]:
    return Items([public_form(user) for user in User.objects.order_by("pk")])


@described(
    ACCOUNTS,
    "Users",
    "Create an account",
    body=types.NewUser,
    answer=types.CreatedUser,
    errors={**types.REFUSED, **types.REAUTHENTICATE},
)
@reauthentication.recent_password_required
def create_user(request: AccountRequest) -> types.CreatedUser:
    try:
        user = user_changes.create(read(types.NewUser, body_of(request)), actor_of(request))
    except ValidationError as error:
        raise refused(error) from None
    message = gettext("%(name)s is created.") % {"name": user.username}
    return types.CreatedUser(True, message, user.pk, _warning(request, user))


@described(
    ACCOUNTS,
    "Change a user",
    "Change an account; all or nothing",
    body=types.ChangedUser,
    answer=types.Warned,
    errors={**types.REFUSED, **types.NO_USER, **types.REAUTHENTICATE},
)
@reauthentication.recent_password_required
def update_user(request: AccountRequest, user_id: int) -> types.Warned:
    try:
        user = user_changes.update(user_id, body_of(request), actor_of(request))
    except ValidationError as error:
        raise refused(error) from None
    if user is None:
        raise ApiError(404, None, gettext("There is no such account."))
    message = gettext("%(name)s is saved.") % {"name": user.username}
    return types.Warned(True, message, _warning(request, user))


@described(
    ACCOUNTS,
    "Invitations",
    "The open invitations, newest first; never their links",
    answer=Items[types.Invitation],
)
def open_invitations(request: AccountRequest) -> Items[types.Invitation]:
    return Items(invitations.open_ones())


@described(
    ACCOUNTS,
    "Invitations",
    "Create a link that creates one ordinary account",
    body=types.Invited,
    answer=types.NewInvitation,
    errors={**types.REFUSED, **types.REAUTHENTICATE},
)
@reauthentication.recent_password_required
def create_invitation(request: AccountRequest) -> types.NewInvitation:
    """POST /api/users/invitations: the only answer that ever holds the link."""
    try:
        created = invitations.create(read(types.Invited, body_of(request)), actor_of(request))
    except ValidationError as error:
        raise refused(error) from None
    return types.NewInvitation(
        ok=True,
        message=gettext("The invitation link is created. It is shown only once."),
        id=created.invitation.pk,
        path=reverse("invitation", args=[created.token]),
        expires_at=clock.local_text(created.invitation.expires_at),
    )


@described(
    ACCOUNTS,
    "Invitations",
    "Revoke an open invitation",
    errors={"404": "No invitation of that id is open."},
)
def revoke_invitation(request: AccountRequest, invitation_id: int) -> Done:
    if invitations.revoke(invitation_id, actor_of(request)) is None:
        raise ApiError(404, None, gettext("There is no such open invitation."))
    return Done(True, gettext("The invitation is revoked."))


def _warning(request: AccountRequest, user: User) -> str | UnsetType:
    """The field `warning` if the request gave the account a password that is easy to guess."""
    password = as_text(body_of(request).get("password"))
    return password_warnings.as_field(password, user.username) if password else UNSET


def refused(error: ValidationError) -> ApiError:
    """400 with the text of the rule; user management and profile have no error code (docs/api.md#errors)."""
    return ApiError(400, None, sentences(error.messages))


def throttled(error: TooManyFailures) -> ApiError:
    return ApiError(429, "too_frequent", throttled_words(error), retry_after=error.retry_after)
