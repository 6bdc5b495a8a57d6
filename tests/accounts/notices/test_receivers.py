"""Where an account's notices go, and by which names its pages show that."""

from typing import Any

import pytest

from accounts.delivery import addresses
from accounts.delivery.addresses import named
from accounts.models import User, Webhook
from accounts.notices import receivers
from tests.accounts.webhooks.hooks import make_webhook

pytestmark = pytest.mark.django_db


def test_they_are_named_by_choice_or_host(alice: User, bob: User) -> None:
    addresses.replace(alice.pk, [named("json://one.example.org/marker", "My phone")])
    make_webhook(alice, "https://collections.example.org/marker")
    make_webhook(alice, "https://notices.example.org/marker")
    Webhook.objects.filter(pk=Webhook.objects.latest("pk").pk).update(notices=True)
    assert [one.shown for one in receivers.of_account(alice.pk)] == ["My phone", "https://notices.example.org/…"]
    assert receivers.of_account(bob.pk) == []


def test_however_many_there_are_two_queries_find_them(alice: User, django_assert_num_queries: Any) -> None:
    addresses.replace(alice.pk, [named(f"json://{number}.example.org") for number in range(9)])
    for _ in range(5):
        make_webhook(alice)
    Webhook.objects.update(notices=True)
    with django_assert_num_queries(2):
        assert len(receivers.of_account(alice.pk)) == 14
