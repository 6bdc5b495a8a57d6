"""What a spend log says of a call in forms that the simulator does not play (docs/sources/litellm.md#rows)."""

import json
from typing import Any

import pytest
from django.conf import settings

from collection.sources.litellm.rows import read_row
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Provenance, Tokens

# Numbers of answers are read as texts.
ROW: dict[str, Any] = {
    "request_id": "req-ex-1", "spend": "0.00125", "prompt_tokens": "1000", "completion_tokens": "50",
    "startTime": "2026-11-01T02:26:40.000Z", "status": "success",
}  # fmt: skip


def record(**changes: Any) -> IncomingRecord:
    return read_row({**ROW, **changes}, settings.SERVER_ZONE)


def measures(**changes: Any) -> Measures:
    found = record(**changes).measures
    assert found
    return found


ASKED = [{"role": "user", "content": "first"}, {"role": "assistant", "content": "no"}]


@pytest.mark.parametrize(
    ("messages", "prompt"),
    [
        ({}, ""),
        (None, ""),
        ("{", ""),
        ([*ASKED, {"role": "user", "content": "last"}], "last"),
        (ASKED, "first"),
        (json.dumps(ASKED), "first"),
        ([{"role": "user", "content": [{"type": "text", "text": "a"}, {"type": "image"}, {"text": "b"}]}], "a\nb"),
    ],
)
def test_the_prompt_is_the_last_text_of_the_user(messages: object, prompt: str) -> None:
    assert record(messages=messages).prompt == prompt


@pytest.mark.parametrize(
    ("metadata", "tokens"),
    [
        ({}, Tokens(1000, 50)),
        ({"additional_usage_values": {"cache_read_input_tokens": "900"}}, Tokens(100, 50, 900)),
        ({"usage_object": {"cache_creation_input_tokens": "300"}}, Tokens(700, 50, 0, 300)),
        # Counted without the cached ones.
        ({"usage_object": {"prompt_tokens_details": {"cached_tokens": "1001"}}}, Tokens(1000, 50, 1001)),
    ],
)
def test_no_token_counts_twice(metadata: object, tokens: Tokens) -> None:
    assert measures(metadata=metadata).tokens == tokens


def test_what_is_no_count_is_no_token() -> None:
    assert measures(prompt_tokens="many").tokens is None


@pytest.mark.parametrize(
    ("changes", "provenance"),
    [
        ({}, Provenance.ESTIMATED),
        ({"status": None}, Provenance.ESTIMATED),
        ({"spend": None}, Provenance.UNKNOWN),
        ({"status": "failure", "spend": "0.0"}, Provenance.UNKNOWN),
        ({"status": "failure", "metadata": {"cost_breakdown": {"input_cost": "0"}}}, Provenance.ESTIMATED),
    ],
)
def test_an_amount_is_an_estimate_or_unknown(changes: dict[str, Any], provenance: Provenance) -> None:
    assert measures(**changes).provenance == provenance
