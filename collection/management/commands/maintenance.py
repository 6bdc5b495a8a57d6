"""The maintenance actions from the command line, without minimum intervals."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts import archives
from accounts.account_lookup import account_named
from accounts.models import User
from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand
from audit import log
from collection import maintenance_actions
from usage.export.header import LANGUAGES


class Command(ArchiveCommand):
    help = "Fetch missing prompts, export, recount an account's records, or compact the store."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=sorted(maintenance_actions.ACTIONS))
        parser.add_argument("name", nargs="?", metavar="NAME", help="the account; not for vacuum")
        parser.add_argument("--columns", choices=["purpose"], help="a last column with the purpose; for export-csv")
        parser.add_argument("--lang", choices=LANGUAGES, help="the language of the header; for export-csv")

    def run(self, *args: Any, **options: Any) -> None:
        open_store()
        action, name = options["action"], options["name"]
        if bool(name) == maintenance_actions.ACTIONS[action].for_admins:
            raise CommandError(f"{action} takes no account." if name else f"{action} needs an account.", returncode=2)
        user = account_named(name) if name else User()
        given = {"columns": options["columns"], "lang": options["lang"]}
        try:
            message = maintenance_actions.run(action, user, archives.first_of(user.pk), given)
        except KeyboardInterrupt:
            raise CommandError("Stopped; what was done so far is kept.", returncode=130) from None
        log.record(f"maintenance:{action}", actor="command line", user_id=user.pk, detail=message)
        self.stdout.write(str(message))
