"""Make an administrator from the command line."""

import getpass
import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from accounts.registration import create_account
from archive_site.lib.commands import ArchiveCommand
from audit import log


class Command(ArchiveCommand):
    help = "Make an administrator; asks for the password, or reads it from standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("--password-stdin", action="store_true", help="read the password as one line")

    def run(self, *args: Any, **options: Any) -> None:
        password, repeated = self._passwords(options["password_stdin"])
        with transaction.atomic():
            admin = create_account(options["name"], password, repeated, is_admin=True)
            log.record("user_create", actor="command line", user_id=None, detail=f"administrator {admin.username}")
        self.stdout.write(f"{admin.username} is an administrator now.")

    def _passwords(self, from_stdin: bool) -> tuple[str, str]:
        if from_stdin:
            password = sys.stdin.readline().rstrip("\r\n")
            return password, password
        if not sys.stdin.isatty():
            raise CommandError("There is no terminal to ask for the password on: use --password-stdin.")
        return getpass.getpass("Password: "), getpass.getpass("Once more: ")
