"""Personal tokens of accounts: created, found, revoked (docs/api.md#tokens, docs/decisions/accounts.md#tokens).

A row is a token that was not revoked. It goes with its account.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from accounts import api_types
from accounts.actor import Actor
from accounts.models import ApiToken, User
from accounts.tokens import token_text
from accounts.tokens.token_text import hash_of
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import SCOPES
from archive_site.lib.locks import write_freeze
from archive_site.lib.normal_form import normal_form
from archive_site.lib.storage import disk_space
from archive_site.lib.storage.writes_left_out import left_out_if_busy
from archive_site.lib.stored_message import Message
from audit import log

MOST_TOKENS = 50
MOST_DAYS = 3650
# The last use is stored to the minute.
_USE_NOTED_AFTER = timedelta(minutes=1)
# An ended token is listed for so long, so that its owner sees why a program does not work any more.
_LISTED_AFTER_END = timedelta(days=30)


def find(text: str) -> ApiToken | None:
    """The token in force with this text, of an active account."""
    if not token_text.is_well_formed(text):
        return None
    found = ApiToken.objects.select_related("user").filter(token_hash=hash_of(text)).first()
    return found if found and not found.has_ended and found.user.is_active else None


def note_use(token: ApiToken) -> None:
    """Store that the token is used now, at most once a minute; left out while the store cannot be written."""
    now = clock.now()
    past, ahead = now - _USE_NOTED_AFTER, now
    if token.last_used_at and past < token.last_used_at <= ahead:
        return
    # Of several requests at once one writes. A use that lies ahead comes from a clock that was wrong.
    old = Q(last_used_at=None) | Q(last_used_at__lte=past) | Q(last_used_at__gt=ahead)
    full = disk_space.left_out_if_full("the last use of a token")
    with suppress(ApiError), write_freeze.writing(), full, left_out_if_busy():
        ApiToken.objects.filter(old, pk=token.pk).update(last_used_at=now)


def tokens_of(user_id: int) -> list[ApiToken]:
    """The tokens of an account, the newest first."""
    return list(ApiToken.objects.filter(user_id=user_id).order_by("-pk"))


def payload(token: ApiToken) -> api_types.Token:
    """A token as the API shows it; never its text: the store has a hash only."""
    return api_types.Token(
        id=token.pk,
        name=token.name,
        scopes=token.scope_list,
        beginning=token.beginning,
        created_at=clock.local_text(token.created_at),
        expires_at=clock.local_text(token.expires_at),
        last_used_at=clock.local_text(token.last_used_at),
    )


def create(user: User, body: Mapping[str, object], actor: Actor) -> tuple[ApiToken, str]:
    """Create a token from a request's body, with its audit entry: the token and its text, which is stored nowhere.

    Raises ValidationError, and ApiError 401 if the account was disabled or got another password meanwhile.
    """
    name, scopes, days = _name(body.get("name")), _scopes(body.get("scopes")), _days(body.get("days"))
    text, now = token_text.new_text(), clock.now()
    with transaction.atomic():
        # What ends tokens changes this row, so none that is created meanwhile is left over.
        in_force = User.objects.filter(status=User.ACTIVE, session_version=user.session_version)
        if not in_force.select_for_update().filter(pk=user.pk).first():
            raise ApiError(401, "unauthorized", gettext("Sign in first."))
        if ApiToken.objects.filter(user_id=user.pk).count() >= MOST_TOKENS:
            words = gettext("An account can have at most %(most)s tokens. Revoke some first.")
            raise ValidationError(words % {"most": MOST_TOKENS})
        token = ApiToken.objects.create(
            user_id=user.pk,
            name=name,
            scopes=" ".join(scopes),
            beginning=token_text.beginning_of(text),
            token_hash=hash_of(text),
            created_at=now,
            expires_at=now + timedelta(days=days) if days else None,
        )
        _record("token_create", token, actor)
    return token, text


def revoke(user_id: int, token_id: int, actor: Actor) -> ApiToken | None:
    """Revoke a token, with its audit entry; None where the account has no such token."""
    with transaction.atomic():
        token = ApiToken.objects.select_for_update().filter(user_id=user_id, pk=token_id).first()
        if token is None:
            return None
        _record("token_revoke", token, actor)
        ApiToken.objects.filter(pk=token.pk).delete()
    return token


def delete_long_ended() -> int:
    """Delete tokens that ended a month ago; gives their number."""
    deleted, _ = ApiToken.objects.filter(expires_at__lte=clock.now() - _LISTED_AFTER_END).delete()
    return deleted


def _name(given: object) -> str:
    name = " ".join(normal_form("NFC", given).split()) if isinstance(given, str) else ""
    if not name or len(name) > ApiToken.NAME_LENGTH:
        words = gettext("A token needs a name of at most %(most)s characters.")
        raise ValidationError(words % {"most": ApiToken.NAME_LENGTH})
    if not name.isprintable():
        raise ValidationError(gettext("The name of a token cannot have control characters."))
    return name


def _scopes(given: object) -> list[str]:
    """The scopes, each once and in their order. Raises ValidationError."""
    if not isinstance(given, list) or not given or not all(scope in SCOPES for scope in given):
        words = gettext("A token needs scopes: a list of one or more of %(scopes)s.")
        raise ValidationError(words % {"scopes": ", ".join(SCOPES)})
    return [scope for scope in SCOPES if scope in given]


def _days(days: object) -> int | None:
    """How many days a token lasts; None for one without an end. Raises ValidationError."""
    if days is None:
        return None
    # In Python, true is a number.
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= MOST_DAYS:
        words = gettext("The days of a token are a whole number from 1 to %(most)s, or left out.")
        raise ValidationError(words % {"most": MOST_DAYS})
    return days


def _record(action: str, token: ApiToken, actor: Actor) -> None:
    detail = Message("token", id=token.pk, name=token.name, scopes=token.scope_list)
    log.record(action, actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
