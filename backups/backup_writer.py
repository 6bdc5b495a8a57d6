"""Writes the ZIP file of a backup in pieces, so that memory use does not depend on its size
(docs/decisions/backups.md#what-an-archive-holds)."""

import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZipFile

from backups.backup_manifest import KEY, NAME, STORE, Manifest, Member

LEVEL = 3
_PIECE = 2**20


def pack(target: Path, store: Path, key: bytes, manifest: Manifest, *, level: int = LEVEL) -> Manifest:
    """Write a new ZIP file with a store and its key and sync it. Return the manifest with its members."""
    with target.open("xb") as file:
        with ZipFile(file, "w", ZIP_DEFLATED, compresslevel=level) as archive, store.open("rb") as content:

            def add(name: str, stream: IO[bytes]) -> Member:
                with archive.open(name, "w", force_zip64=True) as member:
                    return _copy(stream, member.write)

            members = {STORE: add(STORE, content), KEY: add(KEY, BytesIO(key))}
            complete = replace(manifest, members=members)
            add(NAME, BytesIO(complete.text().encode()))
        file.flush()
        os.fsync(file.fileno())
    return complete


def _copy(stream: IO[bytes], write: Callable[[bytes], object]) -> Member:
    length, digest = 0, hashlib.sha256()
    while piece := stream.read(_PIECE):
        length += len(piece)
        digest.update(piece)
        write(piece)
    return Member(length, digest.hexdigest())
