"""The receiver of docs/webhooks.md takes what is sent, and nothing else."""

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accounts.delivery import outbox, signing
from accounts.models import User
from tests.accounts.delivery.sending.receivers import receiving
from tests.accounts.webhooks.hooks import announce, make_webhook

DOCUMENT = Path(__file__).resolve().parents[3] / "docs/webhooks.md"
Verified = Callable[[Any, bytes, str], Any]


def blocks(language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def verified() -> Verified:
    (code,) = blocks("python")
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 - the example is what is tested
    found: Verified = names["verified"]
    return found


@pytest.mark.django_db
def test_it_takes_what_is_sent(alice: User, verified: Verified) -> None:
    with receiving() as receiver:
        _, secret = make_webhook(alice, receiver.url)
        announce(alice)
        outbox.send_due()
    (headers,), (body,) = receiver.headers, receiver.bodies
    assert verified(headers, body.encode(), secret) == json.loads(body)
    assert verified(headers, body.encode() + b" ", secret) is None
    assert verified(headers, body.encode(), signing.new_secret()) is None


@pytest.mark.parametrize(
    "forged", [{}, {"X-Timestamp": "1"}, {"X-Signature": "sha256=é"}, {"X-Timestamp": "é", "X-Signature": "sha256="}]
)
def test_it_refuses_what_is_not_signed(forged: dict[str, str], verified: Verified) -> None:
    assert verified(forged, b"{}", signing.new_secret()) is None


@pytest.mark.parametrize(("seconds", "is_taken"), [(-200, True), (-400, False), (400, False)])
def test_it_refuses_what_is_old(seconds: int, is_taken: bool, verified: Verified) -> None:
    secret = signing.new_secret()
    sent = str(int(time.time()) + seconds)
    headers = {"X-Timestamp": sent, "X-Signature": f"sha256={signing._signature(secret, sent, '{}')}"}
    assert (verified(headers, b"{}", secret) is not None) == is_taken


def test_the_example_has_the_fields_of_an_event() -> None:
    example, notice = map(json.loads, blocks("json"))
    assert list(notice["notice"]) == ["id", "event", "part", "title", "text", "began_at", "ended_at"]
    assert list(example) == ["version", "type", "id", "timestamp", "account", "instance", "run"]
    assert list(example["run"]["counts"]) == ["fetched", "added", "dup", "conflicts", "total"]
