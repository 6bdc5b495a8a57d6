"""Whose the data folder is: a volume may belong to another system user, its contents may not
(docs/deploy.md#any-user-in-a-container)."""

import os
import stat
from collections.abc import Iterable
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
    for path in contents:
        with suppress(FileNotFoundError):
            owner = path.stat().st_uid
            if not may_change(path.stat()):
                raise ConfigurationError(
                    f"The data folder {folder} is that of user {owner}, who owns {path.name}, but this process runs as "
                    f"user {me}: run it as user {owner}, or run 'chown -R {me} {folder}'"
                )


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
