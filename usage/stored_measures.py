"""How measures of records are stored (docs/decisions/records.md#measures)."""

from collections.abc import Collection
from typing import Any

from django.db import connection

from accounts import archives
from archive_site.lib.storage.sql import instant
from usage.measures import Measures, Provenance, Status, Tokens
from usage.models import Record

# The place of each is its number in the store.
_PROVENANCES, _STATUSES = tuple(Provenance), tuple(Status)
ESTIMATED, UNKNOWN = map(_PROVENANCES.index, (Provenance.ESTIMATED, Provenance.UNKNOWN))
TOKENS = ("tokens_in", "tokens_out", "cache_read", "cache_write")
# The measures of records `r`, as `measures_of` takes them; all null of a record that has none.
JOINED = "LEFT JOIN usage_recordmeasures m ON m.record_id = r.id"
SELECTED = ("m.provenance", *(f"m.{name}" for name in TOKENS), "CAST(m.at AS TEXT)", "m.status", "m.young")


def places_of(statuses: Collection[Status]) -> list[int]:
    """The numbers of these statuses in the store."""
    return [_STATUSES.index(status) for status in statuses]


def may_be_in(archive_id: int) -> bool:
    """Whether records of an archive can have measures: the source of the first archives of accounts gives none."""
    return archives.is_further(archive_id)


def measures_of(provenance: int | None, *values: Any) -> Measures | None:
    """The measures in the columns of `SELECTED`; None for a record that has none."""
    if provenance is None:
        return None
    *tokens, at, status, young = values
    return Measures(
        _PROVENANCES[provenance],
        None if tokens[0] is None else Tokens(*tokens),
        None if at is None else instant(at),
        _STATUSES[status],
        bool(young),
    )


def measures_in(record: Record) -> Measures | None:
    """The measures of a record that was read with them."""
    row = record.recordmeasures if hasattr(record, "recordmeasures") else None
    if row is None:
        return None
    tokens = [getattr(row, name) for name in TOKENS]
    return Measures(
        _PROVENANCES[row.provenance],
        None if tokens[0] is None else Tokens(*tokens),
        row.at,
        _STATUSES[row.status],
        row.young,
    )


def row_of(record_id: int, measures: Measures) -> tuple[Any, ...]:
    """The row of a record's measures."""
    tokens = measures.tokens
    of_tokens = (
        (tokens.input, tokens.output, tokens.cache_read, tokens.cache_write) if tokens else (None,) * len(TOKENS)
    )
    at = connection.ops.adapt_datetimefield_value(measures.at) if measures.at else None
    status = _STATUSES.index(measures.status)
    return (record_id, _PROVENANCES.index(measures.provenance), *of_tokens, at, status, measures.young)
