"""The key files at a start: new before the first use of the store, required from then on.

The rules: docs/decisions/instance.md#keys.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from accounts.credentials.named_fingerprint import fingerprint_in
from archive_site.lib.storage import key_files
from archive_site.lib.storage.data_folder import DataFolder, require_whole
from archive_site.lib.storage.encryption import fingerprint_of


def provide(folder: DataFolder, database: dict[str, Any] | None, *, replacing: bool = False) -> None:
    """Create the keys if the store was never used; else require them, unless they are about to be replaced.

    An existing store has lost its key, and a new one would break every cookie silently. A link to a missing store
    does not count as a first start. Raises ConfigurationError with one line.
    """
    if database is None:
        require_whole(folder.store)
    gone = [path for path in (folder.secret_key, folder.instance_key) if not path.exists()]
    if not gone:
        return
    if database and "postgresql" in database["ENGINE"]:
        if not replacing:
            _require_unused(folder, gone, database)
        _draft(folder, gone)
    elif not Path(database["NAME"] if database else folder.store).exists():
        for path, key in folder.new_keys.items():
            key_files.create(path, key)
    elif replacing:
        _draft(folder, gone)
    else:
        raise key_files.missing(gone[0])


def _draft(folder: DataFolder, gone: Iterable[Path]) -> None:
    """Draft missing keys. Of nodes that start at once the first that names its key in the store keeps its drafts."""
    for path, key in folder.new_keys.items():
        if path in gone:
            key_files.create(key_files.draft_of(path), key)
            if path.exists():
                # Another process with the same folder has just placed its draft.
                key_files.draft_of(path).unlink(missing_ok=True)


def _require_unused(folder: DataFolder, gone: list[Path], database: dict[str, Any]) -> None:
    named = fingerprint_in(database)
    # A first start may have died after it named its draft in the store, or put its drafts in place just now.
    is_drafted = folder.instance_key in gone and named == _fingerprint_of(folder.staged_key)
    if named and not is_drafted and not all(path.exists() for path in gone):
        raise key_files.missing(gone[0])


def _fingerprint_of(draft: Path) -> str:
    return fingerprint_of(key_files.read_fernet_key(draft)) if draft.exists() else ""
