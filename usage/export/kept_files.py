"""Exports kept as files, in one folder per archive (docs/decisions/files.md#kept-exports)."""

import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext, gettext_noop

from accounts import archives
from accounts.models import Archive, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import disk_space
from archive_site.lib.storage.data_folder import made
from usage import node_files
from usage.export.csv_file import pieces
from usage.export.header import SPECIFIED
from usage.export.pieces import IncompleteExport, file_name
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.models import Horizon, Privacy

KEPT = 5
# A file that is still being written has changed more recently.
ABANDONED_AFTER = timedelta(hours=1)
_NAME = re.compile(r"[\w.-]+\.csv")
_MOMENT = len("YYYYMMDD-HHMMSS.csv")


@dataclass(frozen=True)
class Export:
    """A kept file, its size in bytes, when it was complete, and its node if only another one has it."""

    name: str
    size: int
    written_at: datetime
    node: str = ""


def write_export(user: User, archive_id: int, *, purpose: bool = False, language: str = SPECIFIED) -> Path:
    """Write all records of an archive to a new file, newest first, keep its newest five files, and return the path.

    The file has the name of the user, whose archive it is.

    `purpose` adds a last column; `language` is that of the header. The file gets its name once it is complete: a
    process that dies before leaves no file that is listed. Raises ApiError: 409 `interrupted` when the archive was
    erased or replaced meanwhile, 507 `no_space`.
    """
    made(settings.DATA_FOLDER.exports)
    folder = made(_folder(archive_id))
    remove_abandoned(folder)
    path = folder / file_name(user.username, clock.now())
    unfinished = folder / f".{secrets.token_hex(8)}.part"
    since = _kept_since(archive_id)
    try:
        with _failures_as_api_errors(), unfinished.open("xb") as file:
            for piece in pieces(archive_id, RecordFilters(), NEWEST_FIRST, purpose=purpose, language=language):
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
            if _kept_since(archive_id) != since:
                # Another node removes only what it has itself, and what it has erased or changed may be in the file.
                raise IncompleteExport(gettext_noop("a record was erased"))
        unfinished.rename(path)
    finally:
        unfinished.unlink(missing_ok=True)
    # The new one stays also where a clock that ran ahead has written the others.
    others = [kept for kept in exports_of(archive_id) if kept != path]
    for old in sorted(others, key=lambda kept: kept.stat().st_mtime)[: 1 - KEPT]:
        old.unlink(missing_ok=True)
    node_files.note(node_files.EXPORT, partial(exports_of, archive_id), archive_id)
    return path


def remove_abandoned(folder: Path | None = None) -> int:
    """Remove unfinished files of exports that died, in one archive's folder or in all. Return the number of files."""
    before = (clock.now() - ABANDONED_AFTER).timestamp()
    found = folder.glob(".*.part") if folder else settings.DATA_FOLDER.exports.glob("*/.*.part")
    removed = 0
    for path in found:
        # A file that was completed just now has another name.
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < before:
                path.unlink()
                removed += 1
    return removed


def remove_exports(archive_id: int) -> None:
    """Remove all exports of an archive, finished or not."""
    shutil.rmtree(_folder(archive_id), ignore_errors=True)
    node_files.forget(node_files.EXPORT, archive_id)


def remove_outdated(archive_id: int) -> None:
    """Remove the exports of this node from before another one made what is stored what the account keeps."""
    if not node_files.are_apart():
        return
    since = _kept_since(archive_id).timestamp()
    for path in exports_of(archive_id):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < since:
                path.unlink()


def _kept_since(archive_id: int) -> datetime:
    """When what the archive stores was last made what its account keeps: prompts were changed, or calls erased."""
    owner = archives.owner_of(archive_id)
    changed = Privacy.objects.filter(user_id=owner).values_list("converted_at", flat=True).first()
    erased = Horizon.objects.filter(archive_id=archive_id).values_list("erased_at", flat=True).first()
    return max((at for at in (changed, erased) if at), default=datetime.min.replace(tzinfo=UTC))


