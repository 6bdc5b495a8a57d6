"""The collection of static files, which is skipped while nothing has changed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from archive_site.lib import collected_static
from archive_site.lib.collected_static import collect, note_of


@pytest.fixture
def source(settings: Any, tmp_path: Path) -> Path:
    """A folder with one style, the only source."""
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "style.css").write_text("a {}")
    settings.STATICFILES_DIRS = [folder]
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATIC_ROOT = tmp_path / "static"
    return folder


@pytest.fixture
def root(source: Path, settings: Any) -> Path:
    """The folder with what was collected."""
    assert collect()
    return Path(settings.STATIC_ROOT)


def test_what_was_collected_is_not_again(root: Path) -> None:
    before = (root / "style.css").stat().st_ino
    assert not collect()
    assert (root / "style.css").stat().st_ino == before


def test_a_file_that_changed_is_collected(root: Path, source: Path) -> None:
    (source / "style.css").write_text("b {} ")
    assert collect()
    assert (root / "style.css").read_text() == "b {} "
    assert not collect()


def test_a_source_that_is_older_than_its_copy_is_collected(root: Path, source: Path) -> None:
    (source / "style.css").write_text("b {}")
    os.utime(source / "style.css", (0, 0))
    assert collect()
    assert (root / "style.css").read_text() == "b {}"


def test_a_new_file_is_collected(root: Path, source: Path) -> None:
    (source / "new.css").write_text("")
    assert collect()
    assert (root / "new.css").is_file()


def test_another_version_is_collected_though_its_files_look_the_same(root: Path, settings: Any) -> None:
    settings.VERSION = "9.9.9"
    assert collect()


def test_files_of_the_earlier_version_stay_for_pages_that_are_open(root: Path, source: Path) -> None:
    (source / "style.css").rename(source / "other.css")
    assert collect()
    assert (root / "style.css").is_file()


def altered(root: Path) -> None:
    (root / "style.css").write_text("tampered {}")


def removed(root: Path) -> None:
    (root / "style.css").unlink()


def added(root: Path) -> None:
    (root / "extra.js").write_text("tampered()")


def without_note(root: Path) -> None:
    note_of(root).unlink()


def with_damaged_note(root: Path) -> None:
    note_of(root).write_text('{"sources": ')


def with_a_note_of_another_kind(root: Path) -> None:
    note_of(root).write_text("[]")


@pytest.mark.parametrize(
    "damage", [altered, removed, added, without_note, with_damaged_note, with_a_note_of_another_kind]
)
def test_a_folder_that_is_not_as_it_was_left_is_collected_anew(damage: Callable[[Path], None], root: Path) -> None:
    damage(root)
    assert collect()
    assert {path.name: path.read_text() for path in root.iterdir()} == {"style.css": "a {}"}


def test_a_collection_that_broke_off_is_repeated(root: Path, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (source / "style.css").write_text("new {}")

    def break_off(*arguments: Any, **options: Any) -> None:
        (root / "style.css").write_text("new")
        raise CommandError

    with monkeypatch.context() as patch:
        patch.setattr(collected_static, "call_command", break_off)
        with pytest.raises(CommandError):
            collect()
    assert collect()
    assert (root / "style.css").read_text() == "new {}"
