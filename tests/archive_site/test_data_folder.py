"""The data folder: owner-only, with keys that are created once (docs/decisions/instance.md)."""

import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from archive_site import keys_at_start
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage import engine
from archive_site.lib.storage.data_folder import DataFolder, prepare, read_instance_key, read_secret_key
from tests.archive_site.commands import ROOT, is_one_line, manage
from tests.process_stores import environment

KEYS = ["instance.key", "secret.key"]


def prepared(home: Path) -> DataFolder:
    """The folder as a start leaves it."""
    folder = prepare(home)
    keys_at_start.provide(folder, None)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return prepared(tmp_path / "home")


@pytest.fixture
def used(folder: DataFolder) -> DataFolder:
    """A folder that holds an archive."""
    folder.store.touch()
    return folder


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def wrong_modes(home: Path) -> list[tuple[str, str]]:
    paths = [home, *home.rglob("*")]
    return [(path.name, oct(mode(path))) for path in paths if mode(path) != (0o700 if path.is_dir() else 0o600)]


def test_the_first_start_makes_folders_and_keys(folder: DataFolder) -> None:
    assert {path.name for path in folder.home.iterdir()} >= {*KEYS, "backups", "exports", "logs"}


@pytest.mark.thorough
def test_a_whole_instance_is_its_owners_alone(tmp_path: Path) -> None:
    created = manage("create_admin", "ada", home=tmp_path / "home")
    assert "--password-stdin" in created.stderr
    assert (tmp_path / "home" / "archive.sqlite3").exists() == engine.IS_SQLITE
    assert wrong_modes(tmp_path / "home") == []


def test_what_was_open_to_others_is_taken_back(folder: DataFolder) -> None:
    folder.home.chmod(0o755)
    folder.backups.chmod(0o777)
    folder.instance_key.chmod(0o644)
    (folder.exports / "own.csv").touch(mode=0o666)
    prepared(folder.home)
    assert wrong_modes(folder.home) == []


def test_a_link_out_of_the_folder_is_left_alone(folder: DataFolder, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    outside.chmod(0o644)
    (folder.backups / "link").symlink_to(outside)
    prepared(folder.home)
    assert mode(outside) == 0o644


def test_the_instance_key_is_one_of_fernets(folder: DataFolder) -> None:
    assert Fernet(read_instance_key(folder))


def test_the_secret_key_is_long(folder: DataFolder) -> None:
    assert len(read_secret_key(folder)) >= 64


def test_two_instances_have_keys_of_their_own(folder: DataFolder, tmp_path: Path) -> None:
    other = prepared(tmp_path / "other")
    assert read_instance_key(folder) != read_instance_key(other)
    assert read_secret_key(folder) != read_secret_key(other)


def test_keys_are_never_made_again(used: DataFolder) -> None:
    before = (read_instance_key(used), read_secret_key(used))
    prepared(used.home)
    assert (read_instance_key(used), read_secret_key(used)) == before


def test_a_first_start_that_was_cut_off_between_the_keys_goes_on(folder: DataFolder) -> None:
    folder.instance_key.unlink()
    prepared(folder.home)
    assert read_instance_key(folder)


@pytest.mark.parametrize("name", KEYS)
def test_an_archive_without_its_key_stops_the_start(name: str, used: DataFolder) -> None:
    (used.home / name).unlink()
    with pytest.raises(ConfigurationError, match=rf"\A.*{name} is missing.*\Z"):
        prepared(used.home)
    assert not (used.home / name).exists()


def test_a_copy_without_the_link_to_its_store_is_no_first_start(folder: DataFolder) -> None:
    restored = folder.home / f"store-{'0a' * 16}.sqlite3"
    restored.touch()
    with pytest.raises(ConfigurationError, match=rf"\A.*ln -s {restored.name} archive\.sqlite3.*\Z"):
        prepared(folder.home)
    folder.store.symlink_to(restored.name)
    prepared(folder.home)


def test_what_only_looks_like_a_restored_store_is_none(folder: DataFolder) -> None:
    (folder.home / "store-1.sqlite3").touch()
    prepared(folder.home)


@pytest.mark.parametrize("damage", [pytest.param("missing", marks=pytest.mark.sqlite_only), "wrong"])
def test_a_damaged_key_stops_a_command_with_one_line(damage: str, used: DataFolder) -> None:
    used.instance_key.unlink()
    if damage == "wrong":
        used.instance_key.write_text("marker-7f3a")
    failed = manage("check", home=used.home)
    assert is_one_line(failed, "instance.key")
    assert "marker" not in failed.stderr


@pytest.mark.parametrize("content", [b"", b"\n", b"short", b"\xff\xfe\xfd", b"A" * 44, b"!" * 44])
def test_a_wrong_instance_key_is_named(content: bytes, folder: DataFolder) -> None:
    folder.instance_key.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"\A.*instance\.key.*\Z"):
        read_instance_key(folder)


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 80])
def test_a_wrong_secret_key_is_named(content: bytes, folder: DataFolder) -> None:
    folder.secret_key.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"\A.*secret\.key.*\Z"):
        read_secret_key(folder)


def test_a_key_that_is_a_folder_is_named(folder: DataFolder) -> None:
    folder.instance_key.unlink()
    folder.instance_key.mkdir()
    with pytest.raises(ConfigurationError, match=r"\A.*instance\.key cannot be read.*\Z"):
        read_instance_key(folder)


@pytest.mark.thorough
def test_a_file_in_the_folders_place_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    assert is_one_line(manage("check", home=tmp_path / "home"), "data folder", "cannot be used")


def test_of_many_first_starts_at_once_one_pair_of_keys_stays(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(prepared, [tmp_path / "home"] * 8))
    assert len({(read_instance_key(folder), read_secret_key(folder)) for folder in folders}) == 1
    assert {path.name for path in (tmp_path / "home").iterdir() if path.is_file()} == set(KEYS)


@pytest.mark.thorough
def test_two_processes_may_start_for_the_first_time_at_once(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "manage.py"), "config", "get", "timeout"]
    home = environment(tmp_path / "home")
    both = [subprocess.Popen(command, env=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    assert [process.communicate(timeout=60) for process in both] == [(b"30\n", b"")] * 2
