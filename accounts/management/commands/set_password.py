"""Give an account a new password from the command line."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.account_creation import clean_password
from accounts.account_lookup import account_named
from accounts.actor import Actor
from accounts.passwords.password_prompt import add_password_argument, ask_for_password, warn_of
from accounts.user_changes import update
from archive_site.lib.commands import ArchiveCommand


class Command(ArchiveCommand):
    help = "Give an account a new password, asked for or read from standard input, and end its sessions and tokens."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        add_password_argument(parser)

    def run(self, *args: Any, **options: Any) -> None:
        user = account_named(options["name"])
        password, repeated = ask_for_password(options["password_stdin"])
        # `update` ignores an empty password, so check it here.
        clean_password(password, repeated, user.username)
        warn_of(self, password, user.username)
        update(user.pk, {"password": password, "password2": repeated}, Actor("command line", None))
        self.stdout.write(f"{user.username} has a new password; all its sessions and tokens are ended.")
