"""The readable form of records (docs/api.md#record), and texts of credits that the server writes.

The short form of records is in `short_key_form`.
"""

import json
from dataclasses import astuple
from typing import Any, NamedTuple

from msgspec import UNSET

from archive_site.lib import clock
from usage import models
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import CREDITS, Unit
from usage.measure_types import TokenCounts
from usage.measures import NO_MEASURES, Measures, Provenance
from usage.prompt_privacy.hashed_words import readable as readable_text
from usage.record_types import Record, WholeRecord
from usage.stored_measures import measures_in

# `json.dumps` makes a new encoder for each value, which takes longer than a short value.
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Listed(NamedTuple):
    """A record in a list; `prompt` is None in lists without prompts, `measures` where they are not asked for."""

    request_id: str
    credits: int
    model: str
    client: str
    ts: str
    agent_purpose: str
    prompt: str | None
    measures: Measures | None = None

    @property
    def known_credits(self) -> int | None:
        """The amount; None where it is unknown, as far as measures were asked for."""
        is_unknown = self.measures is not None and self.measures.provenance is Provenance.UNKNOWN
        return None if is_unknown else self.credits


def amount(spent: float, unit: Unit = CREDITS) -> str:
    """An amount with at most as many decimals as pages show of its unit, and the thousands apart."""
    text = figure(spent, unit)
    return text.rstrip("0").rstrip(".") if "." in text else text


def figure(spent: float, unit: Unit = CREDITS) -> str:
    """An amount with the decimals that pages show of its unit, for figures that stand below each other."""
    return f"{spent:,.{unit.shown}f}"


def exact(parts: int, unit: Unit) -> str:
    """An amount to the last digit, with at least the decimals that pages show: such amounts add up."""
    return unit.text(parts, unit.shown, apart=",")


def json_text(value: object) -> str:
    """A value as JSON without blanks and without escaping of non-ASCII characters."""
    return _ENCODER.encode(value)


def number_of(unit: Unit, parts: int, measures: Measures | None) -> float | None:
    """The amount of a call as a number; None where it is unknown."""
    return None if measures and measures.provenance is Provenance.UNKNOWN else unit.number(parts)


def measured_call(unit: Unit, parts: int, measures: Measures | None) -> dict[str, Any]:
    """The fields of `MeasuredCall`."""
    beside = measures or NO_MEASURES
    tokens = TokenCounts(*astuple(beside.tokens)) if beside.tokens else None
    amount = None if beside.provenance is Provenance.UNKNOWN else unit.text(parts)
    return {"unit": unit.code, "amount": amount, "provenance": beside.provenance.value, "tokens": tokens}


def readable(record: Listed, unit: Unit, *, purpose: bool = False, measured: bool = False) -> Record:
    """One item of a list of records, without `prompt` in lists without prompts; `purpose` adds `agent_purpose`,
    `measured` what is known beside the specified fields."""
    more = measured_call(unit, record.credits, record.measures) if measured else {}
    return Record(
        record.request_id,
        number_of(unit, record.credits, record.measures),
        record.model,
        record.client,
        record.ts,
        UNSET if record.prompt is None else record.prompt,
        record.agent_purpose if purpose else UNSET,
        **more,
    )


def whole(record: models.Record, user_id: int, *, measured: bool = False) -> WholeRecord:
    """All stored fields of a record of an account as a flat object; `measured` as in `readable`."""
    unit, measures = unit_of(record.archive_id), measures_in(record) if measured else None
    return WholeRecord(
        request_id=record.request_id,
        credits=number_of(unit, record.credits, measures),
        model=record.model,
        client=record.client,
        ts=record.ts,
        prompt=prompt_of(record),
        user_id=user_id,
        day=record.day,
        hour=record.hour,
        agent_purpose=record.agent_purpose,
        prompt_truncated=record.prompt_truncated,
        first_seen_at=clock.local_text(record.first_seen_at),
        updated_at=clock.local_text(record.updated_at),
        run_id=record.run_id,
        **(measured_call(unit, record.credits, measures) if measured else {}),
    )


def prompt_of(record: models.Record) -> str:
    # A record without a prompt has no row in the other table; after `select_related` this check needs no query.
    return readable_text(record.prompt.text) if hasattr(record, "prompt") else ""
