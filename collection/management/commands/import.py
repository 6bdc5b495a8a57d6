"""Import a file of calls into an account's archive from the command line."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.account_lookup import account_named
from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand
from collection.import_run import Importer, import_file, preview
from collection.models import Run
from usage.importing.columns import FIELDS, mapping_of
from usage.importing.file_format import Options, zone_named
from usage.importing.file_source import source_at

_LINES = {
    "new": "new",
    "known": "already known",
    "repeated": "more than once in the file",
    "conflicting": "known with other values",
    "prompts": "prompts more complete than here",
    "unreadable": "cannot be read",
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
        parser.add_argument("--zone", metavar="ZONE", help="the time zone of times without offset, as Asia/Shanghai")

    def run(self, *args: Any, **options: Any) -> None:
        open_store()
        user = account_named(options["name"])
        source = source_at(Path(options["file"]))
        chosen = Options(_columns(options["map"]), zone_named(options["zone"] or ""))
        if options["dry_run"]:
            self._show(preview(user, source, chosen))
            return
        importer = Importer(user, Run.Trigger.CLI, "command line")
        try:
            run, result = import_file(importer, source, chosen)
        except KeyboardInterrupt:
            raise CommandError("Stopped; nothing was imported.", returncode=130) from None
        self._show_examples(result)
        self.stdout.write(run.message)

    def _show(self, result: dict[str, Any]) -> None:
        columns = ", ".join(f"{field}={column}" for field, column in result["columns"].items())
        self.stdout.write(f"{result['format']}, {result['rows']} rows; columns: {_printable(columns)}")
        for name, words in _LINES.items():
            self.stdout.write(f"{result[name]:>10} {words}")
        self._show_examples(result)

    def _show_examples(self, result: dict[str, Any]) -> None:
        examples = result["examples"]
        for conflict in examples["conflicting"]:
            self.stdout.write(_printable(f"conflict {conflict['request_id']}: {', '.join(conflict['differs'])}"))
        for row in examples["unreadable"]:
            self.stdout.write(_printable(f"row {row['row']}: {row['reason']}"))


def _columns(given: list[str]) -> dict[str, str]:
    pairs = [each.partition("=") for each in given]
    return mapping_of({field: column for field, _, column in pairs})


def _printable(line: str) -> str:
    """The line without signs that a terminal would obey."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line)
