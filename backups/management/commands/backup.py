"""Backups from the command line."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from django.conf import settings
from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.storage import store_version
from audit import log
from backups import backup_import, catalog, creation, file_names, pruning
from backups.backup_manifest import InvalidArchive, Manifest, counted
from backups.restore import backup_reader, restore_backup, unusable_store

T = TypeVar("T")
ACTOR = "command line"


class Command(ArchiveCommand):
    help = "Create, list, check, restore and prune backups."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="create a backup, and prune those beyond the number that is kept")
        create.add_argument("--note", default="", help="a note of at most 200 characters")
        actions.add_parser("list", help="the backups, newest first")
        verify = actions.add_parser("verify", help="check a backup as a restore would, and change nothing")
        restore = actions.add_parser("restore", help="replace all accounts, usage data and settings by a backup's")
        for named in (verify, restore):
            named.add_argument("file", metavar="NAME_OR_PATH")
        restore.add_argument("--without-key", action="store_true", help="keep the instance key; cookies may break")
        restore.add_argument("--yes", action="store_true", help="restore without asking, also without a terminal")
        actions.add_parser("prune", help="delete backups beyond the number that is kept")

    def prepare_store(self, **options: Any) -> None:
        # A restore first asks, and may find a store that cannot be used.
        if options["action"] != "restore":
            super().prepare_store(**options)
            open_store()

    def run(self, *args: Any, **options: Any) -> None:
        {
            "create": self._create,
            "list": self._list,
            "verify": self._verify,
            "restore": self._restore,
            "prune": self._prune,
        }[options["action"]](options)

    def _create(self, options: dict[str, Any]) -> None:
        self._while_working("Copying and packing the store …")
        created = creation.create("manual", note=creation.clean_note(options["note"]))
        log.record("backup_create", actor=ACTOR, user_id=None, detail=created.summary)
        self.stdout.write(created.message)
        for name in created.pruned:
            self.stdout.write(f"Removed {name}.")

    def _list(self, options: dict[str, Any]) -> None:
        for item in catalog.items():
            about = _held(item.accounts or 0, item.records or 0) if item.valid else "cannot be read"
            line = f"{item.name}  {item.created_at}  {item.size_human}  {about}  {item.note}"
            self.stdout.write(line.rstrip())

    def _verify(self, options: dict[str, Any]) -> None:
        path = _found(options["file"])
        self._while_working("Checking …")
        manifest = _checked(path)
        self.stdout.write(f"{path.name} can be restored: {_held(manifest.accounts, manifest.records)}.")

    def _restore(self, options: dict[str, Any]) -> None:
        path = _found(options["file"])
        if not options["yes"]:
            self._ask(path.name)
        aside = self._over_unusable(path, _open)
        if path.parent != settings.DATA_FOLDER.backups:
            path = backup_import.bring_in(path).path
            self.stdout.write(f"Copied as {path.name}.")
        self._while_working("Checking and restoring …")
        asked = partial(restore_backup.restore, path, include_instance=not options["without_key"])
        restored = self._over_unusable(path, lambda aside: asked(actor=ACTOR, user_id=None, ip="", aside=aside), aside)
        self.stdout.write(restored.message)

    def _over_unusable(self, path: Path, work: Callable[[Path | None], T], aside: Path | None = None) -> T:
        """Do work of a restore; where the present store is why it fails, set that aside and do the work again.

        The work is given where a store was set aside, now or before.
        """
        try:
            return work(aside)
        except (ApiError, ConfigurationError, DatabaseError):
            reason = unusable_store.reason()
            if reason is None:
                raise
        # Only for a backup that can be restored.
        _checked(path)
        aside = unusable_store.set_aside()
        self.stdout.write(f"The store cannot be used: {reason}.")
        self.stdout.write(f"It is set aside as {aside}; an empty one takes its place meanwhile.")
        return work(aside)

    def _prune(self, options: dict[str, Any]) -> None:
        with maintenance_lock():
            removed = pruning.prune()
        message = pruning.pruned_message(removed)
        log.record("backup_prune", actor=ACTOR, user_id=None, detail=message)
        self.stdout.write(str(message))

    def _ask(self, name: str) -> None:
        lost = f"All accounts, usage data and settings will be replaced by those of {name}."
        if not sys.stdin.isatty():
            raise CommandError(f"{lost} Nothing was changed: add --yes to restore it.")
        self.stdout.write(lost)
        self.stdout.write("Recovery codes that were used since and passkeys that were removed since work again.")
        try:
            typed = input("Type the name of the file to go on: ")
        except (EOFError, KeyboardInterrupt):
            typed = ""
        if typed.strip() != name:
            raise CommandError("Nothing was changed.")

    def _while_working(self, line: str) -> None:
        if self.stdout.isatty():
            self.stdout.write(line)
            self.stdout.flush()


def _open(aside: Path | None) -> Path | None:
    store_version.migrate()
    open_store()
    return aside


def _checked(path: Path) -> Manifest:
    """The manifest of a backup that can be restored. Raises CommandError."""
    try:
        return backup_reader.verify(path)
    except InvalidArchive as error:
        raise CommandError(f"{path.name}: {error}") from None


def _found(text: str) -> Path:
    """The backup of this name, or else the file at this path. Raises CommandError when there is neither."""
    kept: Path = settings.DATA_FOLDER.backups / text
    if file_names.parse(text) and kept.is_file():
        return kept
    path = Path(text)
    if not path.is_file():
        raise CommandError(f"There is no backup {text}.")
    shelf_path = settings.DATA_FOLDER.backups / path.name
    return shelf_path if shelf_path.is_file() and path.samefile(shelf_path) else path


def _held(accounts: int, records: int) -> str:
    return "{accounts}, {records}".format_map(counted(accounts, records))
