"""The JSON views of backups, for administrators (docs/api.md#backups)."""

import logging
import os

from django.conf import settings
from django.http import FileResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from msgspec import UNSET

from accounts import config
from accounts.api_types import REAUTHENTICATE
from accounts.signin.reauthentication import recent_password_required
from accounts.signin.reauthentication_page import asks_browsers_first
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Done
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.described import BACKUPS, FileAnswer, described
from archive_site.lib.http.download_places import NO_PLACE, require_place
from archive_site.lib.http.json_views import body_of
from archive_site.lib.http.minimum_interval import minimum_interval
from archive_site.lib.http.request_types import read
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.stored_message import Message
from audit import log
from backups import automatic, catalog, creation, disk_failures, file_names, pruning
from backups.api_types import (
    ANOTHER_AT_WORK,
    CREATED,
    NOT_THERE,
    Backup,
    BackupList,
    BackupName,
    NewBackup,
    Pruned,
    PrunedBackups,
    Restored,
    RestoredBackup,
)
from backups.backup_manifest import InvalidArchive, counted
from backups.restore import backup_reader, restore_backup
from usage import node_files

logger = logging.getLogger(__name__)
INTERVAL = 30
ZIP = "application/zip"


@described(BACKUPS, "List of backups", "The backups, newest first")
def listing(request: AccountRequest) -> BackupList:
    instance, items = config.instance_settings(), catalog.items()
    return BackupList(
        items=items,
        dir=str(settings.DATA_FOLDER.backups),
        total_human=catalog.human(sum(item.size for item in items)),
        enabled=instance.backup_enabled,
        interval_hours=instance.backup_interval_hours,
        keep=instance.backup_keep,
        last_auto=clock.local_text(automatic.last_auto()),
        node=settings.NODE if node_files.are_apart() else UNSET,
    )


@described(
    BACKUPS,
    "Create a backup",
    "Create a backup; answers when it is done",
    body=NewBackup,
    answer=CREATED,
    errors={
        **ANOTHER_AT_WORK,
        "400 backup": "The backup failed, with nothing left behind, or the note has control characters.",
        **REAUTHENTICATE,
        "429 too_frequent": "The last one was less than 30 seconds ago.",
    },
)
@recent_password_required
def create(request: AccountRequest) -> tuple[Done, Backup, Pruned]:
    note = creation.clean_note(read(NewBackup, body_of(request)).note)
    with minimum_interval("backups:create", INTERVAL, failures_count=False):
        created = creation.create("manual", note=note)
    _audit(request, "backup_create", created.summary)
    return Done(True, created.message), created.item, Pruned(created.pruned)


@described(
    BACKUPS,
    "Download a backup",
    "The ZIP file of a backup",
    answers={
        200: FileAnswer((ZIP,), "The file, as an attachment."),
        302: FileAnswer((), "A browser that has to enter the password again is led to `/reauthenticate`."),
    },
    errors={**NOT_THERE, **REAUTHENTICATE, **NO_PLACE},
)
@asks_browsers_first
@recent_password_required
def download(request: AccountRequest, name: BackupName) -> HttpResponseBase:
    """The file, streamed from the disk. A HEAD answers with its length only and is not audited as a download."""
    path = file_names.path_of(name)
    if request.method != "HEAD":
        require_place(request)
    with disk_failures.as_api_errors(Message("backup_unreadable", name=name)):
        file = path.open("rb")
    length = os.fstat(file.fileno()).st_size
    response = FileResponse(
        file,
        as_attachment=True,
        filename=name,
        content_type=ZIP,
        headers={"Content-Length": str(length), "Cache-Control": "no-store"},
    )
    if request.method == "HEAD":
        response.streaming_content = iter(())
    else:
        _audit_if_room(request, "backup_download", f"{name} ({catalog.human(length)})")
    return response


@described(
    BACKUPS,
    "Check a backup",
    "Open a backup as a restore would, and change nothing",
    errors={**NOT_THERE, **ANOTHER_AT_WORK},
)
def check(request: AccountRequest, name: BackupName) -> Done:
    """Open the backup as a restore would. Not audited, since nothing changes. One at a time: each needs disk space."""
    file_names.path_of(name)
    with maintenance_lock():
        try:
            found = backup_reader.verify(file_names.path_of(name))
        except InvalidArchive as error:
            words = gettext("%(name)s cannot be restored: %(reason)s")
            raise ApiError(400, "backup", words % {"name": name, "reason": error}) from None
    words = gettext("%(name)s can be restored: %(accounts)s, %(records)s.")
    return Done(True, words % {"name": name, **counted(found.accounts, found.records)})


@described(
    BACKUPS,
    "Restore a backup",
    "Replace accounts, records, runs and settings by those of a backup",
    about="Keeps the present store as a backup first. All sessions end.",
    body=Restored,
    errors={
        **NOT_THERE,
        **REAUTHENTICATE,
        "409 busy": "A collection or another work on backups is under way, or others keep writing.",
    },
)
@recent_password_required
def restore(request: AccountRequest, name: BackupName) -> RestoredBackup:
    path = file_names.path_of(name)
    include_instance = read(Restored, body_of(request)).include_instance
    user = request.user
    restored = restore_backup.restore(
        path,
        include_instance=include_instance,
        actor=user.username,
        user_id=user.pk,
        ip=client_address(request),
    )
    # The session of this request belongs to the replaced store.
    request.session.flush()
    return RestoredBackup(True, restored.message, name, restored.pre_restore)


@described(
    BACKUPS,
    "Delete a backup",
    "Delete a backup",
    errors={**NOT_THERE, **ANOTHER_AT_WORK, **REAUTHENTICATE},
)
@recent_password_required
def delete(request: AccountRequest, name: BackupName) -> Done:
    file_names.path_of(name)
    with maintenance_lock():
        catalog.delete(file_names.path_of(name))
    _audit_if_room(request, "backup_delete", name)
    return Done(True, gettext("%(name)s is deleted.") % {"name": name})


@described(
    BACKUPS,
    "Prune backups",
    "Delete the backups beyond those that are kept",
    errors={**ANOTHER_AT_WORK, **REAUTHENTICATE, "400 backup": "A file cannot be deleted."},
)
@recent_password_required
def prune(request: AccountRequest) -> PrunedBackups:
    with maintenance_lock():
        removed = pruning.prune()
    message = pruning.pruned_message(removed)
    _audit_if_room(request, "backup_prune", message)
    return PrunedBackups(True, removed, str(message))


def _audit_if_room(request: AccountRequest, action: str, detail: Message | str) -> None:
    """Note a download, or what was deleted, once that has made room; in the log where the disk is full all the same."""
    user = request.user
    log.record_if_room(action, actor=user.username, user_id=user.pk, ip=client_address(request), detail=detail)


def _audit(request: AccountRequest, action: str, detail: Message | str) -> None:
    user = request.user
    log.record(action, actor=user.username, user_id=user.pk, ip=client_address(request), detail=detail)
