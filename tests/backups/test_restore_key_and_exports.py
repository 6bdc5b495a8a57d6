"""Restoring: the instance key and the exports beside the store (docs/api.md#restore-a-backup)."""

from pathlib import Path

import pytest
from django.conf import settings

from accounts.credentials import credential, instance_key
from accounts.models import Store
from tests.backups.backup_files import alter, made_store, pack_store
from tests.backups.filled_instance import COOKIE, restored, start_afresh, user
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db(transaction=True)


# The key


def test_the_key_comes_with_the_archive(backup: Path) -> None:
    start_afresh()
    restored(backup)
    assert credential.reveal(user("alice").pk) == COOKIE
    assert Store.objects.get().key_fingerprint == instance_key.key_fingerprint()
    assert not settings.DATA_FOLDER.staged_key.exists()
    assert settings.DATA_FOLDER.instance_key.stat().st_mode & 0o777 == 0o600


def test_without_it_the_key_stays_and_the_cookies_are_broken(backup: Path) -> None:
    start_afresh()
    before = settings.DATA_FOLDER.instance_key.read_bytes()
    restored(backup, include_instance=False)
    assert settings.DATA_FOLDER.instance_key.read_bytes() == before
    assert Store.objects.get().key_fingerprint == instance_key.key_fingerprint()
    answer = ApiClient.signed_in(user("alice")).get("/api/settings").json()
    assert (answer["cookie_broken"], answer["cookie_hint"]) == (True, "")


def test_without_it_cookies_of_the_same_key_go_on(backup: Path) -> None:
    restored(backup, include_instance=False)
    assert credential.reveal(user("alice").pk) == COOKIE


# Exports


def test_an_export_goes_where_its_id_is_another_persons(settled: None, tmp_path: Path) -> None:
    ids = {"root": user("root").pk, "alice": user("alice").pk}
    exports = settings.DATA_FOLDER.exports
    for folder, name in ((ids["root"], "root"), (ids["alice"], "alice"), (99, "gone")):
        (exports / str(folder)).mkdir()
        (exports / str(folder) / f"usage-{name}-20260901-100000.csv").write_text("theirs")
    other = made_store(tmp_path / "other.sqlite3")
    alter(other, f"UPDATE accounts_user SET id = {ids['alice']}")
    restored(pack_store(tmp_path / "other.zip", other))
    # Now root has the old id of alice; the old id of root and 99 belong to no account.
    left = sorted(path.name for path in exports.rglob("*.csv"))
    assert left == ["usage-gone-20260901-100000.csv", "usage-root-20260901-100000.csv"]


def test_the_same_person_keeps_the_exports(backup: Path) -> None:
    path = settings.DATA_FOLDER.exports / str(user("alice").pk) / "usage-alice-20260901-100000.csv"
    path.parent.mkdir()
    path.write_text("hers")
    restored(backup)
    assert path.exists()
