"""Backup files for tests: a small valid store, and invalid ZIP files of it."""

import hashlib
import json
import sqlite3
import tempfile
import zipfile
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet

from backups import offline_migration
from backups.backup_manifest import KEY, NAME, STORE

A_KEY = Fernet.generate_key()


def made_store(path: Path, migrations: tuple[tuple[str, str], ...] | None = None) -> Path:
    """A store of the newest version or at these migrations, with an account, as `up` leaves it at its first start."""
    path.write_bytes(_made(migrations))
    return path


@cache
def _made(migrations: tuple[tuple[str, str], ...] | None) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / STORE
        offline_migration.migrate(path, migrations)
        alter(path, _CONTENT)
        return path.read_bytes()


def alter(path: Path, change: str) -> None:
    """Change a store file with plain SQL."""
    with closing(sqlite3.connect(path)) as store:
        store.executescript(change)
        store.commit()


def manifest_of(store: bytes, key: bytes = A_KEY, **changes: Any) -> bytes:
    """The text of a valid manifest for these members, with `changes`."""
    values = {
        "format": 1,
        "schema": 4,
        "app": "0.1.0",
        "created_at": "2026-09-08T10:00:07+00:00",
        "trigger": "manual",
        "note": "",
        "accounts": 1,
        "records": 0,
        "members": {STORE: member(store), KEY: member(key)},
    }
    return json.dumps({**values, **changes}).encode()


def member(content: bytes) -> dict[str, Any]:
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def pack(path: Path, *members: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    """A ZIP of exactly these members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


def pack_store(path: Path, store: Path, key: bytes = A_KEY, **changes: Any) -> Path:
    """A valid backup of a store, with `changes` of its manifest."""
    content = store.read_bytes()
    return pack(path, (STORE, content), (KEY, key), (NAME, manifest_of(content, key, **changes)))


_CONTENT = """
    INSERT INTO accounts_user (id, password, username, username_key, display_name, is_admin, status, created_at,
        login_count, session_version) VALUES (1, '!', 'root', 'root', 'root', 1, 'active', '2026-09-01 00:00:00', 0, 1);
    INSERT INTO accounts_store (id, store_id, time_zone, key_fingerprint, first_run_token, created_at)
        VALUES (1, '0123456789abcdef0123456789abcdef', 'Europe/Berlin', '0123456789abcdef', '', '2026-09-01 00:00:00');
"""
