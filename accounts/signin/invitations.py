"""Invitation links: an administrator creates one, and it creates one ordinary account.

The rules: docs/decisions/accounts.md#invitations.

A row is an open link. Using, revoking and expiring delete it, so a link that is used up is like one that never was.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext

from accounts import admin_guards, api_types
from accounts.account_creation import clean_display_name, clean_username, create_account, require_unlike_others
from accounts.actor import Actor
from accounts.models import Invitation, User, username_key
from accounts.tokens.token_text import hash_of, new_link_token
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from audit import log

LIFETIME = timedelta(days=7)
MOST_OPEN = 100


class InvitationClosed(Exception):
    """The link is unknown, used, revoked or expired, or its creator is no administrator any more."""


@dataclass(frozen=True)
class CreatedInvitation:
    invitation: Invitation
    token: str


def create(given: api_types.Invited, actor: Actor) -> CreatedInvitation:
    """Create a link, with its audit entry. Raises ValidationError.

    The token is in what is returned and nowhere else.
    """
    # The command line creates no links.
    assert actor.user_id is not None
    token = new_link_token()
    with transaction.atomic():
        admin_guards.begin_change(actor.user_id)
        now = clock.now()
        invitation = Invitation(
            token_hash=hash_of(token),
            username=_free_username(given.username.strip()),
            display_name=clean_display_name(given.display_name, ""),
            created_by=actor.user_id,
            created_at=now,
            expires_at=now + LIFETIME,
        )
        if _open().count() >= MOST_OPEN:
            words = gettext("There are %(most)s open invitations. Revoke some first.")
            raise ValidationError(words % {"most": MOST_OPEN})
        invitation.save(force_insert=True)
        _record("invitation_create", invitation, actor)
    return CreatedInvitation(invitation, token)


def find(token: str) -> Invitation | None:
    """The open invitation of a link."""
    return _open().filter(token_hash=hash_of(token)).first()


def use(token: str, fields: Mapping[str, str], ip: str) -> User:
    """Create the account and use the link up. Raises InvitationClosed; and ValidationError, then the link stays open.

    Of two at once, one creates an account: the row is locked from the look at it until it is deleted.
    """
    with transaction.atomic():
        invitation = _open().select_for_update().filter(token_hash=hash_of(token)).first()
        if invitation is None:
            raise InvitationClosed
        user = create_account(
            invitation.username or fields["username"],
            fields["password"],
            fields["password2"],
            display_name=fields.get("display_name", ""),
            email=fields.get("email", ""),
        )
        _record("invitation_use", invitation, Actor(user.username, user.pk, ip))
        invitation.delete()
    return user


def revoke(invitation_id: int, actor: Actor) -> Invitation | None:
    """Revoke an open link, with its audit entry; None if there is none of that id."""
    with transaction.atomic():
        admin_guards.begin_change(actor.user_id)
        invitation = _open().select_for_update().filter(pk=invitation_id).first()
        if invitation is None:
            return None
        _record("invitation_revoke", invitation, actor)
        invitation.delete()
    return invitation


def open_ones() -> list[api_types.Invitation]:
    """The open invitations as the API shows them, the newest first; never the token or its hash."""
    found = list(_open().order_by("-pk"))
    names = dict(User.objects.filter(pk__in={each.created_by for each in found}).values_list("pk", "username"))
    return [
        api_types.Invitation(
            id=each.pk,
            username=each.username or None,
            display_name=each.display_name or None,
            created_by=names.get(each.created_by, ""),
            created_at=clock.local_text(each.created_at),
            expires_at=clock.local_text(each.expires_at),
        )
        for each in found
    ]


def delete_expired() -> int:
    """Delete expired links; gives their number."""
    deleted, _ = Invitation.objects.filter(expires_at__lte=clock.now()).delete()
    return deleted


def _open() -> QuerySet[Invitation]:
    """The links that can be used: a link ends with the administrator who created it, and with that one's role."""
    return Invitation.objects.filter(
        expires_at__gt=clock.now(), created_by__in=User.objects.active_admins().values("pk")
    )


def _free_username(text: str) -> str:
    """The name that the invited person gets; empty where that person chooses. Raises ValidationError."""
    if not text:
        return ""
    name = clean_username(text)
    if User.objects.named(name):
        raise ValidationError(gettext("This user name is taken."))
    require_unlike_others(name)
    if any(username_key(other) == username_key(name) for other in _open().values_list("username", flat=True)):
        raise ValidationError(gettext("There is an open invitation for this user name."))
    return name


def _record(action: str, invitation: Invitation, actor: Actor) -> None:
    detail = Message("invitation", id=invitation.pk)
    if invitation.username:
        detail = Message("invitation_named", id=invitation.pk, name=invitation.username)
    log.record(action, actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
