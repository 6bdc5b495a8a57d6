"""Restoring: webhooks come from the backup, and what waits goes on (docs/webhooks.md#delivery)."""

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from accounts.actor import Actor
from accounts.delivery import outbox, stored_webhooks
from accounts.delivery import to_webhook as delivery
from accounts.delivery.sending.send import Outcome
from accounts.delivery.stored_webhooks import Receiver
from accounts.models import Delivery, User, Webhook
from accounts.webhooks import changes
from backups import creation
from tests.accounts.webhooks.hooks import NOWHERE, announce, make_webhook
from tests.backups.filled_instance import restored, user

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def posted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    ids: list[str] = []

    def post(url: str, headers: dict[str, str], body: str) -> Outcome:
        ids.append(headers["X-Event-Id"])
        return Outcome(sent=True, status=200)

    monkeypatch.setattr(delivery, "post", post)
    return ids


@pytest.fixture
def alice(settled: None) -> User:
    return user("alice")


def made() -> Path:
    return creation.create("manual").path


def states() -> list[str]:
    return list(Delivery.objects.order_by("pk").values_list("state", flat=True))


def test_a_webhook_of_the_backup_works_again(alice: User, posted: list[str]) -> None:
    webhook, secret = make_webhook(alice)
    backup = made()
    changes.delete(alice.pk, webhook.pk, Actor("alice", alice.pk))
    restored(backup)
    assert stored_webhooks.receiver_of(Webhook.objects.get()) == Receiver(NOWHERE, secret)
    announce(user("alice"))
    assert outbox.send_due() == len(posted) == 1


def test_what_waits_is_sent_after_the_restore_and_once(alice: User, posted: list[str]) -> None:
    make_webhook(alice)
    announce(alice)
    outbox.send_due()
    backup = made()
    announce(alice)
    restored(backup)
    outbox.send_due()
    assert outbox.send_due() == 0
    assert (len(posted), len(set(posted)), states()) == (2, 2, ["sent", "sent"])


def test_what_waited_in_the_backup_is_not_sent(alice: User, posted: list[str]) -> None:
    make_webhook(alice)
    announce(alice)
    backup = made()
    outbox.send_due()
    restored(backup)
    assert (outbox.send_due(), len(posted)) == (0, 1)


def test_what_waits_for_a_webhook_that_the_backup_lacks_is_dropped(alice: User, posted: list[str]) -> None:
    backup = made()
    make_webhook(alice)
    announce(alice)
    restored(backup)
    outbox.send_due()
    assert (states(), posted) == (["dropped"], [])


def test_another_row_under_the_same_id_is_another_webhook(alice: User, posted: list[str]) -> None:
    webhook, _ = make_webhook(alice)
    backup = made()
    Webhook.objects.all().delete()
    other, _ = make_webhook(alice)
    Webhook.objects.filter(pk=other.pk).update(id=webhook.pk)
    announce(alice)
    restored(backup)
    outbox.send_due()
    assert (states(), posted) == (["dropped"], [])


def test_a_backup_has_neither_address_nor_secret_in_plain(alice: User) -> None:
    _, secret = make_webhook(alice)
    announce(alice)
    with ZipFile(made()) as backup:
        parts: list[Any] = [backup.read(name) for name in backup.namelist()]
    assert not [part for part in parts if b"marker-path" in part or secret.encode() in part]
