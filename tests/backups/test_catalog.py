"""The backup catalogue: list, hashes, placing and deleting (docs/decisions/backups.md#placing-and-pruning)."""

import errno
import hashlib
import os
import stat
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.utils.translation import override

from archive_site.lib.http.api_error import ApiError
from backups import backup_zip, catalog, checksum, file_names
from backups.api_types import Backup
from tests.backups.tiny_archives import OF_NODE, broken, kept, listed, on_shelf

# On PostgreSQL the list asks for the files of other nodes.
pytestmark = pytest.mark.django_db
AT = datetime(2026, 9, 8, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
HOUR = timedelta(hours=1)


# Listing


def test_an_empty_shelf_lists_nothing() -> None:
    assert catalog.items() == []


def test_without_its_folder_there_are_none() -> None:
    folder = settings.DATA_FOLDER.backups
    folder.rename(folder.with_name("elsewhere"))
    try:
        assert catalog.items() == []
    finally:
        folder.with_name("elsewhere").rename(folder)


def test_an_item_shows_what_its_manifest_says() -> None:
    path = kept(AT, note="before the move")
    assert catalog.items() == [
        Backup(
            name="backup-20260908-120007-manual.zip",
            size=path.stat().st_size,
            size_human=f"{path.stat().st_size} bytes",
            created_at="2026-09-08 12:00:07",
            trigger="manual",
            note="before the move",
            accounts=2,
            records=30,
            schema=4,
            sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
            valid=True,
            **OF_NODE,
        )
    ]


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 bytes"), (999, "999 bytes"), (5_976_883, "5.7 MB"), (3 * 2**30, "3.0 GB")]
)
def test_sizes_are_in_english(size: int, words: str) -> None:
    with override("de"):
        assert catalog.human(size) == words


def test_the_newest_is_first_by_the_manifests_instant_not_by_the_name() -> None:
    kept(AT, name="backup-20260908-100000-manual.zip")
    kept(AT + HOUR, name="backup-20260908-080000-auto.zip")
    kept(AT - HOUR, name="backup-20260908-110000-pre_restore.zip")
    assert [name[23:-4] for name in listed()] == ["auto", "manual", "pre_restore"]


def test_of_the_repeated_hour_the_later_is_newer() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    kept(first + HOUR - timedelta(minutes=10))
    kept(first)
    assert [item.created_at for item in catalog.items()] == ["2026-10-25 02:20:00", "2026-10-25 02:30:00"]


def test_only_files_of_the_form_are_listed() -> None:
    path = kept(AT)
    backups: Path = settings.DATA_FOLDER.backups
    for name in ("notes.txt", ".lock", f".{path.name}", f"{path.name}.part", "backup-1.zip"):
        (backups / name).write_bytes(path.read_bytes())
    (backups / "backup-20260908-130000-manual.zip").symlink_to(path)
    (backups / "backup-20260908-140000-manual.zip").mkdir()
    assert listed() == [path.name]


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x05\x06" + bytes(18)])
def test_what_is_no_archive_is_listed_with_what_is_known(content: bytes) -> None:
    kept(AT)
    path = broken("backup-20260908-120000-auto.zip", content)
    (known,) = (item for item in catalog.items() if not item.valid)
    assert known == Backup(
        name=path.name,
        size=len(content),
        size_human=f"{len(content)} bytes",
        created_at="2026-09-08 12:00:00",
        trigger="auto",
        note="",
        accounts=None,
        records=None,
        schema=None,
        sha256=hashlib.sha256(content).hexdigest(),
        valid=False,
        **OF_NODE,
    )


def test_one_that_was_cut_is_no_longer_valid() -> None:
    path = kept(AT)
    assert catalog.items()[0].valid
    os.truncate(path, path.stat().st_size - 30)
    assert not catalog.items()[0].valid


def test_a_manifest_is_read_once_while_its_file_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    kept(AT)
    kept(AT + HOUR)
    catalog.items()

    def refuse(path: Path) -> Any:
        raise AssertionError(path)

    monkeypatch.setattr(backup_zip, "read_manifest", refuse)
    assert len(catalog.items()) == 2


def test_one_that_disappears_while_they_are_listed_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    gone, stays = kept(AT), kept(AT + HOUR)
    archives = catalog.archives()
    gone.unlink()
    monkeypatch.setattr(catalog, "archives", lambda: archives)
    assert listed() == [stays.name]


def test_one_that_the_disk_does_not_give_is_listed_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, *arguments: Any, **options: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    path = kept(AT)
    monkeypatch.setattr(backup_zip, "read_manifest", refuse)
    monkeypatch.setattr(Path, "open", refuse)
    (item,) = catalog.items()
    assert (item.name, item.valid, item.sha256) == (path.name, False, None)


