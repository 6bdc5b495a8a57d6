"""The data folder of an instance: owner-only, with keys that are created once (docs/decisions/instance.md#one-folder).

Nodes of one instance have a data folder each, and may have one folder in common (docs/decisions/nodes.md#nodes).
"""

import atexit
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from cryptography.fernet import Fernet

from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage import folder_owner, key_files

_FOLDERS = ("backups", "exports", "imports", "logs", "static")
# The file of a restored store.
_RESTORED = f"store-{'[0-9a-f]' * 32}.sqlite3"
_KEYS = ("*.key", "*.key.new")


def _with_contents(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}{inside}" for name in names for inside in ("", "/**/*"))


# Everything that an instance creates in its folder, and in the one that its nodes have in common.
_OWN = (
    "*.sqlite3*", *_KEYS, "*.lock", "static.json", "node.id", "disk.reserve",
    *_with_contents(*_FOLDERS, ".restore-*"),
)  # fmt: skip
_SHARED = (*_KEYS, *_with_contents("backups", "exports"))


@dataclass(frozen=True)
class DataFolder:
    home: Path
    # What all nodes of the instance reach: exports and backups, and keys where `home` has none.
    shared: Path | None = None

    @property
    def store(self) -> Path:
        """The store: a file, or after a restore a link to a file beside it."""
        return self.home / "archive.sqlite3"

    @property
    def counters(self) -> Path:
        return self.home / "cache.sqlite3"

    @property
    def instance_key(self) -> Path:
        return self._key("instance.key")

    @property
    def staged_key(self) -> Path:
        """The key of a backup during its restore, or a new one; used once the store names it."""
        return key_files.draft_of(self.instance_key)

    @property
    def secret_key(self) -> Path:
        return self._key("secret.key")

    @property
    def backups(self) -> Path:
        return self._common / "backups"

    @property
    def exports(self) -> Path:
        return self._common / "exports"

    @property
    def imports(self) -> Path:
        """Files that are being imported, each only until its import has ended."""
        return self.home / "imports"

    @property
    def static(self) -> Path:
        """The served scripts and styles, collected again where they changed; `static.json` beside it describes them."""
        return self.home / "static"

    @property
    def log(self) -> Path:
        return self.home / "logs" / "app.log"

    @property
    def scheduler_lock(self) -> Path:
        return self.home / "scheduler.lock"

    @property
    def reserve(self) -> Path:
        return self.home / "disk.reserve"

    @property
    def node_id(self) -> Path:
        return self.home / "node.id"

    @property
    def new_keys(self) -> dict[Path, str]:
        """The key files, each with a key that it may hold."""
        return {self.secret_key: secrets.token_urlsafe(64), self.instance_key: Fernet.generate_key().decode()}

    @property
    def _common(self) -> Path:
        return self.shared or self.home

    def _key(self, name: str) -> Path:
        own = self.home / name
        return own if own.exists() else self._common / name


def prepare(home: Path, *, shared: Path | None = None) -> DataFolder:
    """Create the folders where missing, and remove the permissions of other system users.

    Raises ConfigurationError with one line, before anything is written if another user has the folder or a file in it.
    """
    os.umask(0o077)
    folder = DataFolder(home, shared)
    roots = {home: ([home / name for name in _FOLDERS], _OWN)}
    if shared:
        roots.setdefault(shared, ([folder.backups, folder.exports], _SHARED))
    for root, (_, patterns) in roots.items():
        with _one_line(root):
            folder_owner.require_usable(root, _present(root, patterns))
            _give_at_exit(folder, root, patterns)
    for root, (parts, patterns) in roots.items():
        with _one_line(root):
            for path in (root, *parts):
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in (root, *_present(root, patterns)):
                _take_back_rights(path)
    return folder


def made(folder: Path) -> Path:
    """A folder within the data folder, made again where somebody removed it.

    Raises FileNotFoundError where the data folder itself is missing: it may be a mount that is lost.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def read_secret_key(folder: DataFolder) -> str:
    """Django's secret key. Raises ConfigurationError if the file holds none."""
    return key_files.read_secret_key(key_files.present(folder.secret_key))


def read_instance_key(folder: DataFolder) -> str:
    """The Fernet key of the stored cookies. Raises ConfigurationError if the file holds none."""
    return key_files.read_fernet_key(key_files.present(folder.instance_key))


@contextmanager
def _one_line(root: Path) -> Iterator[None]:
    try:
        yield
    except PermissionError as error:
        raise folder_owner.refusal(root, error) from None
    except OSError as error:
        raise ConfigurationError(f"The data folder {root} cannot be used: {error.strerror}") from None


def _present(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    """What an instance has created in the folder. Other files keep their owner and permissions."""
    return [path for path in _named(root, patterns) if not path.is_symlink()]


def _named(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    return [path for pattern in patterns for path in root.glob(pattern)]


def _give_at_exit(folder: DataFolder, root: Path, patterns: tuple[str, ...]) -> None:
    """Let what a process of root makes there belong to the user of the service, once it ends."""
    marks = [
        path for path in (folder.store, folder.instance_key, folder.secret_key, folder.node_id) if path.parent == root
    ]
    owner = folder_owner.owner_to_be(root, marks)
    if owner:
        atexit.register(folder_owner.give, root, owner, partial(_named, root, patterns))


def _take_back_rights(path: Path) -> None:
    # Another process may have removed the file (a journal) meanwhile.
    with suppress(FileNotFoundError):
        found, owners = path.stat(), 0o700 if path.is_dir() else 0o600
        mode = stat.S_IMODE(found.st_mode)
        # A folder of another user can be a volume: its owner alone can change its permissions.
        if mode & ~owners and folder_owner.may_change(found):
            path.chmod(mode & owners)


def require_whole(store: Path) -> None:
    """Raise ConfigurationError if the store or its link is missing: SQLite would create an empty store instead."""
    if store.exists():
        return
    if store.is_symlink():
        raise ConfigurationError(
            f"{store} leads to {store.readlink()}, which is missing: restore it from a copy, or move the link and "
            "every store-….sqlite3 beside it away and restore a backup"
        )
    restored = sorted(store.parent.glob(_RESTORED), key=lambda path: path.stat().st_mtime)
    if restored:
        newest = restored[-1].name
        raise ConfigurationError(
            f"{store} is missing, but {newest} lies beside it: put the link back (ln -s {newest} {store.name}), or "
            "move every store-….sqlite3 away and restore a backup"
        )
