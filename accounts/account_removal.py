"""Removing an account with its data in this app; other apps remove their own data."""

from collections.abc import Iterator

from accounts import admin_guards, archives
from accounts.actor import Actor
from accounts.credentials import cookie_lifetimes, credential
from accounts.delivery import addresses, outbox
from accounts.models import Erasure, Notice, Session, Setting, User
from archive_site.lib.storage.deletion import delete_in_parts


def remove_account(user_id: int, *, keep_data: bool, actor: Actor, by_owner: bool = False) -> User | None:
    """Remove an account with its cookie, sessions and tokens, in the caller's transaction; None for an unknown id.

    Unless `keep_data`, the id is noted for the erasure of the rest. Who is no administrator deletes their own account
    alone, `by_owner`. Raises ValidationError.
    """
    admin_guards.begin_change(None if by_owner else actor.user_id)
    user = User.objects.select_for_update().filter(pk=user_id).first()
    if user is None:
        return None
    if by_owner:
        admin_guards.require_may_leave(user)
    else:
        admin_guards.require_may_delete(user, actor.user_id)
    for archive_id in archives.of_account(user_id):
        credential.clear(archive_id)
        cookie_lifetimes.forget(archive_id)
    addresses.forget(user_id)
    outbox.drop_waiting(user_id)
    Session.objects.filter(user_id=user_id).delete()
    if not keep_data:
        Erasure.objects.create(user_id=user_id)
    # Its tokens go with it.
    User.objects.filter(pk=user_id).delete()
    return user


def erase_notices(user_id: int) -> Iterator[int]:
    """Delete the notices of a deleted account with their deliveries, part by part."""
    return delete_in_parts(Notice.objects.filter(user_id=user_id))


def erase_settings(owner_id: int) -> None:
    """Delete the settings of a deleted account, or of one of its archives."""
    Setting.objects.filter(user_id=owner_id).delete()


def unfinished_erasures() -> list[int]:
    """The ids of deleted accounts, and of deleted archives, whose data is still to be erased."""
    return list(Erasure.objects.values_list("user_id", flat=True))


def finish_erasure(user_id: int) -> None:
    """Note that all data of a deleted account is erased, with its archives."""
    archives.forget(user_id)
    Erasure.objects.filter(user_id=user_id).delete()
