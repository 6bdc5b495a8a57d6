"""Restores a backup: checks it before anything changes, builds the new store in a separate folder, and puts it in place
in one step (docs/api.md#restore-a-backup)."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from django.db import DatabaseError
from django.utils.translation import gettext

from accounts.credentials.instance_key import key_in_force
from archive_site.lib import cpus
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import write_freeze
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.storage import engine
from archive_site.lib.storage.encryption import fingerprint_of
from archive_site.lib.storage.key_files import read_fernet_key
from archive_site.lib.stored_message import Message
from backups import backup_manifest, catalog, creation, disk_failures, pruning
from backups.backup_manifest import InvalidArchive, Manifest, counted
from backups.restore import backup_reader, new_store, recovery, store_switch, unusable_store, work_folder
from backups.restore.both_stores import BothStores
from backups.restore.new_store import RestoreEntry
from collection.runs import lease

log = logging.getLogger(__name__)

# No restore takes longer. On SQLite the lease cannot be renewed while the store is replaced, and a holder that dies has
# it no longer; elsewhere other machines only see that it is renewed no more.
_LONGEST = timedelta(hours=6)


@dataclass(frozen=True)
class Restored:
    """The manifest of the restored backup, and the name of the backup that keeps the store before.

    The name is empty if that store was set aside.
    """

    manifest: Manifest
    pre_restore: str
    message: str


@cpus.use_all()
def restore(
    path: Path, *, include_instance: bool, actor: str, user_id: int | None, ip: str, aside: Path | None = None
) -> Restored:
    """Replace all accounts, usage data and settings by those of a backup, and with `include_instance` the instance key.

    All sessions end. The audit log keeps the entries of both stores and gets one for the restore. Nothing can be
    written meanwhile (`write_freeze`). `aside` is where the store before was set aside: what is in its place is empty,
    and gets no backup. Raises ApiError: 409 `busy`, 400 `backup`; in both cases the store stays
    unchanged, and nothing is left behind.
    """
    if lease.is_held():
        raise ApiError(409, "busy", gettext(lease.BUSY))
    detail = path.name if include_instance else Message("restored_without_key", name=path.name)
    entry = RestoreEntry(actor, user_id, ip, detail)
    failed = Message("backup_not_restored", name=path.name)
    with maintenance_lock(), disk_failures.as_api_errors(failed), work_folder.folder() as folder:
        for line in recovery.clear_broken_restores():
            log.warning(line)
        found = _unpacked(path, folder)
        unusable_store.require_tables()
        with store_switch.staged(folder) as stores, _alone(), _kept_before(path, folder, aside) as before:
            _replace(folder, stores, entry, include_instance=include_instance)
        # Only pre-restore backups: `backup_keep` is now the restored, maybe outdated setting.
        creation.pruned(partial(pruning.prune_pre_restore, sparing=path))
        log.info("restored %s; the store before is %s", path.name, before)
    return Restored(found, "" if aside else before.name, _message(path, found, before, is_aside=aside is not None))


def _message(path: Path, found: Manifest, before: Path, *, is_aside: bool) -> str:
    kept = gettext(
        "%(name)s is restored: %(accounts)s, %(records)s. The previous store is kept as %(before)s. "
        "Everybody has to sign in again."
    )
    set_aside = gettext(
        "%(name)s is restored: %(accounts)s, %(records)s. The previous store is set aside as %(before)s, and there is "
        "no backup of it. Everybody has to sign in again."
    )
    counts = counted(found.accounts, found.records)
    return (set_aside if is_aside else kept) % {"name": path.name, "before": before.name, **counts}


def _unpacked(path: Path, folder: Path) -> Manifest:
    """Unpack the backup's store and key into the folder, checked and migrated to this version. Return its manifest."""
    try:
        found = backup_reader.unpack(path, folder)
        new_store.prepare(folder / backup_manifest.STORE)
    except InvalidArchive as error:
        words = gettext("%(name)s cannot be restored: %(reason)s")
        raise ApiError(400, "backup", words % {"name": path.name, "reason": error}) from None
    return found


@contextmanager
def _alone() -> Iterator[None]:
    """Keep collections and all other writers out until the block ends. Raises ApiError 409 `busy`."""
    token = lease.take_or_refuse(_LONGEST if engine.IS_SQLITE else lease.LASTS)
    try:
        with nullcontext() if engine.IS_SQLITE else lease.renewed(token), write_freeze.frozen():
            yield
    finally:
        try:
            lease.release(token)
        except DatabaseError:
            # A restored store has a free lease, and in the old store the lease expires.
            log.exception("the lease was not released")


@contextmanager
def _kept_before(path: Path, folder: Path, aside: Path | None) -> Iterator[Path]:
    """A backup of the present store, deleted again if the block fails to replace that store; or the store that was set
    aside."""
    if aside:
        yield aside
        return
    before = creation.create_unlocked("pre_restore", note=f"before {path.name}").path
    try:
        yield before
    except BaseException:
        if not store_switch.has_come(folder):
            catalog.delete(before)
        raise


def _replace(folder: Path, stores: BothStores, entry: RestoreEntry, *, include_instance: bool) -> None:
    """Finish the new store and put it in place of the live one."""
    new_key = folder / backup_manifest.KEY
    key = read_fernet_key(new_key) if include_instance else key_in_force()
    try:
        # The lock also stops programs that ignore the freeze: an audit entry written after the merge would be lost.
        with store_switch.live_store_held(stores):
            store_switch.announce(folder, new_store.merge(stores, fingerprint=fingerprint_of(key), entry=entry))
            if include_instance:
                store_switch.stage_key(new_key)
            store_switch.switch(folder, stores)
    finally:
        store_switch.settle(folder)
