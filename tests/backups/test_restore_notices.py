"""Restoring: nothing is sent twice, and nothing that waits is lost (docs/decisions/notices.md#outbox)."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from accounts.delivery import addresses, outbox
from accounts.delivery.addresses import StoredAddress
from accounts.delivery.sending.send import Outcome
from accounts.models import Delivery, Notice, User
from accounts.notices.beginning_and_end import Cause, Found, settle
from archive_site.lib.stored_message import Message
from backups import creation
from tests.backups.filled_instance import restored, user

pytestmark = pytest.mark.django_db(transaction=True)
ADDRESS = StoredAddress("json://marker-host/marker-path", "json://…")


def cause(name: str) -> Cause:
    return Cause("budget", name, Message("notice_cookie_refused"), once=True)


def look(account: User, *names: str) -> None:
    settle(account.pk, Found([cause(name) for name in names], {"budget"}))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    bodies: list[str] = []

    def send(address: str, title: str, body: str, identity: str) -> Outcome:
        bodies.append(identity)
        return Outcome(sent=True)

    monkeypatch.setattr(outbox, "send", send)
    return bodies


@pytest.fixture
def receiver(settled: None) -> User:
    alice = user("alice")
    addresses.replace(alice.pk, [ADDRESS])
    return alice


def made() -> Path:
    return creation.create("manual").path


def kept() -> list[tuple[str, bool, list[tuple[str, str]]]]:
    return [
        (one.cause, one.ended_at is not None, list(one.deliveries.order_by("pk").values_list("part", "state")))
        for one in Notice.objects.order_by("pk")
    ]


def test_what_was_sent_since_the_backup_is_not_sent_again(receiver: User, sent: list[str]) -> None:
    look(receiver, "a")
    backup = made()
    outbox.send_due()
    look(receiver, "b")
    outbox.send_due()
    before = kept()
    restored(backup)
    assert kept() == before
    look(user("alice"), "b")
    assert outbox.send_due() == 0
    assert len(set(sent)) == len(sent) == 3


def test_what_waits_is_sent_after_the_restore(receiver: User, sent: list[str]) -> None:
    backup = made()
    look(receiver, "a")
    restored(backup)
    assert outbox.send_due() == 1
    look(user("alice"))
    assert outbox.send_due() == 1
    assert [identity.rpartition("-")[2] for identity in sent] == ["begin", "end"]


def test_what_the_live_store_lost_is_taken_from_the_backup_without_sending(receiver: User, sent: list[str]) -> None:
    look(receiver, "a")
    backup = made()
    Notice.objects.all().delete()
    restored(backup)
    assert kept() == [("a", False, [("begin", "dropped")])]
    look(user("alice"), "a")
    assert outbox.send_due() == 0


def test_a_cause_that_both_stores_have_open_stays_one(receiver: User, sent: list[str]) -> None:
    look(receiver, "a")
    backup = made()
    Notice.objects.all().delete()
    look(receiver, "a")
    outbox.send_due()
    restored(backup)
    assert [is_over for _, is_over, _ in kept()] == [True, False]
    look(user("alice"), "a")
    assert outbox.send_due() == 0


def test_an_account_that_the_backup_lacks_leaves_no_notices(receiver: User, sent: list[str]) -> None:
    backup = made()
    other = User.objects.create(username="zoe", password="!")
    look(other, "a")
    restored(backup)
    assert kept() == []
    assert not Delivery.objects.exists()


@pytest.mark.engine
@pytest.mark.parametrize("is_another", [False, True])
def test_an_account_that_was_deleted_since_has_its_notices_again(
    receiver: User, sent: list[str], is_another: bool
) -> None:
    look(receiver, "a", "b")
    outbox.send_due()
    look(receiver, "a")
    outbox.send_due()
    before, backup = kept(), made()
    if is_another:
        # Another account of the same id, whose open notice is another one.
        User.objects.filter(pk=receiver.pk).update(username="zoe", username_key="zoe")
        Notice.objects.all().delete()
        look(receiver, "a")
    else:
        receiver.delete()
    restored(backup)
    assert kept() == before
    look(user("alice"), "a")
    assert outbox.send_due() == 0


def test_a_backup_has_no_address_in_plain(receiver: User) -> None:
    look(receiver, "a")
    with ZipFile(made()) as backup:
        assert not [name for name in backup.namelist() if b"marker-" in backup.read(name)]
