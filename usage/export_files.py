"""Exports that are kept as files, each account's in a folder of its own (specification 4.3, `export-csv`)."""

import os
import re
import secrets
from pathlib import Path

from django.conf import settings

from accounts.models import User
from archive_site.lib import clock
from usage.export import file_name, pieces
from usage.filters import NEWEST_FIRST, Filters

KEPT = 5
_NAME = re.compile(r"[\w.-]+\.csv")


def write_export(user: User) -> Path:
    """Write all records of an account to a new file, newest first, and keep the newest five; its path.

    The file gets its name once it is whole: a death in the middle leaves nothing that is listed.
    """
    folder = _folder(user.pk)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / file_name(user.username, clock.now())
    unfinished = folder / f".{secrets.token_hex(8)}.part"
    try:
        with unfinished.open("xb") as file:
            for piece in pieces(user.pk, Filters(), NEWEST_FIRST):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        unfinished.rename(path)
    finally:
        unfinished.unlink(missing_ok=True)
    for old in sorted(exports_of(user.pk), key=lambda kept: kept.stat().st_mtime)[:-KEPT]:
        old.unlink(missing_ok=True)
    return path


def exports_of(user_id: int) -> list[Path]:
    """The account's finished exports."""
    folder = _folder(user_id)
    return [path for path in folder.iterdir() if _NAME.fullmatch(path.name)] if folder.is_dir() else []


def find_export(user_id: int, name: str) -> Path | None:
    """The account's own export of this name."""
    return next((path for path in exports_of(user_id) if path.name == name), None)


def _folder(user_id: int) -> Path:
    return settings.DATA_FOLDER.exports / str(user_id)
