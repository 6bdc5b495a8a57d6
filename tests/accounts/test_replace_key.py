"""`manage.py replace_key`: the way for a lost key (docs/decisions/instance.md#keys)."""

from pathlib import Path

import pytest
from django.conf import settings

from accounts import key_replacement
from accounts.credentials import credential, instance_key
from accounts.models import Store
from accounts.store_identity import open_store
from audit.models import Entry
from tests.archive_site.commands import is_one_line, manage
from tests.collection.running_instance import Instance
from tests.factories import make_user


@pytest.fixture
def copied(made_home: Path) -> Instance:
    """An instance with a stored cookie."""
    instance = Instance(made_home)
    instance.use_cookie("https://usage.example.org", "session=1234567890")
    return instance


@pytest.mark.thorough
def test_without_yes_it_names_what_would_be_lost(copied: Instance) -> None:
    (copied.home / "instance.key").unlink()
    failed = manage("replace_key", home=copied.home)
    assert is_one_line(failed, "unreadable: 1.", "Nothing was changed", "--yes")
    assert not (copied.home / "instance.key").exists()


@pytest.mark.thorough
@pytest.mark.parametrize("lost", [["instance.key"], ["instance.key", "secret.key"], []])
def test_it_replaces_the_instance_key(lost: list[str], copied: Instance) -> None:
    before = copied.sql("SELECT key_fingerprint FROM accounts_store")
    for name in lost:
        (copied.home / name).unlink()
    assert manage("replace_key", "--yes", home=copied.home).returncode == 0
    assert copied.sql("SELECT key_fingerprint FROM accounts_store") != before
    assert {path.name for path in copied.home.glob("*.key*")} == {"instance.key", "secret.key"}
    assert copied.sql("SELECT action, actor FROM audit_entry") == [("key_replace", "command line")]
    assert manage("backup", "list", home=copied.home).returncode == 0


def test_a_lost_secret_key_breaks_no_cookie(copied: Instance) -> None:
    before = copied.sql("SELECT key_fingerprint FROM accounts_store")
    (copied.home / "secret.key").unlink()
    assert manage("replace_key", "--yes", home=copied.home).returncode == 0
    assert copied.sql("SELECT key_fingerprint FROM accounts_store") == before
    assert (copied.home / "secret.key").exists()


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_stored_cookies_are_broken_then() -> None:
    kept = settings.DATA_FOLDER.instance_key.read_bytes()
    open_store()
    alice = make_user("alice")
    credential.store(alice.pk, "session=1234567890")
    try:
        key_replacement.replace()
        assert credential.state(alice.pk).broken
        assert Store.objects.get().key_fingerprint == instance_key.key_fingerprint()
        assert str(Entry.objects.get().detail) == "new instance key; cookies to be pasted again: 1"
    finally:
        settings.DATA_FOLDER.instance_key.write_bytes(kept)
