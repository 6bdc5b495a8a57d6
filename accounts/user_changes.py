"""Changes of accounts, by administrators and by their owners (docs/api.md#accounts)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from accounts import admin_guards, api_types
from accounts.account_creation import clean_display_name, clean_email, clean_password, create_account
from accounts.actor import Actor
from accounts.delivery import outbox
from accounts.delivery.events import EVENTS_OF_ADMINS
from accounts.language_and_theme import clean_language, clean_theme
from accounts.models import ApiToken, User
from accounts.notices import beginning_and_end
from accounts.passwords import password_notice
from accounts.second_factor import factors
from accounts.signin.throttling import count_try
from archive_site.lib import clock
from archive_site.lib.http.parameter_parsing import given_text, truth
from archive_site.lib.stored_message import Message
from audit import log

ACTIVE_WORDS = frozenset({"active", "1", "true", "on"})


@dataclass
class _Change:
    """The fields of one account that change, and a message for each."""

    user: User
    done: list[Message] = field(default_factory=list)
    asked: bool = False

    def set(self, name: str, value: object, message: Message) -> None:
        """Set a field, and keep the message if the value differs from before."""
        self.asked = True
        if getattr(self.user, name) != value:
            setattr(self.user, name, value)
            self.done.append(message)

    def end_tokens(self) -> None:
        """End the account's tokens, and keep a message if it had any."""
        ended, _ = ApiToken.objects.filter(user_id=self.user.pk).delete()
        if ended:
            self.done.append(Message("tokens_ended", count=ended))

    @property
    def messages(self) -> list[Message]:
        return self.done or [Message("nothing_changed")]


def create(given: api_types.NewUser, actor: Actor) -> User:
    """Create an account, with its audit entry. Raises ValidationError."""
    with transaction.atomic():
        admin_guards.begin_change(actor.user_id)
        user = create_account(
            given.username,
            given.password,
            given.password2,
            display_name=given.display_name,
            email=given.email or "",
            is_admin=given.is_admin,
        )
        about = {"name": user.username}
        detail = Message("administrator_created", **about) if user.is_admin else Message("user_created", **about)
        log.record("user_create", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    return user


def update(user_id: int, body: Mapping[str, object], actor: Actor) -> User | None:
    """Change the given fields of an account, all or none, with an audit entry; None for an unknown id.

    Raises ValidationError if no field is given, a value is invalid, or a guard forbids it (docs/api.md#change-a-user).
    """
    with transaction.atomic():
        admin_guards.begin_change(actor.user_id)
        user = User.objects.select_for_update().filter(pk=user_id).first()
        if user is None:
            return None
        change = _Change(user)
        _apply(change, {key: value for key, value in body.items() if value is not None or key == "email"}, actor)
        if not change.asked:
            raise ValidationError(gettext("There is nothing to change."))
        user.save()
        if "is_admin" in body:
            factors.settled(user)
        detail = Message("user_changed", name=user.username, changes=change.messages)
        log.record("user_update", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    return user


def _apply(change: _Change, body: Mapping[str, Any], actor: Actor) -> None:
    _apply_texts(change, body)
    if "is_admin" in body:
        _apply_role(change, truth(body["is_admin"]), actor)
    if "status" in body:
        _apply_status(change, truth(body["status"], ACTIVE_WORDS), actor)
    if password := given_text(body, "password"):
        password = clean_password(password, given_text(body, "password2"), change.user.username)
        change.user.set_password(password)
        change.set("session_version", change.user.session_version + 1, Message("password_reset"))
        change.end_tokens()


def _apply_texts(change: _Change, body: Mapping[str, Any]) -> None:
    if "display_name" in body:
        name = clean_display_name(given_text(body, "display_name"), change.user.username)
        change.set("display_name", name, Message("display_name"))
    if "email" in body:
        change.set("email", clean_email(given_text(body, "email")), Message("email"))


def _apply_role(change: _Change, is_admin: bool, actor: Actor) -> None:
    if change.user.is_admin and not is_admin:
        admin_guards.require_may_demote(change.user, actor.user_id)
        beginning_and_end.drop_open(change.user.pk, EVENTS_OF_ADMINS)
    change.set("is_admin", is_admin, Message("administrator") if is_admin else Message("no_administrator"))


def _apply_status(change: _Change, active: bool, actor: Actor) -> None:
    if active:
        change.set("status", User.ACTIVE, Message("active"))
        return
    if change.user.is_active or change.user.pk == actor.user_id:
        admin_guards.require_may_disable(change.user, actor.user_id)
    change.user.session_version += 1
    outbox.drop_waiting(change.user.pk)
    change.set("status", User.DISABLED, Message("disabled"))
    change.end_tokens()


def change_profile(user: User, body: Mapping[str, object], actor: Actor) -> User:
    """Change the caller's name shown, email, language or theme, with an audit entry; null counts as not given.

    Raises ValidationError (docs/api.md#profile).
    """
    body = {key: value for key, value in body.items() if value is not None}
    with transaction.atomic():
        own = User.objects.select_for_update().get(pk=user.pk)
        change = _Change(own)
        _apply_texts(change, body)
        if "language" in body:
            change.set("language", clean_language(given_text(body, "language")), Message("language"))
        if "theme" in body:
            change.set("theme", clean_theme(given_text(body, "theme")), Message("theme"))
        if not change.asked:
            raise ValidationError(gettext("There is nothing to change: give display_name or email."))
        own.save()
        detail = Message("profile_changed", changes=change.messages)
        log.record("profile", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    return own


class WrongOldPassword(ValidationError):
    """`entry` is the audit entry of the try; None where it was only counted."""

    def __init__(self, entry: int | None):
        super().__init__(gettext("The old password is wrong."))
        self.entry = entry


def change_password(
    user: User, old: str, new: str, repeated: str, actor: Actor, device: str = "", *, end_tokens: bool = False
) -> User:
    """Change the caller's password and end all sessions, and its tokens if asked.

    A wrong `old` is a failed sign-in, with an audit entry.

    Raises ValidationError, WrongOldPassword and TooManyFailures (docs/api.md#password).
    """
    attempt = count_try(user.username, actor.ip, device)
    with transaction.atomic():
        own = User.objects.select_for_update().get(pk=user.pk)
        if own.has_password(old):
            attempt.succeeded()
            own.set_password(clean_password(new, repeated, own.username))
            own.session_version += 1
            own.save()
            ended = ApiToken.objects.filter(user_id=own.pk).delete()[0] if end_tokens else 0
            detail = Message("tokens_ended", count=ended) if ended else ""
            log.record(password_notice.CHANGED, actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
            return own
        entry = log.record(password_notice.FAILED, actor=actor.name, user_id=actor.user_id, ip=actor.ip)
    raise WrongOldPassword(entry)


def public_form(user: User) -> api_types.User:
    """An account as the API shows it, without the hash of its password (docs/api.md#user)."""
    return api_types.User(
        id=user.pk,
        username=user.username,
        display_name=user.display_name,
        email=user.email,
        is_admin=user.is_admin,
        status=user.status,
        created_at=clock.local_text(user.created_at),
        register_ip=user.register_ip,
        last_login_at=clock.local_text(user.last_login_at),
        last_login_ip=user.last_login_ip,
        login_count=user.login_count,
    )
