"""A data folder of another system user, as a volume of a container is: docs/deploy.md#any-user-in-a-container."""

import errno
import multiprocessing
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_site import keys_at_start
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage import folder_owner
from archive_site.lib.storage.data_folder import prepare
from tests.archive_site.commands import manage

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
OWNER, OTHER, GROUP = 1000, 54321, 0
_fork = multiprocessing.get_context("fork")


@pytest.fixture
def volume() -> Iterator[Path]:
    # The folders of pytest are closed to other users.
    outer = Path(tempfile.mkdtemp(prefix="usage-archive-volume-"))
    outer.chmod(0o755)
    made = outer / "data"
    made.mkdir()
    yield made
    shutil.rmtree(outer)


def given(volume: Path, mode: int, owner: int = OWNER) -> None:
    os.chown(volume, owner, GROUP)
    volume.chmod(mode)


def started(volume: Path, uid: int = OTHER, gid: int = GROUP, shared: Path | None = None) -> str:
    """What the start of a process of this user and group says; empty where it works."""
    ours, theirs = _fork.Pipe()
    process = _fork.Process(target=_start, args=[theirs, volume, uid, gid, shared])
    process.start()
    theirs.close()
    said = str(ours.recv())
    process.join()
    return said


def _start(
    pipe: "multiprocessing.connection.Connection", volume: Path, uid: int, gid: int, shared: Path | None
) -> None:
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)
    try:
        keys_at_start.provide(prepare(volume, shared=shared), None)
        pipe.send("")
    except ConfigurationError as error:
        pipe.send(str(error))


def contents(volume: Path) -> set[str]:
    return {path.name for path in volume.iterdir()}


@pytest.mark.parametrize("mode", [0o2770, 0o770, 0o2775])
def test_a_volume_of_the_users_group_works_and_keeps_its_mode(volume: Path, mode: int) -> None:
    given(volume, mode)
    assert started(volume) == ""
    assert stat.S_IMODE(volume.stat().st_mode) == mode
    made = [path.stat() for path in volume.rglob("*")]
    assert {(found.st_uid, stat.S_IMODE(found.st_mode) & 0o7077) for found in made} == {(OTHER, 0)}


def test_it_works_at_the_next_start_too(volume: Path) -> None:
    given(volume, 0o2770)
    assert [started(volume), started(volume)] == ["", ""]


def test_a_volume_that_the_user_may_not_write_to_is_refused_with_what_to_change(volume: Path) -> None:
    given(volume, 0o750)
    assert started(volume) == (
        f"The data folder {volume} belongs to user 1000 and group 0, and this process (user 54321, groups 0) may not "
        f"write there: run it in that group and run 'chmod g+rwx {volume}', or run 'chown -R 54321 {volume}'"
    )
    assert contents(volume) == set()


def test_a_volume_of_a_group_that_the_process_is_not_in_is_refused(volume: Path) -> None:
    given(volume, 0o770)
    assert "user 54321, groups 54321" in started(volume, gid=OTHER)
    assert contents(volume) == set()


def test_a_volume_that_everybody_may_write_to_is_refused(volume: Path) -> None:
    given(volume, 0o777)
    assert started(volume).endswith(f"everybody may write there: run 'chmod o-w {volume}'")
    assert contents(volume) == set()


def test_an_archive_of_another_user_is_refused_before_anything_is_written(volume: Path) -> None:
    given(volume, 0o2770)
    assert started(volume) == ""
    before = {path: path.stat().st_mtime_ns for path in [volume, *volume.rglob("*")]}
    said = started(volume, uid=OTHER + 1)
    assert said.endswith(f"run it as user 54321, or run 'chown -R 54322 {volume}'")
    assert "\n" not in said
    assert {path: path.stat().st_mtime_ns for path in [volume, *volume.rglob("*")]} == before


def test_the_folder_of_all_nodes_is_looked_at_before_the_own_one_is_written_to(volume: Path) -> None:
    given(volume, 0o2770)
    shared = volume.parent / "shared"
    shared.mkdir()
    given(shared, 0o700)
    assert started(volume, shared=shared).startswith(f"The data folder {shared} belongs to user 1000")
    assert contents(volume) == set()


def test_a_folder_of_the_own_user_is_closed_to_others(volume: Path) -> None:
    given(volume, 0o2777, owner=OTHER)
    assert started(volume) == ""
    assert stat.S_IMODE(volume.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o500, 0o600, 0o300, 0o000])
def test_a_folder_that_is_closed_to_its_own_user_is_refused_with_the_mode_to_set(volume: Path, mode: int) -> None:
    given(volume, mode, owner=OTHER)
    assert started(volume) == (
        f"The data folder {volume} has the mode {mode:04o}, which closes it to its own user {OTHER}: run "
        f"'chmod u+rwx {volume}'"
    )
    assert contents(volume) == set()


