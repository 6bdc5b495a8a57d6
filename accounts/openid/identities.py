"""The persons at the provider that accounts belong to, by issuer and subject alone
(docs/decisions/accounts.md#sign-in-elsewhere)."""

import re

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from accounts import admin_guards
from accounts.account_creation import NameTaken, clean_display_name, clean_username, create_account
from accounts.actor import Actor
from accounts.models import ExternalIdentity, User
from accounts.notices.beginning_and_end import Cause, Found, settle
from accounts.openid.person import Person, configured
from accounts.second_factor import factors
from accounts.signin.signin import is_emergency_administrator
from archive_site.lib import clock
from archive_site.lib.normal_form import normal_form
from archive_site.lib.stored_message import Message
from audit import log

ACTION, EVENT = "identity", "second_factor"
SUBJECT_LENGTH = 255
_NOT_IN_A_NAME = re.compile(r"[^\w.-]+")
_MOST_TRIES = 100
# Where the provider has no name that can be a user name here.
_USUAL_NAME = "user"


class PersonTaken(ValidationError):
    """Another account belongs to the person."""


def of_account(user_id: int) -> ExternalIdentity | None:
    """The person at the provider to whom an account belongs; one of an issuer of before is none."""
    return ExternalIdentity.objects.filter(user_id=user_id, issuer=configured().issuer).first()


def subjects() -> dict[int, str]:
    """The subjects of all accounts that belong to somebody at the provider."""
    return dict(ExternalIdentity.objects.filter(issuer=configured().issuer).values_list("user_id", "subject"))


def account_of(person: Person) -> User | None:
    """The account that belongs to a person, as an administrator or not as the provider says."""
    found = ExternalIdentity.objects.select_related("user").filter(issuer=person.issuer, subject=person.subject).first()
    if found is None:
        return None
    ExternalIdentity.objects.filter(pk=found.pk).update(last_used_at=clock.now())
    if found.user.is_active:
        _take_role(found.user, person)
    return found.user


def link(user: User, issuer: str, subject: str, actor: Actor) -> None:
    """Let an account belong to a person, and to no other. Raises PersonTaken where another account does."""
    try:
        with transaction.atomic():
            new = {"issuer": issuer, "subject": subject, "created_at": clock.now(), "last_used_at": None}
            ExternalIdentity.objects.update_or_create(user_id=user.pk, defaults=new)
            _record(user, actor, Message("identity_linked", name=user.username))
    except IntegrityError:
        raise PersonTaken(gettext("Another account belongs to this person already.")) from None


def unlink(user: User, actor: Actor) -> None:
    """Remove the sign-in elsewhere of an account. Raises ValidationError where it has none, or no other."""
    with transaction.atomic():
        if not ExternalIdentity.objects.filter(user_id=user.pk).delete()[0]:
            raise ValidationError(gettext("%(name)s has no sign-in elsewhere.") % {"name": user.username})
        if user.pk == actor.user_id and not user.has_usable_password():
            raise ValidationError(gettext("Your account has no password, so it needs the sign-in elsewhere."))
        _record(user, actor, Message("identity_unlinked", name=user.username))


def set_by_administrator(user_id: int, subject: str, actor: Actor) -> User | None:
    """Let an account belong to the person of this subject, or remove its sign-in elsewhere where it is empty; None for
    an unknown id.

    Raises ValidationError, and PermissionDenied for who is no administrator any more.
    """
    wanted = subject.strip()
    if len(wanted) > SUBJECT_LENGTH or not wanted.isprintable():
        raise ValidationError(gettext("A subject has at most %(most)s characters.") % {"most": SUBJECT_LENGTH})
    with transaction.atomic():
        admin_guards.begin_change(actor.user_id)
        user = User.objects.filter(pk=user_id).first()
        if user is None:
            return None
        if user.pk == actor.user_id:
            raise ValidationError(gettext("Change your own sign-in elsewhere on your profile."))
        if wanted:
            link(user, configured().issuer, wanted, actor)
        else:
            unlink(user, actor)
    return user


def created_for(person: Person, ip: str) -> User:
    """A new account of a person, without a password; the one that they got by another sign-in meanwhile. Raises
    ValidationError where it gets no name."""
    wanted, shown = _user_name(person), _shown_name(person)
    for number in range(1, _MOST_TRIES):
        name = wanted if number == 1 else f"{wanted}{number}"
        try:
            with transaction.atomic():
                user = create_account(name, None, None, display_name=shown)
                log.record("register", actor=user.username, user_id=user.pk, ip=ip)
                link(user, person.issuer, person.subject, Actor(user.username, user.pk, ip))
                _take_role(user, person)
            return user
        except NameTaken:
            continue
        except PersonTaken:
            found = account_of(person)
            if found is None:
                raise
            return found
    raise ValidationError(gettext("There is no free user name for this person."))


def _user_name(person: Person) -> str:
    """What the provider calls a person, as far as it can be a user name with a number behind it."""
    given = normal_form("NFKC", str(person.claims.get("preferred_username") or ""))
    try:
        return clean_username(_NOT_IN_A_NAME.sub(".", given).strip("._-")[:28])
    except ValidationError:
        return _USUAL_NAME


def _shown_name(person: Person) -> str:
    """The name of a person to be shown; empty where it cannot be."""
    try:
        return clean_display_name(str(person.claims.get("name") or ""), "")
    except ValidationError:
        return ""


def _take_role(user: User, person: Person) -> None:
    """Make an administrator of whom the provider calls one, and an ordinary account of whom it does not any more: not
    of the last one, nor of the one who may sign in with a password alone."""
    if not configured().admin_claim:
        return
    given = person.claims.get(configured().admin_claim)
    is_admin = configured().admin_value in (given if isinstance(given, list) else [given])
    if user.is_admin == is_admin or is_emergency_administrator(user.username):
        return
    with transaction.atomic():
        admin_guards.begin_change(None)
        if not is_admin:
            try:
                admin_guards.require_may_demote(user, None)
            except ValidationError:
                return
        User.objects.filter(pk=user.pk).update(is_admin=is_admin)
        user.is_admin = is_admin
        factors.settled(user)
        change = Message("administrator") if is_admin else Message("no_administrator")
        detail = Message("user_changed", name=user.username, changes=[change])
        log.record("user_update", actor=user.username, user_id=user.pk, detail=detail)


def _record(user: User, actor: Actor, detail: Message) -> None:
    log.record(ACTION, actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    text = Message("notice_identity_changed", what=detail)
    settle(user.pk, Found([Cause(EVENT, clock.now().isoformat(), text, is_news=True)], ()))
