"""The short form of records, of `/api/top` and `/api/bundle` alone (specification 2.1)."""

from collections.abc import Iterable
from typing import Any

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Coalesce, Substr

from usage.filters import NEWEST_FIRST, ORDERS, RecordFilters
from usage.models import Record
from usage.record_payloads import credits

EXCERPT = 120  # characters of a prompt


def in_order(ids: list[int]) -> list[dict[str, Any]]:
    """The records of these ids in their order; one that is gone is left out."""
    found = {row[0]: row[1:] for row in _rows(Record.objects.filter(pk__in=ids))}
    return [_short(*found[pk]) for pk in ids if pk in found]


def newest(user_id: int, filters: RecordFilters, most: int) -> list[dict[str, Any]]:
    """The newest records in the filters' days, at most so many, newest first."""
    records = Record.objects.filter(user_id=user_id)
    if filters.days.first:
        records = records.filter(ts__gte=f"{filters.days.first} 00:00:00")
    if filters.days.last:
        records = records.filter(ts__lte=f"{filters.days.last} 23:59:59")
    return [_short(*row[1:]) for row in _rows(records.order_by(*ORDERS[NEWEST_FIRST])[:most])]


def _rows(records: QuerySet[Record]) -> Iterable[tuple[Any, ...]]:
    # The excerpt is cut by the database: whole prompts would be most of the bytes.
    excerpt = Coalesce(Substr(F("prompt__text"), 1, EXCERPT), Value(""))
    return records.values_list("pk", "request_id", "credits", "model", "client", "ts", excerpt)


def _short(request_id: str, spent: int, model: str, client: str, ts: str, excerpt: str) -> dict[str, Any]:
    return {"id": request_id, "c": credits(spent), "m": model, "cl": client, "t": ts, "px": excerpt}