def test_root_uses_a_folder_whatever_its_mode(volume: Path) -> None:
    given(volume, 0o500, owner=0)
    assert started(volume, uid=0) == ""


def test_a_folder_that_cannot_be_created_is_refused_with_how_to_create_it(volume: Path) -> None:
    missing = volume / "archive" / "data"
    given(volume, 0o755)
    assert started(missing) == (
        f"The data folder {missing} is missing, and this process (user {OTHER}) may not create it in {volume}: run "
        f"'install -d -o {OTHER} -m 700 {missing}' as root, or choose another folder"
    )
    assert contents(volume) == set()


@pytest.mark.parametrize(
    ("owner", "group", "mode", "right"),
    [(OWNER, GROUP, 0o700, "g"), (OWNER, OWNER, 0o750, "o"), (OTHER, GROUP, 0o600, "u")],
)
def test_a_folder_in_a_closed_one_is_refused_with_which_to_open(
    volume: Path, owner: int, group: int, mode: int, right: str
) -> None:
    os.chown(volume.parent, owner, group)
    volume.parent.chmod(mode)
    assert started(volume) == (
        f"The data folder {volume} lies in {volume.parent}, which is closed to this process (user {OTHER}): run "
        f"'chmod {right}+x {volume.parent}', or choose another folder"
    )


def test_what_no_mode_shows_is_refused_with_the_file(volume: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(path: Path, **how: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", deny)
    assert started(volume, uid=0) == (
        f"The data folder {volume} cannot be used, since this process (user 0) is denied {volume}: run "
        f"'chown -R 0 {volume}' where it is stored, or choose another folder"
    )


def own(volume: Path) -> None:
    os.chown(volume, OWNER, OWNER)
    volume.chmod(0o700)


def owners(volume: Path) -> set[tuple[int, int]]:
    return {(found.st_uid, found.st_gid) for found in (path.lstat() for path in volume.rglob("*"))}


@pytest.mark.thorough
@pytest.mark.usefixtures("running_clock")
def test_what_commands_of_root_make_belongs_to_the_owner_of_the_folder(volume: Path) -> None:
    own(volume)
    admin = manage("create_admin", "ada", "--password-stdin", home=volume, text="correct horse 1\n")
    assert admin.returncode == 0, admin.stderr
    assert owners(volume) == {(OWNER, OWNER)}
    assert manage("backup", "create", home=volume).returncode == 0
    (backup,) = (volume / "backups").glob("*.zip")
    assert manage("backup", "restore", backup.name, "--yes", home=volume).returncode == 0
    assert owners(volume) == {(OWNER, OWNER)}


@pytest.mark.thorough
@pytest.mark.usefixtures("running_clock")
def test_a_command_of_root_that_fails_leaves_nothing_of_root(volume: Path) -> None:
    own(volume)
    assert manage("collect", "nobody", home=volume).returncode == 1
    assert owners(volume) == {(OWNER, OWNER)}


@pytest.mark.thorough
@pytest.mark.usefixtures("running_clock")
def test_files_of_another_user_than_the_folder_stay_those_of_that_user(volume: Path) -> None:
    given(volume, 0o2770)
    assert started(volume) == ""
    assert manage("list_users", home=volume).returncode == 0
    assert {uid for uid, _ in owners(volume)} == {OTHER}


@pytest.mark.thorough
@pytest.mark.usefixtures("running_clock")
def test_an_instance_that_root_runs_in_the_folder_of_another_stays_that_of_root(volume: Path) -> None:
    assert manage("list_users", home=volume).returncode == 0
    own(volume)
    assert manage("list_users", home=volume).returncode == 0
    assert {uid for uid, _ in owners(volume)} == {0}


def test_what_the_owner_has_put_there_is_given_to_nobody(volume: Path) -> None:
    elsewhere = volume.with_name("elsewhere")
    elsewhere.mkdir()
    (elsewhere / "kept.zip").touch()
    (volume / "backups").symlink_to(elsewhere)
    os.link(elsewhere / "kept.zip", volume / "other.key")
    (volume / "notes").touch()
    (volume / "own.key").touch()
    own(volume)
    folder_owner.give(volume, (OWNER, OWNER), lambda: [*volume.glob("*.key"), *volume.glob("backups/*")])
    assert {path.name: path.lstat().st_uid for path in (*volume.iterdir(), *elsewhere.iterdir())} == {
        "backups": 0, "other.key": 0, "notes": 0, "own.key": OWNER, "kept.zip": 0,
    }  # fmt: skip
