"""Deleting an account, with or without its data, or one of its archives: docs/api.md#delete-a-user and
docs/api.md#archives."""

import time
from collections.abc import Iterator
from itertools import chain

from django.db import transaction

from accounts import account_removal, archive_changes, archives
from accounts.actor import Actor
from accounts.models import Archive, User
from archive_site.lib.stored_message import Message, Value
from archive_site.lib.task_turns import turn_of
from archive_site.lib.waiting_tasks import queue_once
from audit import log
from collection import erasure_and_adoption
from collection.runs import import_progress
from usage.data_version import raise_version
from usage.erasure import erase_archive
from usage.export import kept_files
from usage.prompt_privacy import policy
from usage.retention import choices
from usage.saved_views import stored_views

# Seconds that a request erases data before it leaves the rest to the workers and answers.
PATIENCE = 5.0
# Seconds that one task erases; another one goes on, behind those that wait.
PATIENCE_OF_TASK = 20.0
ERASE_DELETED = "archive_site.tasks.erase_deleted"


def delete_account(user_id: int, *, keep_data: bool, actor: Actor, by_owner: bool = False) -> User | None:
    """Delete an account and, unless `keep_data`, its records, runs, settings and exports; None for an unknown id.

    One transaction deletes the account; parts after it erase the data. Tasks erase what takes more than `PATIENCE`
    seconds or what a killed process leaves (docs/decisions/accounts.md#deleting-an-account). Kept data stays
    under the old id, without the cookie. Raises ValidationError.
    """
    with transaction.atomic():
        user = account_removal.remove_account(user_id, keep_data=keep_data, actor=actor, by_owner=by_owner)
        if user is None:
            return None
        for archive_id in archives.of_account(user_id):
            erasure_and_adoption.end_collection(archive_id)
        choices.forget(user_id)
        about: dict[str, Value] = {"name": user.username, "id": user_id}
        detail = Message("user_deleted_data_kept", **about) if keep_data else Message("user_deleted", **about)
        log.record("user_delete", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
    # Of an import whose process died: it is not finished any more.
    import_progress.remove_files_of_the_dead()
    if not keep_data and not erase_data(user_id, seconds=PATIENCE):
        queue_once(ERASE_DELETED)
    return user


def delete_archive(user_id: int, archive_id: int, label: object, actor: Actor) -> Archive:
    """Delete an archive of an account with its data, as `delete_account` does. Raises ApiError 400 and 404."""
    with transaction.atomic():
        archive = archive_changes.remove(user_id, archive_id, label, actor)
        erasure_and_adoption.end_collection(archive_id)
        if archive.proves_id:
            # Its bills prove nothing any more.
            raise_version(archive.proves_id)
    import_progress.remove_files_of_the_dead()
    if not erase_archive_data(archive_id, seconds=PATIENCE):
        queue_once(ERASE_DELETED)
    return archive


def erase_archive_data(archive_id: int, *, seconds: float | None = None) -> bool:
    """Erase the data of a deleted archive within `seconds`; return whether all is erased. Can be repeated."""
    until = None if seconds is None else time.monotonic() + seconds
    if not _erase_calls_and_runs([archive_id], until):
        return False
    kept_files.remove_exports(archive_id)
    archive_changes.finish_erasure(archive_id)
    return True


def erase_data(user_id: int, *, seconds: float | None = None) -> bool:
    """Erase the data of a deleted account within `seconds`; return whether all is erased. Can be repeated."""
    until = None if seconds is None else time.monotonic() + seconds
    own = archives.of_account(user_id)
    if not _erase_calls_and_runs(own, until):
        return False
    if not _all_in_time(chain(stored_views.erase(user_id), account_removal.erase_notices(user_id)), until):
        return False
    for archive_id in own:
        account_removal.erase_settings(archive_id)
        kept_files.remove_exports(archive_id)
    policy.forget(user_id)
    account_removal.finish_erasure(user_id)
    return True


def _erase_calls_and_runs(archive_ids: list[int], until: float | None) -> bool:
    for archive_id in archive_ids:
        if not erase_archive(archive_id, seconds=None if until is None else until - time.monotonic()):
            return False
    return _all_in_time(chain(*map(erasure_and_adoption.erase_runs, archive_ids)), until)


def _all_in_time(parts: Iterator[object], until: float | None) -> bool:
    """Go through the parts of an erasure until a moment; return whether none is left."""
    return all(until is None or time.monotonic() <= until for _ in parts)


def resume_erasures(seconds: float = PATIENCE_OF_TASK) -> bool:
    """Finish the erasures of earlier deletions, for at most `seconds`; return whether nothing is left to do for this
    task."""
    until = time.monotonic() + seconds
    with turn_of("deletion-erasure") as is_free:
        # Again until none is left: the task of one that was deleted meanwhile has found the turn taken.
        while is_free and (waiting := account_removal.unfinished_erasures()):
            if not all(_erase(owner_id, until) for owner_id in waiting):
                return False
        return True


def _erase(owner_id: int, until: float) -> bool:
    erase = erase_archive_data if archives.is_further(owner_id) else erase_data
    return erase(owner_id, seconds=until - time.monotonic())
