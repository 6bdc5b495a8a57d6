"""Making, naming and deleting the archives of an account, with their audit entries (docs/api.md#archives)."""

from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from accounts import account_removal, archives
from accounts.actor import Actor
from accounts.credentials import cookie_lifetimes, credential
from accounts.models import Archive, Erasure, User
from accounts.notices.beginning_and_end import drop_of_archive
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.normal_form import normal_form
from archive_site.lib.storage.transaction_locks import take_lock
from archive_site.lib.stored_message import Message
from audit import log


class WrongField(ApiError):
    """A field of a body is not accepted: 400 with its name."""

    def __init__(self, field: str, words: str):
        super().__init__(400, "bad_request", words, field=field)


def label_of(given: object) -> str:
    """The label that was given, with single blanks. Raises WrongField."""
    label = " ".join(normal_form("NFC", given).split()) if isinstance(given, str) else ""
    if not label or len(label) > Archive.LABEL_LENGTH or not label.isprintable():
        words = gettext("An archive needs a name of at most %(most)s characters, without control characters.")
        raise WrongField("label", words % {"most": Archive.LABEL_LENGTH})
    return label


def create(user: User, actor: Actor, **about: Any) -> Archive:
    """Make an archive as `add` does. Raises ApiError 400 where the account has as many as it may."""
    made = add(user.pk, **about)
    if made is None:
        words = gettext("An account has at most %(most)s archives.") % {"most": archives.MOST}
        raise ApiError(400, "bad_request", words)
    _record("archive_create", made, actor)
    return made


def add(user_id: int, **about: Any) -> Archive | None:
    """Make a further archive with these fields, in the caller's transaction; None where the account has as many as it
    may."""
    take_lock(f"archives of {user_id}")
    if len(archives.of_account(user_id)) >= archives.MOST:
        return None
    return Archive.objects.create(user_id=user_id, **about)


def own_to_change(user_id: int, archive_id: int) -> Archive:
    """An archive of an account as it is now, in the caller's transaction: of two changes at once the second one waits.

    Raises ApiError 404 for any other id.
    """
    take_lock(f"archives of {user_id}")
    return archives.own(user_id, archive_id)


def change(archive: Archive, actor: Actor) -> None:
    """Store the label and the address of an archive, and what its bills prove, in the caller's transaction."""
    archive.save(update_fields=["label", "address", "proves_id"])
    _record("archive_change", archive, actor)


def remove(user_id: int, archive_id: int, label: object, actor: Actor) -> Archive:
    """Let nobody find an archive any more, and note it for the erasure of its data, in the caller's transaction.

    Raises ApiError 404 for one that is not the account's, and 400 for its first one and for another label.
    """
    archive = own_to_change(user_id, archive_id)
    if archive_id == archives.first_of(user_id):
        raise ApiError(400, "bad_request", gettext("The first archive of an account cannot be deleted."))
    if label != archive.label:
        raise WrongField("label", gettext("Repeat the name of the archive to delete it."))
    archives.begin_deletion(archive)
    Archive.objects.filter(proves_id=archive_id).update(proves_id=None)
    credential.clear(archive_id)
    cookie_lifetimes.forget(archive_id)
    drop_of_archive(user_id, archive_id)
    Erasure.objects.create(user_id=archive_id)
    _record("archive_delete", archive, actor)
    return archive


def finish_erasure(archive_id: int) -> None:
    """Note that all data of a deleted archive is erased."""
    with transaction.atomic():
        account_removal.erase_settings(archive_id)
        archives.end_deletion(archive_id)
        Erasure.objects.filter(user_id=archive_id).delete()


def _record(action: str, archive: Archive, actor: Actor) -> None:
    detail = Message("archive_named", label=archive.label, kind=archive.kind, id=archive.pk)
    log.record(action, actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
