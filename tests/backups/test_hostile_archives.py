"""Hostile or damaged backup files: each is refused with one sentence and leaves nothing on the disk."""

import json
import os
import struct
import zipfile
import zlib
from pathlib import Path

import pytest

from archive_site.lib.http.api_error import ApiError
from backups import backup_zip
from backups.backup_manifest import KEY, NAME, STORE
from backups.restore import backup_reader, work_folder
from backups.restore.backup_reader import InvalidArchive
from tests.backups.backup_files import A_KEY, manifest_of, member, pack, pack_store
from tests.backups.forged_backups import Forge, on_disk, refusal

pytestmark = pytest.mark.django_db


def info(name: str, **fields: object) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    for field, value in fields.items():
        setattr(member, field, value)
    return member


def test_an_archive_that_is_right_is_accepted(forge: Forge) -> None:
    before = on_disk()
    found = backup_reader.verify(forge.right())
    assert (found.accounts, found.members[STORE].bytes) == (1, len(forge.content))
    assert on_disk() == before


# The ZIP


@pytest.mark.parametrize(
    "name",
    ["../evil", "/etc/evil", "a/../../evil", "C:\\evil", "..\\evil", "folder/", "store.sqlite3/", "Store.sqlite3",
     "store.sqlite3-wal", "evil\n", "\u202eevil"],
)  # fmt: skip
def test_a_member_of_another_name_is_refused(name: str, forge: Forge) -> None:
    assert "does not belong in a backup" in refusal(forge.with_more(name))


def test_a_name_that_ends_early_is_refused(forge: Forge) -> None:
    store = forge.content
    pack(forge.path, (STORE, store), ("instance.key.evil", A_KEY), (NAME, manifest_of(store)))
    forge.path.write_bytes(forge.path.read_bytes().replace(b"instance.key.evil", b"instance.key\0evil"))
    assert "does not belong in a backup" in refusal(forge.path)


@pytest.mark.parametrize("kind", [0o120777, 0o040755, 0o010644, 0o020644], ids=["link", "folder", "pipe", "device"])
def test_what_is_no_plain_file_is_refused(kind: int, forge: Forge) -> None:
    store = forge.content
    linked = info(KEY, external_attr=kind << 16)
    pack(forge.path, (STORE, store), (linked, A_KEY), (NAME, manifest_of(store)))
    assert refusal(forge.path) == "instance.key is not a plain file."


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", [STORE, KEY, NAME])
def test_two_members_of_one_name_are_refused(name: str, forge: Forge) -> None:
    assert refusal(forge.with_more(name)) == f"{name} is in it twice."


@pytest.mark.parametrize("missing", [STORE, KEY, NAME])
def test_a_missing_member_is_refused(missing: str, forge: Forge) -> None:
    store = forge.content
    members = [(STORE, store), (KEY, A_KEY), (NAME, manifest_of(store))]
    pack(forge.path, *[one for one in members if one[0] != missing])
    assert refusal(forge.path) == f"{missing} is missing."


def test_an_encrypted_member_is_refused(forge: Forge) -> None:
    # The flags of the directory and of the member itself.
    content = bytearray(forge.right().read_bytes())
    for signature, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        content[content.index(signature) + place] |= 1
    forge.path.write_bytes(content)
    assert refusal(forge.path) == "store.sqlite3 is encrypted."


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 93, 97])
def test_another_compression_is_refused(method: int, forge: Forge) -> None:
    content = bytearray(forge.right().read_bytes())
    struct.pack_into("<H", content, content.index(b"PK\x01\x02") + 10, method)
    forge.path.write_bytes(content)
    assert "packed in a way" in refusal(forge.path)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_archive_is_refused(share: float, forge: Forge) -> None:
    content = forge.right().read_bytes()
    forge.path.write_bytes(content[: int(len(content) * share)])
    assert refusal(forge.path) == "It is not a ZIP file, or it is damaged."


