"""Creating a backup: complete, one at a time, and older ones are pruned (docs/decisions/backups.md#the-snapshot)."""

import hashlib
import json
import stat
import subprocess
import zipfile
from datetime import UTC
from pathlib import Path
from threading import Event

import pytest
from django.conf import settings

from accounts.actor import Actor
from accounts.api_types import Invited
from accounts.credentials.instance_key import key_in_force
from accounts.models import User
from accounts.signin import invitations
from accounts.tokens.token_text import hash_of
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from backups import backup_zip, catalog, creation, snapshot
from backups.restore import backup_reader
from tests.backups.filled_instance import everything
from tests.backups.tiny_archives import configure, folder, kept, on_shelf
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call

pytestmark = pytest.mark.django_db(transaction=True)
Patch = pytest.MonkeyPatch


# Contents


def test_it_holds_the_store_the_key_and_a_manifest_that_describes_them(alice: User, time: SetClock) -> None:
    archive(alice, call("a"), call("b"))
    created = creation.create("manual", note="before the move")
    with zipfile.ZipFile(created.path) as packed:
        members = {name: packed.read(name) for name in packed.namelist()}
    manifest = json.loads(members.pop("manifest.json"))
    assert set(members) == {"store.sqlite3", "instance.key"}
    assert manifest == {
        "format": 1,
        "schema": 4,
        "app": settings.VERSION,
        "created_at": time.now.astimezone(UTC).isoformat(),
        "trigger": "manual",
        "note": "before the move",
        "accounts": 1,
        "records": 2,
        "members": {
            name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in members.items()
        },
    }
    assert members["instance.key"].decode().strip() == key_in_force()


def test_it_holds_no_key_of_a_session_not_even_in_free_pages(alice: User) -> None:
    key = ApiClient.signed_in(alice).client.session.session_key
    created = creation.create("manual")
    with zipfile.ZipFile(created.path) as packed:
        store = packed.read("store.sqlite3")
    assert str(key).encode() in live_content()
    assert str(key).encode() not in store


def test_it_holds_no_invitation_not_even_in_free_pages(root: User) -> None:
    kept = hash_of(invitations.create(Invited(username="dora"), Actor("root", root.pk)).token).encode()
    created = creation.create("manual")
    with zipfile.ZipFile(created.path) as packed:
        store = packed.read("store.sqlite3")
    assert kept in live_content()
    assert kept not in store


def live_content() -> bytes:
    return repr(everything()).encode()


def test_it_opens_as_a_restore_would_open_it(alice: User) -> None:
    archive(alice, call("a"))
    created = creation.create("manual")
    assert backup_reader.verify(created.path) == backup_zip.read_manifest(created.path)
    unzipped = subprocess.run(["python3", "-m", "zipfile", "-t", created.path], capture_output=True, text=True)
    assert unzipped.stdout.strip() == "Done testing"


def test_its_counts_are_of_the_copy_not_of_a_later_moment(alice: User, monkeypatch: Patch) -> None:
    archive(alice, call("a"))
    take = snapshot.take

    def take_and_go_on(target: Path) -> None:
        take(target)
        archive(alice, call("b"))

    monkeypatch.setattr(snapshot, "take", take_and_go_on)
    assert creation.create("manual").item.records == 1


def test_it_is_packed_and_nobody_elses(alice: User) -> None:
    created = creation.create("auto")
    assert created.path.stat().st_size < snapshot.expected_bytes() / 4
    assert on_shelf() == [created.path.name, f"{created.path.name}.sha256"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder().iterdir()} == {0o600}


def test_its_item_is_that_of_the_list(alice: User, time: SetClock) -> None:
    created = creation.create("manual", note="x")
    assert catalog.items() == [created.item]
    assert created.item.sha256 == hashlib.sha256(created.path.read_bytes()).hexdigest()
    assert created.path.name == "backup-20260907-175930-manual.zip"


def test_two_in_one_second_are_two(alice: User, time: SetClock) -> None:
    first, second = creation.create("manual"), creation.create("manual")
    assert first.path != second.path
    assert len(catalog.items()) == 2


@pytest.mark.parametrize(
    ("note", "kept"),
    [
        ("  a  note \n of\ttwo lines\r\n", "a note of two lines"),
        ("bell\x07 null\0 escape\x1b[31m", "bell null escape[31m"),
        ("\ud800lone", "lone"),
        ("全角　空白", "全角 空白"),
        ("x" * 201, "x" * 200),
        ("x" * 199 + " y", "x" * 199),
        ("\n", ""),
    ],
)
def test_a_note_is_one_line_of_at_most_200(note: str, kept: str, time: SetClock) -> None:
    assert creation.create("manual", note=note).item.note == kept


# Pruning


def test_older_ones_go_for_it(alice: User, time: SetClock) -> None:
    configure(backup_keep=2)
    old = [kept(time.now.replace(hour=hour)) for hour in (1, 2, 3)]
    created = creation.create("auto")
    assert created.pruned == [old[1].name, old[0].name]
    assert [item.name for item in catalog.items()] == [created.path.name, old[2].name]


def test_a_snapshot_before_a_restore_prunes_nothing(alice: User, time: SetClock) -> None:
    configure(backup_keep=1)
    old = [kept(time.now.replace(hour=hour), trigger) for hour in (1, 2, 3, 4) for trigger in ("auto", "pre_restore")]
    with maintenance_lock():
        created = creation.create_unlocked("pre_restore")
    assert created.pruned == []
    assert all(path.exists() for path in old)


def test_what_cannot_be_pruned_does_not_undo_the_backup(alice: User, time: SetClock, monkeypatch: Patch) -> None:
    configure(backup_keep=1)
    old = kept(time.now.replace(hour=1))

    def refuse(path: Path) -> None:
        raise ApiError(400, "backup", "it stays")

    monkeypatch.setattr(catalog, "delete", refuse)
    created = creation.create("manual")
    assert (created.pruned, created.path.exists(), old.exists()) == ([], True, True)


# The maintenance lock


def test_of_two_at_once_one_is_made(alice: User, monkeypatch: Patch) -> None:
    refused, unlocked = Event(), creation.create_unlocked

    def while_the_other_asks(*words: str, **note: str) -> creation.Created:
        assert refused.wait(60)
        return unlocked(*words, **note)

    def create() -> creation.Created:
        try:
            return creation.create("manual")
        except ApiError:
            refused.set()
            raise

    monkeypatch.setattr(creation, "create_unlocked", while_the_other_asks)
    outcomes = together(create, create)
    busy = [outcome for outcome in outcomes if isinstance(outcome, ApiError)]
    assert [error.status for error in busy] == [409]
    assert len(catalog.items()) == 1


def test_who_holds_the_exclusion_makes_it_without(alice: User) -> None:
    with maintenance_lock():
        assert creation.create_unlocked("pre_restore").path.exists()
        with pytest.raises(ApiError) as error:
            creation.create("manual")
    assert error.value.status == 409
