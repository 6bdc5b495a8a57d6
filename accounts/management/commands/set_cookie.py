"""Give an account a cookie from the command line."""

import sys
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts import archives, settings_change
from accounts.account_lookup import account_named
from accounts.credentials.credential_forms import LONGEST
from archive_site.lib.commands import ArchiveCommand


class Command(ArchiveCommand):
    help = "Give an account its cookie: the copied request, or the cookie alone, is read from standard input."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")

    def run(self, *args: Any, **options: Any) -> None:
        user = account_named(options["name"])
        text = _pasted()
        outcome = settings_change.change(user, archives.first_of(user.pk), {"cookie": text}, actor="command line")
        for warning in outcome.warnings:
            self.stderr.write(f"Warning: {warning}")
        if outcome.changed:
            self.stdout.write(f"{user.username}: changed {', '.join(outcome.changed)}.")
        if outcome.errors:
            raise CommandError(" ".join(map(str, outcome.errors)))


def _pasted() -> str:
    """Standard input, which is shown nowhere. Raises CommandError for a terminal, and where there is no text."""
    if sys.stdin.isatty():
        # A terminal would show what is typed, and cut lines of more than 4,095 characters.
        raise CommandError("Give the copied request on standard input, as in 'manage.py set_cookie NAME < FILE'.")
    try:
        # One character more shows that it is too long.
        text = sys.stdin.read(LONGEST + 1)
    except UnicodeDecodeError:
        raise CommandError("Standard input is not text in this terminal's encoding.") from None
    if not text.strip():
        raise CommandError("Standard input holds no text; nothing was changed.")
    return text
