"""Backups from the command line."""

import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand
from audit import log
from backups import backup_import, catalog, creation, file_names, pruning
from backups.backup_manifest import InvalidArchive, counted
from backups.restore import backup_reader, restore_backup

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
        restore.add_argument("--yes", action="store_true", help="do not ask for confirmation")
        actions.add_parser("prune", help="delete backups beyond the number that is kept")

    def run(self, *args: Any, **options: Any) -> None:
        open_store()
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
            about = _held(item["accounts"], item["records"]) if item["valid"] else "cannot be read"
            line = f"{item['name']}  {item['created_at']}  {item['size_human']}  {about}  {item['note']}"
            self.stdout.write(line.rstrip())

    def _verify(self, options: dict[str, Any]) -> None:
        path = _found(options["file"])
        self._while_working("Checking …")
        try:
            manifest = backup_reader.verify(path)
        except InvalidArchive as error:
            raise CommandError(f"{path.name}: {error}") from None
        self.stdout.write(f"{path.name} can be restored: {_held(manifest.accounts, manifest.records)}.")

    def _restore(self, options: dict[str, Any]) -> None:
        path = _found(options["file"])
        if sys.stdin.isatty() and not options["yes"]:
            self._ask(path.name)
        if path.parent != settings.DATA_FOLDER.backups:
            path = backup_import.bring_in(path).path
            self.stdout.write(f"Copied as {path.name}.")
        self._while_working("Checking and restoring …")
        restored = restore_backup.restore(
            path, include_instance=not options["without_key"], actor=ACTOR, user_id=None, ip=""
        )
        self.stdout.write(restored.message)

    def _prune(self, options: dict[str, Any]) -> None:
        with file_names.maintenance_lock():
            removed = pruning.prune()
        message = pruning.pruned_message(removed)
        log.record("backup_prune", actor=ACTOR, user_id=None, detail=message)
        self.stdout.write(str(message))

    def _ask(self, name: str) -> None:
        self.stdout.write(f"All accounts, usage data and settings will be replaced by those of {name}.")
        if input("Type the name of the file to go on: ").strip() != name:
            raise CommandError("Nothing was changed.")

    def _while_working(self, line: str) -> None:
        if self.stdout.isatty():
            self.stdout.write(line)
            self.stdout.flush()


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
