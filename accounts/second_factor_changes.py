"""Changes of an account's second factor, each with its audit entry and a notice to the owner
(docs/decisions/accounts.md#second-factor)."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext, gettext_noop

from accounts import admin_guards
from accounts.actor import Actor
from accounts.models import Passkey, SecondFactor, User
from accounts.notices.beginning_and_end import Cause, Found, settle
from accounts.second_factor import codes, factors, passkeys, recovery
from accounts.signin.sessions import end_others
from archive_site.lib import clock
from archive_site.lib.normal_form import normal_form
from archive_site.lib.stored_message import Message
from audit import log

ACTION, EVENT = "second_factor", "second_factor"
_NO_ANSWER = gettext_noop("The answer is not from a passkey, or it came too late. Try again.")


def confirm_codes(user: User, code: str, actor: Actor, own_session: str | None) -> list[str] | None:
    """Put the codes that were begun in force, and give new recovery codes; None if the code is wrong.

    With the first factor of an account its sessions end, but `own_session`: they were opened without one.
    """
    with transaction.atomic():
        if not codes.confirm(user.pk, code):
            return None
        _put_in_force(user, actor, own_session)
        _record(user, actor, Message("factor_codes_set"))
        return recovery.renew(user.pk)


def remove_codes(user: User, actor: Actor) -> None:
    """Remove the codes. Raises ValidationError where there are none, or where they are the last factor that is
    required."""
    with transaction.atomic():
        _lock(user)
        has = factors.of_account(user.pk)
        if not has.has_codes:
            raise ValidationError(gettext("There are no codes to remove."))
        _require_another(user, is_last=not has.passkeys)
        codes.remove(user.pk)
        factors.forget_recovery_without_factor(user)
        _record(user, actor, Message("factor_codes_removed"))


def renew_recovery(user: User, actor: Actor) -> list[str]:
    """New recovery codes instead of all others. Raises ValidationError for an account without a factor."""
    with transaction.atomic():
        _lock(user)
        if factors.settled(user) != User.HAS_FACTOR:
            raise ValidationError(gettext("Set up a code or a passkey first."))
        _record(user, actor, Message("recovery_codes_renewed"))
        return recovery.renew(user.pk)


def add_passkey(
    user: User,
    name: object,
    asked: Mapping[str, Any] | None,
    answer: object,
    actor: Actor,
    own_session: str | None,
) -> tuple[Passkey, list[str]]:
    """Store the passkey that a browser has made, with recovery codes if the account has none. Sessions end as in
    `confirm_codes`.

    Raises ValidationError.
    """
    from accounts.second_factor import webauthn

    named = _passkey_name(name)
    if asked is None or not isinstance(answer, dict):
        raise ValidationError(gettext(_NO_ANSWER))
    with transaction.atomic():
        _lock(user)
        if Passkey.objects.filter(user_id=user.pk).count() >= passkeys.MOST:
            words = gettext("An account can have at most %(most)s passkeys. Remove some first.")
            raise ValidationError(words % {"most": passkeys.MOST})
        try:
            passkey = webauthn.store(user.pk, named, dict(asked), answer)
        except passkeys.WrongAnswer:
            raise ValidationError(gettext(_NO_ANSWER)) from None
        _put_in_force(user, actor, own_session)
        _record(user, actor, Message("passkey_added", name=passkey.name))
        return passkey, [] if recovery.left(user.pk) else recovery.renew(user.pk)


def remove_passkey(user: User, passkey_id: int, actor: Actor) -> Passkey | None:
    """Remove a passkey; None where the account has no such. Raises ValidationError as `remove_codes` does."""
    with transaction.atomic():
        _lock(user)
        passkey = Passkey.objects.filter(user_id=user.pk, pk=passkey_id).first()
        if passkey is None:
            return None
        has = factors.of_account(user.pk)
        _require_another(user, is_last=not has.has_codes and len(has.passkeys) == 1)
        Passkey.objects.filter(pk=passkey.pk).delete()
        factors.forget_recovery_without_factor(user)
        _record(user, actor, Message("passkey_removed", name=passkey.name))
    return passkey


def let_passkeys_alone(user: User, is_on: bool, actor: Actor) -> None:
    """Choose whether a passkey signs in without the password."""
    with transaction.atomic():
        _lock(user)
        if factors.of_account(user.pk).passkeys_alone == is_on:
            return
        SecondFactor.objects.update_or_create(user_id=user.pk, defaults={"passkeys_alone": is_on})
        _record(user, actor, Message("passkeys_alone") if is_on else Message("passkeys_not_alone"))


def reset(user_id: int, actor: Actor) -> User | None:
    """Remove all factors of an account, whose owner has lost them, and end its sessions, of which somebody else may
    have one; None for an unknown id."""
    with transaction.atomic():
        admin_guards.begin_change(actor.user_id)
        user = User.objects.select_for_update().filter(pk=user_id).first()
        if user is None:
            return None
        if user.pk == actor.user_id:
            raise ValidationError(gettext("Change your own second factor on your profile."))
        if not factors.remove_all(user.pk):
            raise ValidationError(gettext("%(name)s has no second factor.") % {"name": user.username})
        end_others(user, None, actor)
        # Also those that a process holds while the disk is full.
        User.objects.filter(pk=user.pk).update(session_version=F("session_version") + 1)
        _record(user, actor, Message("second_factor_reset", name=user.username), Message("notice_second_factor_reset"))
    return user


def _lock(user: User) -> None:
    """One change of an account's factors at a time: of two removals at once, one is of the last factor."""
    User.objects.select_for_update().filter(pk=user.pk).first()


def _put_in_force(user: User, actor: Actor, own_session: str | None) -> None:
    before = User.objects.values_list("second_factor", flat=True).get(pk=user.pk)
    if factors.settled(user) != before:
        end_others(user, own_session, actor)


def _require_another(user: User, *, is_last: bool) -> None:
    if is_last and factors.is_required_of(user):
        raise ValidationError(gettext("This instance requires a second factor: set up another one first."))


def _record(user: User, actor: Actor, detail: Message, notice: Message | None = None) -> None:
    log.record(ACTION, actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    text = notice or Message("notice_second_factor_changed", what=detail)
    settle(user.pk, Found([Cause(EVENT, clock.now().isoformat(), text, is_news=True)], ()))


def _passkey_name(given: object) -> str:
    name = " ".join(normal_form("NFC", given).split()) if isinstance(given, str) else ""
    if not name or len(name) > Passkey.NAME_LENGTH or not name.isprintable():
        words = gettext("A passkey needs a name of at most %(most)s characters.")
        raise ValidationError(words % {"most": Passkey.NAME_LENGTH})
    return name
