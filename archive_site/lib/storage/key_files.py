"""The key files of an instance: reading them, and creating them once.

A draft beside a key file becomes the key when the store names it (accounts/store_identity.py).
"""

import os
import secrets
from pathlib import Path

from cryptography.fernet import Fernet

from archive_site.lib.environment import ConfigurationError


def draft_of(path: Path) -> Path:
    """The file of a key that may become the one of this file."""
    return path.with_name(f"{path.name}.new")


def present(path: Path) -> Path:
    """The key file, or its draft if there is only that: the first start has not named its key in the store yet."""
    return draft_of(path) if not path.exists() and draft_of(path).exists() else path


def create(path: Path, key: str) -> None:
    """Write the key to a new file, unless there is one. Raises ConfigurationError."""
    if path.exists():
        return
    # A whole file is linked to the name: of two first starts one key wins, and no half-written file is visible.
    whole = _written_beside(path, key)
    try:
        os.link(whole, path)
    except FileExistsError:
        return
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        whole.unlink(missing_ok=True)


def replace(path: Path, key: str) -> None:
    """Write the key to the file, also in place of another. Raises ConfigurationError."""
    whole = _written_beside(path, key)
    try:
        whole.replace(path)
    except OSError as error:
        whole.unlink(missing_ok=True)
        raise _unwritable(path, error) from None


def read_secret_key(path: Path) -> str:
    """Django's secret key. Raises ConfigurationError if the file holds none."""
    key = _read(path)
    if len(key) < 40:
        raise ConfigurationError(f"{path} holds no secret key (at least 40 characters)")
    return key


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


def missing(path: Path) -> ConfigurationError:
    """What to say where a key file is missing beside a store that has been used."""
    return ConfigurationError(
        f"{path} is missing, but its store exists: copy it from another node or from a copy of the keys "
        "(docs/running.md#data-folder), "
        "or replace it with 'manage.py replace_key --yes'"
    )


def _written_beside(path: Path, key: str) -> Path:
    whole = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        whole.touch(mode=0o600)
        whole.write_text(key + "\n", "ascii")
    except OSError as error:
        whole.unlink(missing_ok=True)
        raise _unwritable(path, error) from None
    return whole


def _unwritable(path: Path, error: OSError) -> ConfigurationError:
    return ConfigurationError(f"{path} cannot be written: {error.strerror}")


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii").strip()
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{path} is not a key file") from None
