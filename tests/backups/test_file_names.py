"""Names of backup files: their form, their paths, and the maintenance lock (docs/api.md#backup)."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from backups import file_names
from tests.concurrency import processes

AT = datetime(2026, 9, 8, 10, 0, 7, 999999, tzinfo=UTC)  # 12:00:07 in Berlin
NAME = "backup-20260908-120007-manual.zip"
TRY = """
import os
os.environ["DJANGO_SETTINGS_MODULE"] = "archive_site.settings"
import django
django.setup()
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.maintenance_lock import maintenance_lock
try:
    with maintenance_lock():
        print("alone")
except ApiError as error:
    print(error.error)
"""


def folder() -> Path:
    path: Path = settings.DATA_FOLDER.backups
    return path


def refused(name: str) -> tuple[int, str | None]:
    with pytest.raises(ApiError) as error:
        file_names.path_of(name)
    return error.value.status, error.value.error


@pytest.mark.parametrize(
    "name",
    [
        "", "backup", ".", "..", "../archive.sqlite3", "/etc/passwd", "instance.key", ".lock", "prune",
        f"../backups/{NAME}", f"./{NAME}", f"x/{NAME}", f"/{NAME}", f"{NAME}/", f"{NAME}\0", f"{NAME}\n", f" {NAME}",
        f"{NAME}.sha256", NAME.upper(), NAME.replace("zip", "ZIP"), NAME.replace("manual", "other"),
        NAME.replace("manual", "pre-restore"), NAME.replace("-", "_"), "backup-20260908-1200-manual.zip",
        "backup-20261308-120007-manual.zip", "backup-20260230-120007-manual.zip", "backup-20260908-250007-manual.zip",
        "backup-٢٠٢٦٠٩٠٨-120007-manual.zip", f"{NAME}{'x' * 1000}",
    ],
)  # fmt: skip
def test_what_is_no_name_of_a_backup_is_400(name: str) -> None:
    assert refused(name) == (400, "backup")


def test_a_name_without_its_file_is_404(db: None) -> None:
    assert refused(NAME) == (404, "not_found")


def test_a_link_and_a_folder_are_no_backups(db: None) -> None:
    (folder() / NAME).symlink_to(settings.DATA_FOLDER.secret_key)
    assert refused(NAME) == (404, "not_found")
    (folder() / NAME).unlink()
    (folder() / NAME).mkdir()
    assert refused(NAME) == (404, "not_found")


def test_the_path_of_a_backup_is_in_its_folder() -> None:
    (folder() / NAME).touch()
    assert file_names.path_of(NAME) == folder() / NAME


@pytest.mark.parametrize("trigger", ["manual", "auto", "pre_restore"])
def test_a_new_name_is_of_the_servers_wall_clock(trigger: str) -> None:
    path = file_names.new_path(AT, trigger)
    assert path == folder() / f"backup-20260908-120007-{trigger}.zip"
    named = file_names.parse(path.name)
    assert named == file_names.Named(AT.replace(microsecond=0), trigger)


def test_a_name_that_is_taken_is_not_given_again() -> None:
    (folder() / NAME).touch()
    assert file_names.new_path(AT, "manual").name == "backup-20260908-120008-manual.zip"
    assert file_names.new_path(AT, "auto").name == "backup-20260908-120007-auto.zip"


def test_the_repeated_hour_has_names_enough() -> None:
    first = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    path = file_names.new_path(first, "auto")
    path.touch()
    again = file_names.new_path(first + timedelta(hours=1), "auto")
    assert (path.name, again.name) == ("backup-20261025-023000-auto.zip", "backup-20261025-023001-auto.zip")


# The maintenance lock


def test_of_two_in_one_process_the_second_is_busy() -> None:
    with maintenance_lock(), pytest.raises(ApiError) as error, maintenance_lock():
        pass
    assert (error.value.status, error.value.error) == (409, "busy")
    with maintenance_lock():
        pass


def test_a_failure_inside_stays_what_it_is() -> None:
    with pytest.raises(KeyError), maintenance_lock():
        raise KeyError
    with maintenance_lock():
        pass


# Its sister: tests/nodes/test_locks.py.
@pytest.mark.thorough
@pytest.mark.sqlite_only
def test_another_process_is_busy_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARCHIVE_HOME", str(settings.DATA_FOLDER.home))
    with maintenance_lock():
        assert processes(TRY, number=1) == ["busy"]
    assert processes(TRY, number=1) == ["alone"]
    assert ((folder() / ".lock").stat().st_mode & 0o777) == 0o600
