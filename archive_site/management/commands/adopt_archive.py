"""Give the archive of a deleted account, kept with `keep_data`, to another account."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.account_lookup import account_named
from archive_site.archive_adoption import adopt_archive
from archive_site.lib.commands import ArchiveCommand


class Command(ArchiveCommand):
    help = "Move the archives of a deleted account to another account."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("old_id", type=int, metavar="OLD_ID", help="the id of the deleted account (audit log)")
        parser.add_argument("name", metavar="NAME", help="the account that gets the data")

    def run(self, *args: Any, **options: Any) -> None:
        heir = account_named(options["name"])
        got = adopt_archive(options["old_id"], heir)
        self.stdout.write(f"{heir.username} has {got} more records.")
