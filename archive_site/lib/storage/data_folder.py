"""The data folder of an instance: owner-only, with keys that are created once (docs/decisions.md#one-folder)."""

import os
import secrets
import stat
from dataclasses import dataclass
from pathlib import Path

from cryptography.fernet import Fernet

from archive_site.lib.environment import ConfigurationError

_FOLDERS = ("backups", "exports", "imports", "logs", "static")
# The file of a restored store.
_RESTORED = f"store-{'[0-9a-f]' * 32}.sqlite3"
# Everything that an instance creates in its folder.
_OWN = (
    "*.sqlite3*", "*.key", "instance.key.new", "scheduler.lock", "restore.lock",
    *(f"{name}{inside}" for name in (*_FOLDERS, ".restore-*") for inside in ("", "/**/*")),
)  # fmt: skip


@dataclass(frozen=True)
class DataFolder:
    home: Path

    @property
    def store(self) -> Path:
        """The store: a file, or after a restore a link to a file beside it."""
        return self.home / "archive.sqlite3"

    @property
    def counters(self) -> Path:
        return self.home / "cache.sqlite3"

    @property
    def instance_key(self) -> Path:
        return self.home / "instance.key"

    @property
    def staged_key(self) -> Path:
        """The key of a backup during its restore; used once the store names it."""
        return self.home / "instance.key.new"

    @property
    def secret_key(self) -> Path:
        return self.home / "secret.key"

    @property
    def backups(self) -> Path:
        return self.home / "backups"

    @property
    def exports(self) -> Path:
        return self.home / "exports"

    @property
    def imports(self) -> Path:
        """Files that are being imported, each only until its import has ended."""
        return self.home / "imports"

    @property
    def static(self) -> Path:
        """The served scripts and styles, collected again at each start."""
        return self.home / "static"

    @property
    def log(self) -> Path:
        return self.home / "logs" / "app.log"

    @property
    def scheduler_lock(self) -> Path:
        return self.home / "scheduler.lock"

    @property
    def restore_lock(self) -> Path:
        """Held alone by a restore and shared by writers."""
        return self.home / "restore.lock"


def prepare(home: Path, *, store_elsewhere: bool = False) -> DataFolder:
    """Create the folder and its keys where missing, and remove the permissions of other system users.

    A key is created only before the store exists: an existing store has lost its key, and a new key would break
    every cookie silently. A link to a missing store does not count as a first start. Raises ConfigurationError with
    one line.
    """
    os.umask(0o077)
    folder = DataFolder(home)
    try:
        for path in (home, folder.backups, folder.exports, folder.imports, folder.static, folder.log.parent):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _take_back_rights(home)
    except OSError as error:
        raise ConfigurationError(f"The data folder {home} cannot be used: {error.strerror}") from None
    if not store_elsewhere:
        _require_whole(folder.store)
    first_start = store_elsewhere or not folder.store.exists()
    _ensure_key(folder.secret_key, secrets.token_urlsafe(64), first_start)
    _ensure_key(folder.instance_key, Fernet.generate_key().decode(), first_start)
    return folder


def read_secret_key(folder: DataFolder) -> str:
    """Django's secret key. Raises ConfigurationError if the file holds none."""
    key = _read(folder.secret_key)
    if len(key) < 40:
        raise ConfigurationError(f"{folder.secret_key} holds no secret key (at least 40 characters)")
    return key


def read_instance_key(folder: DataFolder) -> str:
    """The Fernet key of the stored cookies. Raises ConfigurationError if the file holds none."""
    return read_fernet_key(folder.instance_key)


def read_fernet_key(path: Path) -> str:
    """The Fernet key in a file. Raises ConfigurationError if the file holds none."""
    key = _read(path)
    try:
        Fernet(key)
    except ValueError:
        raise ConfigurationError(
            f"{path} holds no Fernet key (32 bytes, URL-safe base64): restore the right key from a copy"
        ) from None
    return key


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not a key file") from None


def _take_back_rights(home: Path) -> None:
    # Other files keep their permissions: ARCHIVE_HOME may be a folder with other contents.
    own = [path for pattern in _OWN for path in home.glob(pattern)]
    for path in [home, *own]:
        if path.is_symlink():
            continue
        try:
            mode, owners = stat.S_IMODE(path.stat().st_mode), 0o700 if path.is_dir() else 0o600
            if mode & ~owners:
                path.chmod(mode & owners)
        except FileNotFoundError:
            # Another process has removed the file (a journal) meanwhile.
            continue


def _require_whole(store: Path) -> None:
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


def _ensure_key(path: Path, key: str, first_start: bool) -> None:
    if path.exists():
        return
    if not first_start:
        raise ConfigurationError(f"{path} is missing, but its store exists: restore it from a copy (README)")
    # A draft is linked to the name: of two first starts one key wins, and no half-written file is visible.
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        draft.touch(mode=0o600)
        draft.write_text(key + "\n", "ascii")
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be written: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)