def test_one_that_was_laid_there_for_all_to_read_is_the_owners_alone() -> None:
    path = kept(AT)
    path.chmod(0o644)
    assert listed() == [path.name]
    assert path.stat().st_mode & 0o777 == 0o600


def test_one_of_another_user_is_listed_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    path = kept(AT)
    path.chmod(0o644)

    def refused(*_: object) -> None:
        raise PermissionError(errno.EPERM, "not permitted")

    monkeypatch.setattr(Path, "chmod", refused)
    (item,) = catalog.items()
    assert (item.name, item.valid) == (path.name, True)


# Hashes


def test_the_hash_is_kept_beside_the_archive_as_sha256sum_reads_it() -> None:
    path = kept(AT)
    catalog.items()
    assert on_shelf() == [path.name, f"{path.name}.sha256"]
    checked = subprocess.run(["sha256sum", "-c", f"{path.name}.sha256"], cwd=path.parent, capture_output=True)
    assert checked.returncode == 0
    assert stat.S_IMODE(checksum.sidecar(path).stat().st_mode) == 0o600


def test_a_kept_hash_is_believed() -> None:
    path = kept(AT)
    checksum.sidecar(path).write_text(f"{'0' * 64}  {path.name}\n")
    assert catalog.items()[0].sha256 == "0" * 64


@pytest.mark.parametrize("content", ["", "x", "0" * 64, f"{'0' * 64}  another.zip\n", "é" * 64])
def test_a_hash_that_is_damaged_is_made_again(content: str) -> None:
    path = kept(AT)
    checksum.sidecar(path).write_text(content)
    assert catalog.items()[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert checksum.sidecar(path).read_text().endswith(f"  {path.name}\n")


def test_a_hash_older_than_its_archive_is_made_again() -> None:
    path = kept(AT)
    checksum.sidecar(path).write_text(f"{'0' * 64}  {path.name}\n")
    os.utime(checksum.sidecar(path), (1, 1))
    assert catalog.items()[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_hash_of_one_that_was_replaced_by_an_older_file_is_made_again() -> None:
    path = kept(AT)
    before = catalog.items()[0].sha256
    draft = path.with_name("draft")
    draft.write_bytes(path.read_bytes() + b"more")
    os.utime(draft, (0, 0))
    draft.rename(path)
    after = catalog.items()[0].sha256
    assert (after == before, after) == (False, hashlib.sha256(path.read_bytes()).hexdigest())


def test_a_disk_that_takes_no_hash_still_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, *content: Any) -> None:
        raise OSError(28, "No space left on device")

    path = kept(AT)
    monkeypatch.setattr(Path, "write_text", full)
    assert catalog.items()[0].sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert on_shelf() == [path.name]


# Placing


def test_what_is_placed_takes_no_others_place() -> None:
    taken = kept(AT)
    before = taken.read_bytes()
    draft = kept(AT, note="new", name="draft")
    archive = catalog.place(draft, AT, "manual")
    assert (archive.path.name, archive.manifest and archive.manifest.note) == (
        "backup-20260908-120008-manual.zip",
        "new",
    )
    assert taken.read_bytes() == before
    assert on_shelf() == [taken.name, archive.path.name, f"{archive.path.name}.sha256"]


def test_a_name_that_is_taken_in_the_last_moment_is_not_taken_over(monkeypatch: pytest.MonkeyPatch) -> None:
    path = kept(AT)
    before = path.read_bytes()
    free = file_names.new_path
    given = iter([path])
    monkeypatch.setattr(file_names, "new_path", lambda at, trigger: next(given, None) or free(at, trigger))
    archive = catalog.place(kept(AT, note="new", name="draft"), AT, "manual")
    assert (path.read_bytes() == before, archive.path.name) == (True, "backup-20260908-120008-manual.zip")


# Deleting


def test_the_hash_goes_with_its_archive() -> None:
    path, other = kept(AT), kept(AT + HOUR)
    catalog.items()
    catalog.delete(path)
    assert on_shelf() == [other.name, f"{other.name}.sha256"]


@pytest.mark.thorough
def test_what_the_disk_refuses_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise OSError(30, "Read-only file system")

    path = kept(AT)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", refuse)
        with pytest.raises(ApiError) as error:
            catalog.delete(path)
    assert (error.value.status, error.value.error) == (400, "backup")
    assert error.value.message == f"{path.name} was not deleted: Read-only file system."
