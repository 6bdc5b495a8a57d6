"""The hash of a backup, stored beside it in the format of `sha256sum -c`, so that lists need not hash gigabytes."""

import hashlib
import re
import secrets
from contextlib import suppress
from pathlib import Path

_LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)\n")


def sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def of(path: Path) -> str:
    """The SHA-256 of a backup, computed again if none is stored or the backup is newer. Raises OSError."""
    kept = _kept(path)
    if kept is None:
        with path.open("rb") as file:
            kept = hashlib.file_digest(file, "sha256").hexdigest()
        # If the disk is full, the next call computes the hash again.
        with suppress(OSError):
            _keep(path, kept)
    return kept


def _kept(path: Path) -> str | None:
    try:
        status = path.stat()
        # A backup that was copied over another may have an old mtime, but its ctime is the time of the copy.
        if sidecar(path).stat().st_mtime_ns < max(status.st_mtime_ns, status.st_ctime_ns):
            return None
        found = _LINE.fullmatch(sidecar(path).read_text("ascii"))
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return found[1] if found and found[2] == path.name else None


def _keep(path: Path, digest: str) -> None:
    # Renamed when complete, because two processes that list at once may both write it.
    draft = path.with_name(f".{secrets.token_hex(4)}.sha256.part")
    try:
        draft.write_text(f"{digest}  {path.name}\n", "ascii")
        draft.rename(sidecar(path))
    finally:
        draft.unlink(missing_ok=True)
