"""Create an administrator from the command line."""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from accounts.account_creation import create_account
from accounts.passwords.password_prompt import add_password_argument, ask_for_password, warn_of
from archive_site.lib.commands import ArchiveCommand
from archive_site.lib.stored_message import Message
from audit import log


class Command(ArchiveCommand):
    help = "Create an administrator. Asks for the password, or reads it from standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        add_password_argument(parser)

    def run(self, *args: Any, **options: Any) -> None:
        password, repeated = ask_for_password(options["password_stdin"])
        warn_of(self, password, options["name"])
        with transaction.atomic():
            admin = create_account(options["name"], password, repeated, is_admin=True)
            detail = Message("administrator_created", name=admin.username)
            log.record("user_create", actor="command line", user_id=None, detail=detail)
        self.stdout.write(f"{admin.username} is an administrator now.")
