"""Import a file of calls into an account's archive from the command line."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.account_lookup import account_named
from accounts.models import User
from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand
from collection.api_types import ImportedFile
from collection.models import Run
from collection.transfer.import_run import Importer, import_file, preview
from collection.transfer.import_storing import ImportStopped
from usage.importing.columns import FIELDS, mapping_of
from usage.importing.encodings import NAMES as ENCODINGS
from usage.importing.file_format import Options, zone_named
from usage.importing.file_source import Source, source_at
from usage.importing.unreadable_file import UnreadableFile

# The exit code where rows were left out (docs/api.md#import).
ROWS_LEFT_OUT = 3
_LINES = {
    "new": "new",
    "known": "already known",
    "repeated": "more than once in the file",
    "conflicting": "with other values here or in a later row",
    "prompts": "prompts more complete than here",
    "too_old": "of erased days, left out",
    "unreadable": "cannot be read",
    "damaged": "cells with damaged characters",
}


class Command(ArchiveCommand):
    help = "Import calls from a CSV or JSON file, or a whole account from the .zip file of `export`."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("file", metavar="FILE")
        parser.add_argument("--dry-run", action="store_true", help="show what the file holds, and store nothing")
        parser.add_argument(
            "--map", nargs="+", default=[], metavar="FIELD=COLUMN", help=f"columns by hand; fields: {', '.join(FIELDS)}"
        )
        parser.add_argument("--encoding", choices=ENCODINGS, default="", help="the encoding, where it is not found")
        parser.add_argument("--zone", metavar="ZONE", help="the time zone of times without offset, as Asia/Shanghai")

    def run(self, *args: Any, **options: Any) -> None:
        open_store()
        user = account_named(options["name"])
        source = source_at(Path(options["file"]))
        chosen = Options(_columns(options["map"]), zone_named(options["zone"] or ""), options["encoding"])
        try:
            self._read(user, source, chosen, is_dry=options["dry_run"])
        except UnreadableFile as error:
            raise CommandError(f"{error.message}{_option_for(error)}") from None

    def _read(self, user: User, source: Source, chosen: Options, *, is_dry: bool) -> None:
        if is_dry:
            result = preview(user, source, chosen)
            self._show(result)
            self._require_all_rows(result)
            return
        importer = Importer(user, Run.Trigger.CLI, "command line")
        try:
            run, result = import_file(importer, source, chosen)
        except ImportStopped as stopped:
            raise CommandError(str(stopped.message), returncode=130) from None
        except KeyboardInterrupt:
            raise CommandError("Stopped; nothing was imported.", returncode=130) from None
        self._show_examples(result)
        self.stdout.write(run.message)
        self._show_further(result)
        self._require_all_rows(result)

    def _show(self, result: ImportedFile) -> None:
        columns = ", ".join(f"{field}={column}" for field, column in result.columns.items())
        about = f"{result.format} in {result.encoding}, {result.rows} rows"
        self.stdout.write(f"{about}; columns: {_printable(columns)}")
        for name, words in _LINES.items():
            self.stdout.write(f"{getattr(result, name):>10} {words}")
        for call in result.examples.new:
            self.stdout.write(_printable(f"new {call.request_id}: {call.ts} {call.model} {call.client} {call.credits}"))
        self._show_examples(result)
        self._show_further(result)

    def _require_all_rows(self, result: ImportedFile) -> None:
        if count := result.unreadable + sum(further.unreadable for further in result.archives or ()):
            words = "row cannot be read and is" if count == 1 else "rows cannot be read and are"
            raise CommandError(f"{count} {words} left out.", returncode=ROWS_LEFT_OUT)

    def _show_further(self, result: ImportedFile) -> None:
        for further in result.archives or ():
            counts = f"{further.rows} rows, {further.new} new, {further.known} known"
            counts += f", {further.unreadable} unreadable"
            counts += f", {further.conflicting} with other values" if further.conflicting else ""
            counts += f", {further.too_old} of erased days" if further.too_old else ""
            self.stdout.write(_printable(f"archive {further.label}: {counts}; {further.runs.new} new runs"))

    def _show_examples(self, result: ImportedFile) -> None:
        examples = result.examples
        for conflict in examples.conflicting:
            self.stdout.write(_printable(f"conflict {conflict.request_id}: {', '.join(conflict.differs)}"))
        for row in examples.unreadable:
            self.stdout.write(_printable(f"row {row.row}: {row.reason}"))
        for cell in examples.damaged:
            self.stdout.write(_printable(f"row {cell.row}: {cell.column} has damaged characters: {cell.value}"))


def _option_for(error: UnreadableFile) -> str:
    """Which option of the command takes the choice that a file needs."""
    if error.choice.encodings:
        return " The option is --encoding."
    if error.choice.headers:
        return _printable(f" The option is --map FIELD=COLUMN; its columns: {', '.join(error.choice.headers)}.")
    return ""


def _columns(given: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in given]
    if wrong := next((field for field, sign, _ in pairs if not sign or field not in FIELDS), None):
        raise CommandError(_printable(f"--map takes FIELD=COLUMN, not '{wrong}'; the fields are: {', '.join(FIELDS)}."))
    return mapping_of({field: column for field, _, column in pairs})


def _printable(line: str) -> str:
    """The line without signs that a terminal would obey."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)
