"""Exports kept as files (`export-csv`) and `GET /exports/<name>`: docs/api.md#kept-exports."""

import errno
import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.export import csv_file as export
from usage.export import kept_files as export_files
from usage.export.pieces import IncompleteExport
from usage.filters import NEWEST_FIRST, RecordFilters

pytestmark = pytest.mark.django_db

ApiOf = Callable[[User], ApiClient]


@pytest.fixture
def at(time: SetClock) -> Callable[[int], None]:
    """Set the time to a number of seconds after now."""
    begun = time.now

    def move(seconds: int) -> None:
        time.now = begun + timedelta(seconds=seconds)

    return move


def folder_of(user: User) -> Path:
    return settings.DATA_FOLDER.exports / str(user.pk)


def left_behind(user: User, minutes: int) -> Path:
    """The file of an export that was last written `minutes` ago."""
    folder_of(user).mkdir(exist_ok=True)
    path = folder_of(user) / f".{minutes}.part"
    path.write_bytes(b"half a li")
    ago = time.time() - 60 * minutes
    os.utime(path, (ago, ago))
    return path


def test_a_file_holds_what_the_download_does(alice: User) -> None:
    archive(alice, call("a", prompt='=say "hi"\n'), call("b", credits=0))
    path = export_files.write_export(alice, alice.pk)
    assert path.read_bytes() == b"".join(export.pieces(alice.pk, RecordFilters(), NEWEST_FIRST))
    assert b"'=say" in path.read_bytes()


def test_it_lies_in_the_accounts_own_folder_for_the_owner_of_the_machine_only(alice: User) -> None:
    path = export_files.write_export(alice, alice.pk)
    assert path.parent == settings.DATA_FOLDER.exports / str(alice.pk)
    assert path.name.startswith("usage-alice-")
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_the_newest_five_are_kept(alice: User, bob: User, at: Callable[[int], None]) -> None:
    other = export_files.write_export(bob, bob.pk)
    written = []
    for number in range(7):
        at(number)
        written.append(export_files.write_export(alice, alice.pk).name)
    assert sorted(path.name for path in export_files.exports_of(alice.pk)) == written[-5:]
    assert export_files.exports_of(bob.pk) == [other]


def test_one_that_breaks_off_leaves_nothing(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*asked: object, **options: object) -> Any:
        yield b"some of it"
        raise IncompleteExport("a record was erased")

    monkeypatch.setattr(export_files, "pieces", broken)
    with pytest.raises(ApiError, match="interrupted: a record was erased. Export again") as error:
        export_files.write_export(alice, alice.pk)
    assert (error.value.status, error.value.error, list(folder_of(alice).iterdir())) == (409, "interrupted", [])


def test_a_disk_that_is_full_is_reported_and_nothing_stays(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ApiError, match="disk is full") as error:
        export_files.write_export(alice, alice.pk)
    assert (error.value.status, error.value.error, list(folder_of(alice).iterdir())) == (507, "no_space", [])


def test_what_a_killed_export_left_is_removed_by_the_next_and_one_under_way_is_not(alice: User, bob: User) -> None:
    old, new, others = left_behind(alice, 61), left_behind(alice, 59), left_behind(bob, 61)
    path = export_files.write_export(alice, alice.pk)
    assert set(folder_of(alice).iterdir()) == {new, path}
    assert not old.exists()
    assert others.exists()


def test_the_clean_up_removes_it_of_every_account(alice: User, bob: User) -> None:
    finished = export_files.write_export(alice, alice.pk)
    left = [left_behind(alice, 61), left_behind(bob, 61), left_behind(bob, 59)]
    assert export_files.remove_abandoned() == 2
    assert [path.exists() for path in (finished, *left)] == [True, False, False, True]


def test_its_owner_downloads_it(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a"))
    path = export_files.write_export(alice, alice.pk)
    response = api_of(alice).get(f"/exports/{path.name}")
    assert b"".join(response.streaming_content) == path.read_bytes()
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert path.name in response.headers["Content-Disposition"]
    assert response.headers["Cache-Control"] == "no-store"


def test_nobody_but_its_owner_downloads_it(
    alice: User, bob: User, root: User, api_of: ApiOf, anonymous: ApiClient
) -> None:
    name = export_files.write_export(alice, alice.pk).name
    assert [api_of(user).get(f"/exports/{name}").status_code for user in (bob, root)] == [404, 404]
    assert anonymous.get(f"/exports/{name}").status_code == 302


@pytest.mark.parametrize("name", ["..", "%2e%2e", ".hidden.csv", "a.csv%00", "..%2fsecret.key", "nothing.csv"])
def test_any_other_name_is_404(alice: User, api_of: ApiOf, name: str) -> None:
    export_files.write_export(alice, alice.pk)
    assert api_of(alice).get(f"/exports/{name}").status_code == 404


def test_two_within_a_second_are_both_whole(alice: User) -> None:
    first = export_files.write_export(alice, alice.pk)
    assert export_files.write_export(alice, alice.pk) == first
    assert first.read_bytes().startswith("\ufeffRequestID,".encode())
