"""Creates a backup while the service runs, complete or not at all (docs/decisions/backups.md#the-snapshot)."""

import logging
import shutil
import tempfile
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext

from accounts.credentials.instance_key import key_in_force
from archive_site.lib import clock, cpus
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.storage.data_folder import made
from archive_site.lib.stored_message import Message
from backups import backup_writer, catalog, disk_failures, pruning, snapshot
from backups.api_types import Backup
from backups.backup_manifest import STORE, Manifest, cleaned, counted

log = logging.getLogger(__name__)

# Unfinished backups are in folders with these names, which no list shows.
_UNFINISHED = ".unfinished-*"
# A restore makes somebody wait: this level packs its backup in half the time to a slightly larger file.
_QUICK = 1
_FAILED = Message("no_backup_created")


@dataclass(frozen=True)
class Created:
    """A created backup: file, time, item in the list, manifest, and the names of the backups pruned after it."""

    path: Path
    at: datetime
    item: Backup
    manifest: Manifest
    pruned: list[str]

    @property
    def message(self) -> str:
        words = gettext("%(name)s is created: %(size_human)s, %(accounts)s, %(records)s.")
        counts = counted(self.manifest.accounts, self.manifest.records)
        return words % {"name": self.item.name, "size_human": self.item.size_human, **counts}

    @property
    def summary(self) -> Message:
        """The detail of the audit entry, with the note and the names of the pruned backups."""
        item, accounts, records = self.item, self.manifest.accounts, self.manifest.records
        made = Message(
            "backup_made",
            name=item.name,
            size=item.size_human,
            accounts=Message("accounts_counted", number=accounts, count=f"{accounts:,}"),
            records=Message("records_counted", number=records, count=f"{records:,}"),
        )
        if item.note:
            made = Message("backup_noted", made=made, note=item.note)
        return Message("backup_made_others_removed", made=made, names=self.pruned) if self.pruned else made


def create(trigger: str, *, note: str = "") -> Created:
    """Create a backup and prune those beyond the number that is kept. The caller writes the audit entry.

    Raises ApiError: 409 `busy`, 400 `backup`. A failed backup leaves no files.
    """
    with maintenance_lock():
        return create_unlocked(trigger, note=note)


def clean_note(text: str) -> str:
    """A note that is to be stored: one line. Raises ApiError 400 for control characters, line breaks and tabs apart."""
    if any(unicodedata.category(character) == "Cc" for character in text if character not in "\t\r\n"):
        raise ApiError(400, "backup", gettext("A note cannot contain control characters."))
    return cleaned(text)


@cpus.use_all()
def create_unlocked(trigger: str, *, note: str = "") -> Created:
    """`create` for a caller with the maintenance lock. A pre-restore backup prunes nothing. Raises ApiError 400."""
    for found in _sweep():
        log.warning("%s", found)
    with unfinished() as folder:
        _require_room()
        draft = folder / "backup.zip"
        manifest = _pack(draft, trigger, cleaned(note))
        archive = catalog.place(draft, manifest.created_at, trigger)
        item = catalog.item(archive)
    others = [] if trigger == catalog.PRE_RESTORE else pruned(pruning.prune)
    return Created(archive.path, archive.at, item, manifest, others)


def clear_broken_backups() -> list[str]:
    """Remove the leftovers of killed backups, unless one is being created. Return a sentence for each."""
    try:
        with maintenance_lock():
            return _sweep()
    except ApiError:
        return []


def pruned(prune: Callable[[], list[str]]) -> list[str]:
    """The names of the backups that pruning deleted; none if it fails, because what it follows has succeeded."""
    try:
        return prune()
    except ApiError:
        # The failure is in the log already.
        return []


@contextmanager
def unfinished(failed: Message = _FAILED) -> Iterator[Path]:
    """A folder for an unfinished backup, removed when the block ends. Raises ApiError 400 `backup`."""
    with disk_failures.as_api_errors(failed):
        name = tempfile.mkdtemp(prefix=_UNFINISHED[:-1], dir=made(settings.DATA_FOLDER.backups))
        try:
            yield Path(name)
        finally:
            shutil.rmtree(name)


def _pack(draft: Path, trigger: str, note: str) -> Manifest:
    store, created_at = draft.with_name(STORE), clock.now().astimezone(UTC)
    snapshot.take(store)
    # A pre-restore backup keeps even a damaged store, because the restore is there to replace it. It ends all sessions.
    if trigger != catalog.PRE_RESTORE:
        snapshot.require_sound(store)
        snapshot.drop_ways_in(store)
    accounts, records = snapshot.counts(store)
    manifest = Manifest(settings.VERSION, created_at, trigger, note, accounts, records, members={})
    key = f"{key_in_force()}\n".encode()
    return backup_writer.pack(
        draft, store, key, manifest, level=_QUICK if trigger == catalog.PRE_RESTORE else backup_writer.LEVEL
    )


def _require_room() -> None:
    """Require disk space for a copy of the store and a ZIP file, at worst of the same size. Raises ApiError 400."""
    needed, free = 2 * snapshot.expected_bytes(), shutil.disk_usage(settings.DATA_FOLDER.backups).free
    if free < needed:
        sizes = {"needed": catalog.human(needed), "free": catalog.human(free)}
        raise ApiError(400, "backup", Message("backup_needs_room", **sizes))


def _sweep() -> list[str]:
    """Remove unfinished backups, and hashes without a backup. The caller holds the maintenance lock."""
    backups: Path = settings.DATA_FOLDER.backups
    for kept in backups.glob("*.zip.sha256"):
        if not kept.with_suffix("").exists():
            kept.unlink(missing_ok=True)
    for draft in backups.glob(".*.sha256.part"):
        draft.unlink(missing_ok=True)
    return [_removed(folder) for folder in sorted(backups.glob(_UNFINISHED))]


def _removed(folder: Path) -> str:
    begun = datetime.fromtimestamp(folder.stat().st_mtime, UTC)
    size = sum(file.stat().st_size for file in folder.iterdir())
    shutil.rmtree(folder)
    return f"Removed a backup that broke off at {clock.local_text(begun)} ({catalog.human(size)})."