@pytest.mark.parametrize("place", [0.05, 0.3, 0.6])
def test_a_byte_that_changed_is_noticed(place: float, forge: Forge) -> None:
    content = bytearray(forge.right().read_bytes())
    content[int(len(content) * place)] ^= 0xFF
    forge.path.write_bytes(content)
    assert "damaged" in refusal(forge.path)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "content", [b"", b"PK", b"PK\x05\x06" + b"\0" * 18, b"SQLite format 3\0" * 100, os.urandom(5000)]
)
def test_what_is_no_zip_is_refused(content: bytes, forge: Forge) -> None:
    forge.path.write_bytes(content)
    assert refusal(forge.path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert [refusal(path) for path in (tmp_path, tmp_path / "pipe")] == ["It is not a file."] * 2
    assert refusal(tmp_path / "none") == "There is no such file."


def test_data_before_the_archive_is_refused(forge: Forge) -> None:
    forge.path.write_bytes(b"#!/bin/sh\n" + forge.right().read_bytes())
    assert refusal(forge.path) == "It has other content before its first file."


def test_an_archive_behind_another_is_refused(forge: Forge) -> None:
    content = forge.right().read_bytes()
    forge.path.write_bytes(content + content)
    assert refusal(forge.path)


@pytest.mark.parametrize("more", [b"\0", b"more", b"PK\x05\x06" + b"\0" * 17])
def test_data_behind_the_archive_is_refused(more: bytes, forge: Forge) -> None:
    forge.path.write_bytes(forge.right().read_bytes() + more)
    assert refusal(forge.path) == "It is not a ZIP file, or it is damaged."


def test_a_comment_is_refused(forge: Forge) -> None:
    with zipfile.ZipFile(forge.right(), "a") as archive:
        archive.comment = b"a comment"
    assert refusal(forge.path) == "It is not a ZIP file, or it is damaged."


def test_a_directory_that_is_huge_is_not_read(forge: Forge) -> None:
    content = forge.right().read_bytes()
    start = content.index(b"PK\x01\x02")
    directory = content[start:-22] + b"\0" * (3 * 1024**2)
    end = bytearray(content[-22:])
    struct.pack_into("<I", end, 12, len(directory))
    forge.path.write_bytes(content[:start] + directory + end)
    assert refusal(forge.path) == "Its ZIP directory is too large for a backup."


@pytest.mark.parametrize("by", [-1, 1, 10**6])
def test_a_directory_that_is_elsewhere_is_refused(by: int, forge: Forge) -> None:
    content = bytearray(forge.right().read_bytes())
    (offset,) = struct.unpack_from("<I", content, len(content) - 6)
    struct.pack_into("<I", content, len(content) - 6, offset + by)
    forge.path.write_bytes(content)
    assert refusal(forge.path)


def test_a_directory_that_names_other_members_than_there_are_is_refused(forge: Forge) -> None:
    content = forge.right().read_bytes()
    forge.path.write_bytes(content.replace(b"store.sqlite3", b"other.sqlite3", 1))
    assert "damaged" in refusal(forge.path)


# Sizes


def test_a_store_that_unpacks_to_more_than_it_says_is_refused(forge: Forge) -> None:
    bomb = zlib.compress(b"\0" * 50_000_000, wbits=-15)
    manifest = manifest_of(b"\0" * 1000)
    # Stored, then declared to be packed, and to be short.
    with zipfile.ZipFile(forge.path, "w") as archive:
        for name, content in ((STORE, bomb), (KEY, A_KEY), (NAME, manifest)):
            archive.writestr(name, content)
    forged = bytearray(forge.path.read_bytes())
    for header, method, size in ((b"PK\x03\x04", 8, 22), (b"PK\x01\x02", 10, 24)):
        struct.pack_into("<H", forged, forged.index(header) + method, zipfile.ZIP_DEFLATED)
        struct.pack_into("<I", forged, forged.index(header) + size, 1000)
    forge.path.write_bytes(forged)
    assert "damaged" in refusal(forge.path)


def test_a_bomb_that_is_declared_is_refused(forge: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backup_reader, "SMALL", 1_000_000)
    zeros = b"\0" * 20_000_000
    pack(forge.path, (STORE, zeros), (KEY, A_KEY), (NAME, manifest_of(zeros)))
    assert "far more" in refusal(forge.path)


def test_a_store_that_the_disk_has_no_room_for_is_refused(forge: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_folder, "_SPARED", 2**60)
    before = on_disk()
    with pytest.raises(ApiError, match="free disk") as refused:
        backup_reader.verify(forge.right())
    assert (refused.value.status, refused.value.error, on_disk()) == (400, "backup", before)


@pytest.mark.thorough
@pytest.mark.parametrize("change", [-1, 1])
def test_another_length_than_the_manifest_says_is_refused(change: int, forge: Forge) -> None:
    store = forge.content
    wrong = {**member(store), "bytes": len(store) + change}
    pack_store(forge.path, forge.store, members={STORE: wrong, KEY: member(A_KEY)})
    assert refusal(forge.path) == "The length of store.sqlite3 does not match the manifest."


@pytest.mark.parametrize("name", [STORE, KEY])
def test_another_hash_than_the_manifest_says_is_refused(name: str, forge: Forge) -> None:
    members = {STORE: member(forge.content), KEY: member(A_KEY)}
    members[name]["sha256"] = "0" * 64
    assert "its hash does not match" in refusal(pack_store(forge.path, forge.store, members=members))


# The manifest and the key


def test_a_huge_manifest_is_refused_before_it_is_read(forge: Forge) -> None:
    pack_store(forge.path, forge.store, note="x" * 100_000)
    assert refusal(forge.path) == "Its manifest.json is too large."
    with pytest.raises(InvalidArchive):
        backup_zip.read_manifest(forge.path)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"{}", b"\xff", b"[" * 60_000, b'{"format": 1}', json.dumps({"format": 2}).encode()]
)
def test_a_damaged_manifest_is_refused(text: bytes, forge: Forge) -> None:
    pack(forge.path, (STORE, forge.content), (KEY, A_KEY), (NAME, text))
    assert refusal(forge.path)


@pytest.mark.parametrize(
    "members", [{}, {STORE: member(b"")}, {STORE: member(b""), KEY: member(b""), "x": member(b"")}]
)
def test_a_manifest_that_names_other_members_is_refused(members: dict[str, object], forge: Forge) -> None:
    pack_store(forge.path, forge.store, members=members)
    assert refusal(forge.path) == "Its manifest does not list the store and the instance key."


def test_a_newer_schema_is_refused(forge: Forge) -> None:
    path = pack_store(forge.path, forge.store, schema=5)
    assert refusal(path) == "It was created by a newer version of this service."
    assert backup_zip.read_manifest(path).schema == 5


@pytest.mark.parametrize("key", [b"", b"short", b"A" * 44, b"\xff" * 44, b"A" * 43 + b"=" * 200])
def test_a_key_that_is_none_is_refused(key: bytes, forge: Forge) -> None:
    assert refusal(pack_store(forge.path, forge.store, key)) == "Its instance.key is not a key."


@pytest.mark.thorough
def test_the_key_may_end_with_a_line_break(forge: Forge) -> None:
    assert backup_reader.verify(pack_store(forge.path, forge.store, A_KEY + b"\n"))
