"""Remove the second factor of an account whose owner has lost it, from the command line."""

from typing import Any

from django.core.management.base import CommandParser

from accounts.account_lookup import account_named
from accounts.actor import Actor
from accounts.second_factor_changes import reset
from archive_site.lib.commands import ArchiveCommand


class Command(ArchiveCommand):
    help = "Remove the second factor of an account and end its sessions: it signs in with its password alone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")

    def run(self, *args: Any, **options: Any) -> None:
        user = account_named(options["name"])
        reset(user.pk, Actor("command line", None))
        self.stdout.write(f"{user.username} signs in with the password alone.")
