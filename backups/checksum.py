"""The hash of a whole archive, kept beside it as `sha256sum -c` reads it: nobody hashes gigabytes for a list."""

import hashlib
import re
import secrets
from contextlib import suppress
from pathlib import Path

_LINE = re.compile(r"([0-9a-f]{64})  ([^\n]+)\n")


def sidecar(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def of(path: Path) -> str:
    """The SHA-256 of an archive, made again where none is kept or the archive is newer. Raises OSError."""
    kept = _kept(path)
    if kept is None:
        with path.open("rb") as file:
            kept = hashlib.file_digest(file, "sha256").hexdigest()
        # On a full disk it is made again the next time.
        with suppress(OSError):
            _keep(path, kept)
    return kept


def _kept(path: Path) -> str | None:
    try:
        status = path.stat()
        # Copied over another one it may be of any age, but it was changed when that was done.
        if sidecar(path).stat().st_mtime_ns < max(status.st_mtime_ns, status.st_ctime_ns):
            return None
        found = _LINE.fullmatch(sidecar(path).read_text("ascii"))
    except (FileNotFoundError, UnicodeDecodeError):
        return None
    return found[1] if found and found[2] == path.name else None


def _keep(path: Path, digest: str) -> None:
    # Put in place whole: two that list at once may both have made it.
    draft = path.with_name(f".{secrets.token_hex(4)}.sha256.part")
    try:
        draft.write_text(f"{digest}  {path.name}\n", "ascii")
        draft.rename(sidecar(path))
    finally:
        draft.unlink(missing_ok=True)