def remove_exports_of_others() -> None:
    """Remove the exports of archives that now belong to another account: their file names have another user name."""
    names, owners = dict(User.objects.values_list("pk", "username")), archives.owners_of_further()
    for archive_id in _with_folders():
        name = names.get(owners.get(archive_id, archive_id))
        for path in exports_of(archive_id):
            if name and not _is_of(name, path.name):
                path.unlink(missing_ok=True)


def note_all() -> None:
    """Note the exports of this node, and remove those of archives that were erased or adopted on another one."""
    if not node_files.are_apart():
        return
    remove_exports_of_others()
    for archive_id in _with_folders():
        # The row of an archive goes with its data.
        if Archive.objects.filter(pk=archive_id).exists():
            remove_outdated(archive_id)
            node_files.note(node_files.EXPORT, partial(exports_of, archive_id), archive_id)
        else:
            shutil.rmtree(_folder(archive_id), ignore_errors=True)


def newest_first(archive_id: int) -> list[Export]:
    """The archive's finished exports, also those that only another node has, newest first."""
    remove_outdated(archive_id)
    since = _kept_since(archive_id)
    others = [other for other in node_files.elsewhere(node_files.EXPORT, archive_id) if other.written_at >= since]
    found = [Export(other.name, other.size, other.written_at, other.node) for other in others]
    for path in exports_of(archive_id):
        # A newer export may have replaced it just now.
        with suppress(FileNotFoundError):
            status = path.stat()
            found.append(Export(path.name, status.st_size, datetime.fromtimestamp(status.st_mtime, UTC)))
    is_own = _own_names(archive_id)
    return sorted(filter(lambda export: is_own(export.name), found), key=lambda export: export.written_at, reverse=True)


def exports_of(archive_id: int) -> list[Path]:
    """The archive's finished exports."""
    folder = _folder(archive_id)
    return [path for path in folder.iterdir() if _NAME.fullmatch(path.name)] if folder.is_dir() else []


def find_export(archive_id: int, name: str) -> Path | None:
    """The archive's export of this name; None if there is none. Raises ApiError 409 if only another node has it."""
    if not _own_names(archive_id)(name):
        return None
    remove_outdated(archive_id)
    path = next((path for path in exports_of(archive_id) if path.name == name), None)
    if path is None:
        node_files.require_here(node_files.EXPORT, name, archive_id)
    return path


def _is_of(username: str, name: str) -> bool:
    """Whether an export of this name is of the account with this user name."""
    return name[:-_MOMENT] == file_name(username, clock.now())[:-_MOMENT]


def _own_names(archive_id: int) -> Callable[[str], bool]:
    """Whether an export of this archive is of the account that has it now, by its name.

    A restore or an adoption on one node may give it to another account, and leaves the files of the other nodes where
    they are until these start.
    """
    if not node_files.are_apart():
        return lambda name: True
    username = User.objects.filter(pk=archives.owner_of(archive_id)).values_list("username", flat=True).first()
    return lambda name: username is not None and _is_of(username, name)


@contextmanager
def _failures_as_api_errors() -> Iterator[None]:
    try:
        yield
    except IncompleteExport as error:
        words = gettext("The export was interrupted: %(reason)s. Export again.")
        raise ApiError(409, "interrupted", words % {"reason": gettext(str(error))}) from None
    except FileNotFoundError:
        words = gettext("The export was interrupted: %(reason)s. Export again.")
        raise ApiError(409, "interrupted", words % {"reason": gettext("its file was removed")}) from None
    except OSError as error:
        if not disk_space.is_full(error):
            raise
        raise ApiError(507, "no_space", gettext("The disk is full: nothing was exported.")) from None


def _with_folders() -> list[int]:
    """The archives that have a folder on this node."""
    names = (folder.name for folder in settings.DATA_FOLDER.exports.glob("[1-9]*"))
    return [int(name) for name in names if name.isascii() and name.isdecimal()]


def _folder(archive_id: int) -> Path:
    return settings.DATA_FOLDER.exports / str(archive_id)
