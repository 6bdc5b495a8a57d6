"""The key that a restore lays beside the instance's: the store says which one counts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.fernet import Fernet
from django.conf import settings

from accounts.credentials import credential, instance_key
from accounts.models import Store
from accounts.store_identity import open_store, settle_key
from archive_site.lib.locks.instance_lock import held
from archive_site.lib.storage import encryption
from tests.backups.filled_instance import COOKIE
from tests.factories import make_user


@pytest.fixture
def staged(db: None) -> Iterator[Path]:
    """A key beside the instance's, which the store does not name."""
    folder = settings.DATA_FOLDER
    kept = folder.instance_key.read_bytes()
    open_store()
    folder.staged_key.write_bytes(Fernet.generate_key())
    yield folder.staged_key
    folder.staged_key.unlink(missing_ok=True)
    folder.instance_key.write_bytes(kept)


def name_in_store(path: Path) -> str:
    fingerprint = encryption.fingerprint_of(path.read_text().strip())
    Store.objects.update(key_fingerprint=fingerprint)
    return fingerprint


def test_a_key_beside_the_instances_counts_for_nothing(staged: Path) -> None:
    assert instance_key.key_in_force() == settings.DATA_FOLDER.instance_key.read_text().strip()


def test_unless_the_store_names_it(staged: Path) -> None:
    alice = make_user("alice")
    credential.store(alice.pk, COOKIE)
    name_in_store(staged)
    assert instance_key.key_in_force() == staged.read_text().strip()
    assert credential.state(alice.pk).broken


def test_a_start_puts_the_key_that_the_store_names_in_its_place(staged: Path) -> None:
    key = staged.read_text().strip()
    fingerprint = name_in_store(staged)
    open_store()
    assert settings.DATA_FOLDER.instance_key.read_text().strip() == key
    assert (Store.objects.get().key_fingerprint, staged.exists()) == (fingerprint, False)


def test_a_start_removes_a_key_that_the_store_does_not_name(staged: Path) -> None:
    before = settings.DATA_FOLDER.instance_key.read_bytes()
    open_store()
    assert (settings.DATA_FOLDER.instance_key.read_bytes(), staged.exists()) == (before, False)


@pytest.mark.parametrize("content", [b"", b"no key"])
def test_half_a_key_is_removed(content: bytes, staged: Path) -> None:
    staged.write_bytes(content)
    assert instance_key.key_in_force()
    settle_key()
    assert not staged.exists()


def test_a_restore_under_way_keeps_its_key(staged: Path) -> None:
    # The restore of another process: this thread must not count as the one that holds the freeze.
    with held("restore.lock"):
        settle_key()
        assert staged.exists()


def test_a_key_put_there_by_hand_is_taken(staged: Path) -> None:
    staged.unlink()
    settings.DATA_FOLDER.instance_key.write_bytes(Fernet.generate_key())
    assert open_store().store_id == Store.objects.get().store_id
    assert Store.objects.get().key_fingerprint == instance_key.key_fingerprint()
