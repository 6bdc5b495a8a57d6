"""Write a whole account to one file, which `import` reads on any instance."""

import os
import secrets
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.account_lookup import account_named
from accounts.models import User
from accounts.store_identity import open_store
from archive_site.lib.commands import ArchiveCommand
from archive_site.lib.stored_message import Message
from audit import log
from collection.transfer import account_export
from usage.export.pieces import IncompleteExport


class Command(ArchiveCommand):
    help = "Write an account's records, prompts, runs and settings, without its cookie, to one .zip file."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="NAME")
        parser.add_argument("file", metavar="FILE", help="a file that does not exist yet")

    def run(self, *args: Any, **options: Any) -> None:
        open_store()
        user = account_named(options["name"])
        path = Path(options["file"])
        unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        try:
            _write(user, unfinished)
            _name(unfinished, path)
        except FileExistsError:
            raise CommandError(f"{path} exists already.") from None
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}") from None
        except IncompleteExport as error:
            raise CommandError(f"The export was interrupted: {error}. Export again.") from None
        finally:
            unfinished.unlink(missing_ok=True)
        log.record("export", actor="command line", user_id=user.pk, detail=Message("account_exported"))
        self.stdout.write(f"Exported to {path}, {path.stat().st_size:,} bytes.")


def _name(unfinished: Path, path: Path) -> None:
    """Give a file its name, unless there is one of that name. Raises FileExistsError."""
    try:
        # Unlike a renaming, a link replaces no file.
        os.link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no links, such as those of many USB sticks.
        path.touch(mode=0o600, exist_ok=False)
        unfinished.replace(path)


def _write(user: User, path: Path) -> None:
    with path.open("xb") as file:
        for piece in account_export.pieces(user):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
