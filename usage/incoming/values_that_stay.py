"""What a file does not say of a call stays as it is stored (docs/decisions/files.md#what-a-file-does-not-have)."""

from dataclasses import replace
from typing import Any

from usage.incoming.record import IncomingRecord
from usage.measures import Provenance


def completed(record: IncomingRecord, old: IncomingRecord, prompt_length: int) -> IncomingRecord:
    """The record with what its source does not say, or says less of, taken from the stored one.

    `prompt_length` is that of the stored prompt in characters.
    """
    values: dict[str, Any] = {name: getattr(old, name) for name in record.missing - {"credits", "prompt", "instant"}}
    if "ts" in values and old.ts[:16] != record.ts[:16]:
        # Of a time, only the seconds may be missing.
        del values["ts"]
    if "credits" in record.missing and is_rounded(record.amount, old.amount):
        values["amount"] = old.amount
    for name in ("model", "client"):
        if is_mangled(getattr(record, name), getattr(old, name)):
            values[name] = getattr(old, name)
    is_worse = "prompt" in record.missing and prompt_length > 0
    if is_worse or "\r\n" in record.prompt and len(record.prompt.replace("\r\n", "\n")) == prompt_length:
        # It is damaged, or only its line breaks are others.
        values["prompt"] = ""
    elif len(record.prompt) > prompt_length:
        # A longer text is more than the stored excerpt.
        values.pop("prompt_truncated", None)
    return replace(record, **values)


def with_measures(record: IncomingRecord, old: IncomingRecord) -> IncomingRecord:
    """The record with the measures of the stored one where its source gives none, or less; what it gives is then the
    amount."""
    kept = old.measures
    if record.measures and kept and "instant" in record.missing:
        return replace(record, measures=replace(record.measures, at=kept.at, status=kept.status, young=kept.young))
    if record.measures or not kept:
        return record
    if record.amount and kept.provenance is Provenance.UNKNOWN:
        kept = replace(kept, provenance=Provenance.BILLED)
    return replace(record, measures=kept)


def is_rounded(new: int, old: int) -> bool:
    """Whether credits are others with fewer decimals."""
    step = 10
    while not new % (step * 10):
        step *= 10
    return abs(old - new) * 2 <= step and old % step != 0


def is_mangled(new: str, old: str) -> bool:
    """Whether a text is another one in which a program put question marks for characters that it could not write."""
    is_like = "?" in new and len(new) == len(old)
    return is_like and all(
        mine == other or (mine == "?" and not other.isascii()) for mine, other in zip(new, old, strict=True)
    )
