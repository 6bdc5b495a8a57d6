"""Replace a lost key of the instance from the command line."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts import key_replacement
from archive_site.lib.commands import ArchiveCommand


class Command(ArchiveCommand):
    help = "Replace a lost key by a new one. Cookies that the lost key encrypted can never be read again."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--yes", action="store_true", help="replace it")

    def run(self, *args: Any, yes: bool = False, **options: Any) -> None:
        lost = _lost()
        if not yes:
            raise CommandError(f"{lost} Nothing was changed: add --yes to replace the key.")
        key_replacement.replace()
        self.stdout.write(f"The key is replaced. {lost} Copy the key files to every other node, and start all again.")


def _lost() -> str:
    if key_replacement.only_the_secret_key_is_lost():
        return "Everybody has to sign in again."
    lost = f"Stored cookies that become unreadable: {key_replacement.stored_cookies()}. Each must be pasted again."
    if number := key_replacement.second_factors():
        lost += f" Accounts whose codes become unreadable: {number}. Their owners sign in with recovery codes."
    if number := key_replacement.accounts_with_receivers():
        lost += f" Accounts whose addresses of notices and webhooks are lost: {number}. They enter them again."
    return f"{lost} Prompts that are kept as hashes are found no more."
