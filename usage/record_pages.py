"""Lists of records without a text to search for: the ids of one page, or of all in chunks, in any order.

The rollups say how many calls a day, a model or a client has. So a page begins by looking up where it lies, and reads
only the records around it, never all that come before. What the rollup says may be a moment older than the records
that are then read: such a page is off by what came in between.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.db import connection

from archive_site.lib.http.parameters import Days
from usage.filters import NEWEST_FIRST, ORDERS, RecordFilters
from usage.models import DayClient, DayGroup, DayModel, DayTotal

_ROLLUPS: dict[frozenset[str], Any] = {
    frozenset(): DayTotal,
    frozenset({"model"}): DayModel,
    frozenset({"client"}): DayClient,
}

Bucket = tuple[str, ...]  # the values of some of the rollup's columns
Row = tuple[Any, ...]  # what the order compares, and last the record's id

# So many entries of an index are skipped faster than the rollup is asked.
_NEAR = 5_000
# So many records are sorted faster than they are picked from among all others.
_FEW = 2_000
_FIRST_CHUNK = 100
_CHUNK = 1_000
# SQLite keeps no statistics here and would rather sort a span of days than walk the order's index.
_INDEXES = {"ts": "record_by_time", "credits": "record_by_credits"}


@dataclass(frozen=True)
class _Order:
    columns: tuple[str, ...]
    descending: bool

    @property
    def leads(self) -> str:
        return self.columns[0]

    def turned(self) -> "_Order":
        return replace(self, descending=not self.descending)


_OLDEST_FIRST = _Order(ORDERS["ts_asc"], descending=False)


def page(user_id: int, filters: RecordFilters, order: str, offset: int, size: int) -> list[int]:
    """The ids of the records of one page, in order; fewer than `size` at the end, none beyond it.

    `order` is one of `ORDERS`, anything else the newest first. The text of the filters is not looked at.
    """
    by = _order(filters, order)
    if by.leads == "credits":
        rows = _page_by_credits(user_id, filters, by, offset, size)
    elif by.leads == "ts" and not _names(filters):
        rows = _page_by_time(user_id, filters, by, offset, size)
    else:
        rows = _page_of_groups(user_id, filters, by, offset, size)
    return _ids(rows)


def count(user_id: int, filters: RecordFilters) -> int:
    """How many records there are, from the rollup."""
    return sum(calls for _, calls in _calls(user_id, filters, "day"))


def top(user_id: int, filters: RecordFilters, n: int) -> list[int]:
    """The ids of the `n` most expensive records, the newer first among equals."""
    return page(user_id, filters, "credits_desc", 0, n)


def first_group(user_id: int, filters: RecordFilters, order: str) -> RecordFilters | None:
    """The filters narrowed to the first model or client of an order by these; None for another order, or no record."""
    leads = ORDERS.get(order, ORDERS[NEWEST_FIRST])[0]
    names = _calls(user_id, filters, leads) if leads in ("model", "client") else []
    return _narrowed(filters, leads, names[0][0][0]) if names else None


def chunks(user_id: int, filters: RecordFilters, order: str) -> Iterator[list[int]]:
    """All ids in order, a few at first and then about a thousand at a time.

    Every chunk is read whole when it is asked for and goes on behind the last one's key or day: nothing stays open
    between two. A record that moves meanwhile may be missing or come twice; the chunks always go on and end.
    """
    by = _order(filters, order)
    if by.leads in ("model", "client"):
        for (name,), _ in _calls(user_id, filters, by.leads):
            yield from chunks(user_id, _narrowed(filters, by.leads, name), "ts_asc")
    elif by.leads == "ts" and _names(filters):
        yield from _chunks_of_groups(user_id, filters, by)
    else:
        yield from _chunks_of_index(user_id, filters, by)


def _order(filters: RecordFilters, name: str) -> _Order:
    columns = ORDERS.get(name, ORDERS[NEWEST_FIRST])
    order = _Order(tuple(column.lstrip("-") for column in columns), descending=columns[0].startswith("-"))
    one_name = order.leads in ("model", "client") and getattr(filters, order.leads) is not None
    return _OLDEST_FIRST if one_name else order


def _page_by_time(user_id: int, filters: RecordFilters, order: _Order, offset: int, size: int) -> list[Row]:
    if offset > _NEAR:
        days = _calls(user_id, filters, "day", descending=order.descending)
        buckets, offset = _touched(days, offset, size)
        if not buckets:
            return []
        filters = _beginning(filters, date.fromisoformat(buckets[0][0]), order)
    return _walk(user_id, filters, order, offset=offset, size=size)


def _page_by_credits(user_id: int, filters: RecordFilters, order: _Order, offset: int, size: int) -> list[Row]:
    if offset <= _NEAR and not filters.of_rollup():
        return _walk(user_id, filters, order, offset=offset, size=size)
    days = _calls(user_id, filters, "day")
    total = sum(calls for _, calls in days)
    if offset >= total:
        return []
    if total <= _FEW:
        return _rows_of_groups(user_id, filters, order, ("day",), _keys(days))[offset : offset + size]
    size = min(size, total - offset)
    from_the_end = total - offset - size
    if offset <= from_the_end:
        return _walk_by_credits(user_id, filters, order, offset, size)
    return _walk_by_credits(user_id, filters, order.turned(), from_the_end, size)[::-1]


def _walk_by_credits(user_id: int, filters: RecordFilters, order: _Order, offset: int, size: int) -> list[Row]:
    """Rows along the index of credits. Those that cost the same are by time: in them, days are a span to begin at.

    Free calls are many of all; without that, one quarter's first would lie behind those of all quarters before.
    """
    if offset > _NEAR or filters.days == Days():
        return _walk(user_id, filters, order, offset=offset, size=size)
    end, beyond = ("MAX", "<") if order.descending else ("MIN", ">")
    extreme = f"(SELECT {end}(credits) FROM usage_record WHERE user_id = %s)"
    parts = [
        _walking(user_id, filters, order, {f"credits {relation} {extreme}": user_id}, offset + size)
        for relation in ("=", beyond)
    ]
    return _rows(
        f"{' UNION ALL '.join(f'SELECT * FROM ({query}) part' for query, _ in parts)} LIMIT %s OFFSET %s",
        [*(value for _, values in parts for value in values), size, offset],
    )


def _page_of_groups(user_id: int, filters: RecordFilters, order: _Order, offset: int, size: int) -> list[Row]:
    columns: tuple[str, ...] = ("day",)
    among: Sequence[str] = ()
    if order.leads != "ts":
        # First which models (or clients), then which days of those only: ten years of all models are many rows.
        columns = (order.leads, "day")
        names, offset = _touched(_calls(user_id, filters, order.leads), offset, size)
        if not names:
            return []
        among = [name for (name,) in names]
    buckets = _calls(user_id, filters, *columns, descending=order.descending, among=among)
    touched, skipped = _touched(buckets, offset, size)
    return _rows_of_groups(user_id, filters, order, columns, touched)[skipped : skipped + size]


def _chunks_of_index(user_id: int, filters: RecordFilters, order: _Order) -> Iterator[list[int]]:
    rows = _walk(user_id, filters, order, size=_FIRST_CHUNK)
    while rows:
        yield _ids(rows)
        rows = _walk(user_id, filters, order, after=rows[-1][:-1], size=_CHUNK)


def _chunks_of_groups(user_id: int, filters: RecordFilters, order: _Order) -> Iterator[list[int]]:
    size = _FIRST_CHUNK
    days = _calls(user_id, filters, "day", descending=order.descending)
    while days:
        # As many days as make a chunk, one at least.
        touched = _touched(days, 0, size)[0]
        days = days[len(touched) :]
        ids = _ids(_rows_of_groups(user_id, filters, order, ("day",), touched))
        while ids:
            yield ids[:size]
            ids, size = ids[size:], _CHUNK


def _walk(
    user_id: int, filters: RecordFilters, order: _Order, *, after: Row | None = None, offset: int = 0, size: int
) -> list[Row]:
    """Rows along the index of a time or credits order, behind a key or a number of entries."""
    query, values = _walking(user_id, filters, order, {}, size, after=after)
    return _rows(f"{query} OFFSET %s", [*values, offset])


def _walking(
    user_id: int, filters: RecordFilters, order: _Order, more: Mapping[str, int], size: int, *, after: Row | None = None
) -> tuple[str, list[str | int]]:
    """The query for rows along the index of a time or credits order, and its values; `more` conditions come first."""
    bounds: dict[str, str | int] = {"user_id = %s": user_id, **more, **_bounds(filters)}
    if after and order.leads == "ts":
        # The key implies this bound, which SQLite would begin at instead: every chunk would pass all that came before.
        bounds.pop("ts <= %s" if order.descending else "ts >= %s", None)
    conditions, values = [*bounds], [*bounds.values()]
    columns = ", ".join(order.columns)
    if after:
        conditions.append(f"({columns}) {'<' if order.descending else '>'} ({_marks(after)})")
        values += after
    index = f"INDEXED BY {_INDEXES[order.leads]}" if connection.vendor == "sqlite" else ""
    direction = " DESC" if order.descending else ""
    return (
        f"SELECT {columns}, id FROM usage_record {index} WHERE {' AND '.join(conditions)} "
        f"ORDER BY {', '.join(column + direction for column in order.columns)} LIMIT %s",
        [*values, size],
    )


def _rows_of_groups(
    user_id: int, filters: RecordFilters, order: _Order, columns: Sequence[str], buckets: Sequence[Bucket]
) -> list[Row]:
    """The filters' rows in the rollup's buckets, sorted here: no index has their order.

    The join goes from the buckets to the rollup's groups and from those to the records, in this order on SQLite.
    """
    if not buckets:
        return []
    named = _names(filters)
    joined = " AND ".join(f"g.{column} = bucket.{column}" for column in columns)
    rows = _rows(
        f"WITH bucket ({', '.join(columns)}) AS (VALUES {', '.join(f'({_marks(bucket)})' for bucket in buckets)}) "
        f"SELECT {', '.join(f'r.{column}' for column in order.columns)}, r.id "
        f"FROM bucket CROSS JOIN usage_daygroup g CROSS JOIN usage_record r WHERE g.user_id = %s AND {joined} "
        f"{''.join(f'AND g.{column} = %s ' for column in named)}"
        "AND r.user_id = %s AND r.day = g.day AND r.model = g.model AND r.client = g.client",
        [*(value for bucket in buckets for value in bucket), user_id, *named.values(), user_id],
    )
    return sorted(rows, reverse=order.descending)


def _calls(
    user_id: int, filters: RecordFilters, *columns: str, descending: bool = False, among: Sequence[str] = ()
) -> list[tuple[Bucket, int]]:
    """The calls by some columns of the coarsest rollup that has these, sorted by them; of the first, only `among`."""
    named = frozenset({*columns, *_names(filters)} - {"day"})
    table = _ROLLUPS.get(named, DayGroup)._meta.db_table
    bounds: dict[str, str | int] = {"user_id = %s": user_id, **_bounds_of_days(filters)}
    narrow = f"AND {columns[0]} IN ({_marks(among)})" if among else ""
    grouped = ", ".join(columns)
    rows = _rows(
        f"SELECT {grouped}, SUM(calls) FROM {table} WHERE {' AND '.join(bounds)} {narrow} GROUP BY {grouped}",
        [*bounds.values(), *among],
    )
    return sorted(((row[:-1], int(row[-1])) for row in rows), reverse=descending)


def _bounds_of_days(filters: RecordFilters) -> dict[str, str]:
    """The filters as conditions on a row of a rollup, each with its value."""
    first, last = filters.days.first, filters.days.last
    bounds = {f"{column} = %s": name for column, name in _names(filters).items()}
    if first:
        bounds["day >= %s"] = first.isoformat()
    if last:
        bounds["day <= %s"] = last.isoformat()
    return bounds


def _touched(buckets: Sequence[tuple[Bucket, int]], offset: int, size: int) -> tuple[list[Bucket], int]:
    """The buckets in which a page lies, and how many calls of the first one come before it."""
    touched: list[Bucket] = []
    before = skipped = 0
    for bucket, calls in buckets:
        if before >= offset + size:
            break
        if before + calls > offset:
            skipped = skipped if touched else offset - before
            touched.append(bucket)
        before += calls
    return touched, skipped


def _beginning(filters: RecordFilters, day: date, order: _Order) -> RecordFilters:
    """The filters without the days that the order has before this one."""
    first, last = filters.days.first, filters.days.last
    return replace(filters, days=Days(first, day) if order.descending else Days(day, last))


def _bounds(filters: RecordFilters) -> dict[str, str]:
    """The filters as conditions on a record, each with its value."""
    first, last = filters.days.first, filters.days.last
    bounds = {f"{column} = %s": name for column, name in _names(filters).items()}
    if first:
        bounds["ts >= %s"] = f"{first} 00:00:00"
    if last:
        bounds["ts <= %s"] = f"{last} 23:59:59"
    return bounds


def _names(filters: RecordFilters) -> dict[str, str]:
    names = {"model": filters.model, "client": filters.client}
    return {column: name for column, name in names.items() if name is not None}


def _narrowed(filters: RecordFilters, column: str, name: str) -> RecordFilters:
    return replace(filters, model=name) if column == "model" else replace(filters, client=name)


def _keys(buckets: Sequence[tuple[Bucket, int]]) -> list[Bucket]:
    return [bucket for bucket, _ in buckets]


def _ids(rows: Sequence[Row]) -> list[int]:
    return [row[-1] for row in rows]


def _marks(values: Sequence[object]) -> str:
    return ", ".join(["%s"] * len(values))


def _rows(query: str, values: Sequence[str | int]) -> list[Row]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        return list(cursor.fetchall())
