"""The name of this node among those of its instance (docs/decisions/nodes.md#nodes)."""

import re
import secrets
import socket
from pathlib import Path

from archive_site.lib.environment import ConfigurationError

_HOST_LENGTH = 50


def node_name(file: Path, given: str | None) -> str:
    """The given name, or the host's with a short id that is kept in the file. Raises ConfigurationError."""
    if given:
        return given
    host = re.sub(r"[^A-Za-z0-9._-]", "-", socket.gethostname())[:_HOST_LENGTH]
    try:
        return f"{host}-{_kept(file) or _new(file)}"
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be used: {error.strerror}") from None


def _kept(file: Path) -> str:
    """The id in the file; empty if there is none, or if the file is a copy of another node's."""
    try:
        short, number = file.read_text().split()
    except (FileNotFoundError, ValueError):
        return ""
    return short if number == str(file.stat().st_ino) else ""


def _new(file: Path) -> str:
    short = secrets.token_hex(3)
    whole = file.with_name(f".{file.name}.{short}")
    try:
        whole.touch(mode=0o600)
        # A file keeps its number when it is renamed; a copy has another one.
        whole.write_text(f"{short} {whole.stat().st_ino}\n")
        whole.replace(file)
    finally:
        # Where the disk is full it is empty.
        whole.unlink(missing_ok=True)
    return _kept(file) or short
