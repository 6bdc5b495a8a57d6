"""Whose the data folder is: a volume may belong to another system user, its contents may not
(docs/deploy.md#any-user-in-a-container)."""

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from archive_site.lib.environment import ConfigurationError

_ROOT = 0


def require_usable(folder: Path, contents: Iterable[Path]) -> None:
    """Raise ConfigurationError, in a line that says what to change, where this process cannot use the folder.

    `contents` is what an instance has created in it.
    """
    me = os.geteuid()
    with suppress(FileNotFoundError):
        found = folder.stat()
        if not may_change(found):
            _require_access(folder, found)
        elif me != _ROOT and ~found.st_mode & stat.S_IRWXU:
            raise ConfigurationError(
                f"The data folder {folder} has the mode {stat.S_IMODE(found.st_mode):04o}, which closes it to its own "
                f"user {me}: run 'chmod u+rwx {folder}'"
            )
    for path in contents:
        with suppress(FileNotFoundError):
            owner = path.stat().st_uid
            if not may_change(path.stat()):
                raise ConfigurationError(
                    f"The data folder {folder} is that of user {owner}, who owns {path.name}, but this process runs as "
                    f"user {me}: run it as user {owner}, or run 'chown -R {me} {folder}'"
                )


def refusal(folder: Path, error: PermissionError) -> ConfigurationError:
    """What to change where the system keeps this process from a folder, from one above or from a file in it."""
    me, above = os.geteuid(), list(folder.absolute().parents)
    process = f"this process (user {me})"
    # The outermost first: nothing can be said of what lies in a closed one.
    closed = next((one for one in reversed(above) if one.exists() and not os.access(one, os.X_OK)), None)
    if closed:
        return ConfigurationError(
            f"The data folder {folder} lies in {closed}, which is closed to {process}: run "
            f"'chmod {_class_of(closed.stat())}+x {closed}', or choose another folder"
        )
    if not folder.exists():
        last = next(one for one in above if one.exists())
        return ConfigurationError(
            f"The data folder {folder} is missing, and {process} may not create it in {last}: run "
            f"'install -d -o {me} -m 700 {folder}' as root, or choose another folder"
        )
    # Rules that no mode shows, such as those of a network file system.
    return ConfigurationError(
        f"The data folder {folder} cannot be used, since {process} is denied {error.filename or folder}: run "
        f"'chown -R {me} {folder}' where it is stored, or choose another folder"
    )


def owner_to_be(folder: Path, marks: Iterable[Path]) -> tuple[int, int] | None:
    """User and group who are to own what root makes in the folder: those of the first mark that exists, else its own.

    None where that is root, or where this process is not root.
    """
    known = next((path for path in marks if path.exists()), folder)
    if os.geteuid() != _ROOT or not known.exists() or known.stat().st_uid == _ROOT:
        return None
    return known.stat().st_uid, known.stat().st_gid


def give(folder: Path, owner: tuple[int, int], contents: Callable[[], Iterable[Path]]) -> None:
    """Give what root owns among the contents of the folder to this user and group.

    The owner may change the folder meanwhile: no link is followed, and no file is taken that has another name.
    """
    ours = {*contents()}
    for place, folders, files, descriptor in os.fwalk(folder):
        for name in (*folders, *files):
            with suppress(FileNotFoundError):
                found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
                is_known = stat.S_ISDIR(found.st_mode) or found.st_nlink == 1
                if found.st_uid == _ROOT and is_known and Path(place, name) in ours:
                    os.chown(name, *owner, dir_fd=descriptor, follow_symlinks=False)


def _class_of(found: os.stat_result) -> str:
    """The permissions of a folder that count for this process, as chmod names them."""
    if found.st_uid == os.geteuid():
        return "u"
    return "g" if found.st_gid in {os.getegid(), *os.getgroups()} else "o"


def may_change(found: os.stat_result) -> bool:
    """Whether this process may change the permissions of a file."""
    return os.geteuid() in (_ROOT, found.st_uid)


def _require_access(folder: Path, found: os.stat_result) -> None:
    """Raise ConfigurationError for a folder of another user that is closed to this one, or open to everybody."""
    me, groups = os.geteuid(), sorted({os.getegid(), *os.getgroups()})
    whose = f"The data folder {folder} belongs to user {found.st_uid} and group {found.st_gid}"
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        named = ", ".join(map(str, groups))
        raise ConfigurationError(
            f"{whose}, and this process (user {me}, groups {named}) may not write there: run it in that group and run "
            f"'chmod g+rwx {folder}', or run 'chown -R {me} {folder}'"
        )
    if found.st_mode & stat.S_IWOTH:
        raise ConfigurationError(f"{whose}, and everybody may write there: run 'chmod o-w {folder}'")
