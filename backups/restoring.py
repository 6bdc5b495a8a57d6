"""Restoring a backup: checked before anything is touched, built aside, put in place in one step (design 7)."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from django.db import DatabaseError
from django.utils.translation import gettext, gettext_lazy

from archive_site.lib import freeze
from archive_site.lib.datafolder import read_fernet_key
from archive_site.lib.encryption import fingerprint_of, key_in_force
from archive_site.lib.errors import ApiError
from archive_site.lib.words import filled
from backups import (
    aside,
    creating,
    failures,
    manifest,
    names,
    opening,
    rebuilding,
    recovery,
    shelf,
    snapshot,
    switching,
)
from backups.creating import Created
from backups.errors import InvalidArchive
from backups.manifest import Manifest
from backups.rebuilding import Deed
from backups.words import counted
from collection import lease

log = logging.getLogger(__name__)

# No restore lasts longer; a lease whose holder dies is free at once.
_LONGEST = timedelta(hours=6)


@dataclass(frozen=True)
class Restored:
    """What was restored, and the name of the backup that keeps the store as it was."""

    manifest: Manifest
    pre_restore: str
    message: str


def restore(path: Path, *, include_instance: bool, actor: str, user_id: int | None, ip: str) -> Restored:
    """Replace all accounts, usage data and settings by an archive's, and with `include_instance` the instance key.

    All sessions end. The audit goes on: it keeps the entries of both stores, and tells of this. Nothing may be
    written meanwhile (`lib/freeze`). Raises ApiError: 409 `busy`, 400 `backup`; then the store is as it was, and
    nothing of the try is left.
    """
    snapshot.require_possible()
    if lease.is_held():
        raise ApiError(409, "busy", gettext(lease.BUSY))
    deed = Deed(actor, user_id, ip, f"{path.name}{'' if include_instance else ', without its key'}")
    failed = filled(gettext_lazy("%(name)s was not restored"), name=path.name)
    with names.exclusion(), failures.told(failed), aside.folder() as folder:
        for line in recovery.clean_up():
            log.warning(line)
        found = _unpacked(path, folder)
        with _alone(), _kept_before(path, folder) as before:
            _replace(folder, deed, include_instance=include_instance)
        # Those alone: how many others are kept is the backup's setting now, from another time.
        creating.pruned(partial(shelf.prune_pre_restore, sparing=path))
        log.info("restored %s; the store before is %s", path.name, before.path.name)
    return Restored(found, before.path.name, _message(path, found, before))


def _message(path: Path, found: Manifest, before: Created) -> str:
    words = gettext(
        "%(name)s is restored: %(accounts)s, %(records)s. The store before is kept as %(before)s. "
        "Everybody has to sign in again."
    )
    counts = counted(found.accounts, found.records)
    return words % {"name": path.name, "before": before.path.name, **counts}


def _unpacked(path: Path, folder: Path) -> Manifest:
    """The archive's manifest; its store and key lie in the folder, checked and brought to this version."""
    try:
        found = opening.unpack(path, folder)
        rebuilding.prepare(folder / manifest.STORE)
    except InvalidArchive as error:
        words = gettext("%(name)s cannot be restored: %(reason)s")
        raise ApiError(400, "backup", words % {"name": path.name, "reason": error}) from None
    return found


@contextmanager
def _alone() -> Iterator[None]:
    """Nobody collects and nobody writes until the block ends. Raises ApiError 409 `busy`."""
    # Not renewed: while the store is replaced, nobody can.
    token = lease.take_or_refuse(_LONGEST)
    try:
        with freeze.frozen():
            yield
    finally:
        try:
            lease.release(token)
        except DatabaseError:
            # In a store that was restored it is free, and in any other it runs out.
            log.exception("the lease was not released")


@contextmanager
def _kept_before(path: Path, folder: Path) -> Iterator[Created]:
    """A backup of the store as it is; it goes again when the block fails to replace that."""
    before = creating.create_unlocked("pre_restore", note=f"before {path.name}")
    try:
        yield before
    except BaseException:
        if not switching.has_come(folder):
            shelf.delete(before.path)
        raise


def _replace(folder: Path, deed: Deed, *, include_instance: bool) -> None:
    """Finish the new store and put it in place of the live one."""
    new, new_key = folder / manifest.STORE, folder / manifest.KEY
    key = read_fernet_key(new_key) if include_instance else key_in_force()
    try:
        # Also against who knows nothing of the freeze: an entry that came after the merge would be lost.
        with switching.live_store_held():
            switching.announce(folder, rebuilding.merge(new, fingerprint=fingerprint_of(key), deed=deed))
            if include_instance:
                switching.stage_key(new_key)
            switching.switch(folder)
    finally:
        switching.settle(folder)
