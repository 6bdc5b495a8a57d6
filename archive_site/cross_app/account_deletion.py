"""Deleting an account with all that is theirs, or without (specification 4.5)."""

import shutil

from django.conf import settings
from django.db import transaction
from django_q.tasks import async_task

from accounts import access, credential
from accounts.models import Erasure, Session, Setting, User
from accounts.user_changes import Actor
from archive_site.lib import clock
from archive_site.lib.stored_message import Message, Value
from audit import log
from collection import lease
from collection.models import Lease, Progress, Run
from collection.outcomes import INTERRUPTED
from usage.erasure import erase_archive

# How long a deletion works before it leaves the rest to the workers: nobody waits longer for an answer.
PATIENCE = 5.0


def delete_account(user_id: int, *, keep_data: bool, actor: Actor) -> User | None:
    """Delete an account and, unless `keep_data`, its records, runs, settings and exports; None for an unknown id.

    The account is gone at once, in one transaction; its data goes in small steps after it. What takes longer than a
    few seconds, or what a dying process leaves, is erased by the housekeeping. Kept data stays under the old id, the
    cookie apart. Raises ValidationError.
    """
    with transaction.atomic():
        access.begin_change(actor.user_id)
        user = User.objects.select_for_update().filter(pk=user_id).first()
        if user is None:
            return None
        access.require_may_delete(user, actor.user_id)
        credential.clear(user_id)
        Session.objects.filter(user_id=user_id).delete()
        _end_collection(user_id)
        if not keep_data:
            Erasure.objects.create(user_id=user_id)
        about: dict[str, Value] = {"name": user.username, "id": user_id}
        detail = Message("user_deleted_data_kept", **about) if keep_data else Message("user_deleted", **about)
        log.record("user_delete", actor=actor.name, user_id=actor.user_id, ip=actor.ip, detail=detail)
        User.objects.filter(pk=user_id).delete()
    if not keep_data and not erase_data(user_id, seconds=PATIENCE):
        async_task("archive_site.tasks.housekeeping")
    return user


def _end_collection(user_id: int) -> None:
    """Take the lease from the account's run: what it has in flight is stored no more."""
    runs = Run.objects.filter(user_id=user_id)
    Lease.objects.filter(run_id__in=runs.values("pk")).update(**lease.FREE)
    runs.filter(status=Run.Status.RUNNING).update(stop_requested=True)
    runs.filter(status=Run.Status.QUEUED).update(
        status=INTERRUPTED.status,
        exit_code=INTERRUPTED.exit_code,
        finished_at=clock.now(),
        stored_message=Message("owner_deleted").stored(),
    )


def erase_data(user_id: int, *, seconds: float | None = None) -> bool:
    """Erase what a deleted account left, or as much as goes in `seconds`; whether all is gone. Can be begun again."""
    if not erase_archive(user_id, seconds=seconds):
        return False
    with transaction.atomic():
        Run.objects.filter(user_id=user_id).delete()
        Progress.objects.filter(user_id=user_id).delete()
        Setting.objects.filter(user_id=user_id).delete()
    shutil.rmtree(settings.DATA_FOLDER.exports / str(user_id), ignore_errors=True)
    Erasure.objects.filter(user_id=user_id).delete()
    return True


def resume_erasures() -> int:
    """Erase what earlier deletions did not come to; how many there were."""
    waiting = list(Erasure.objects.values_list("user_id", flat=True))
    for user_id in waiting:
        erase_data(user_id)
    return len(waiting)
