"""Rows that their service has filled in since they were imported (docs/decisions/files.md#rows-without-ids)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import NamedTuple

from archive_site.lib.storage.sql import SqlRow, fetch, instant, marks
from usage.importing.staging import PAGE, Staged
from usage.incoming.record import IncomingRecord
from usage.measures import Measures
from usage.stored_measures import UNKNOWN

# Records that are read at once.
_CHUNK = 10_000
# Young ones of the file's span, and all that the file's own young ones may be.
_NEAR = f"""
    SELECT r.ts, r.request_id, r.model, CAST(m.at AS TEXT), m.young,
    CASE WHEN m.provenance = {UNKNOWN} THEN 0 ELSE 1 END + CASE WHEN m.tokens_in IS NULL THEN 0 ELSE 1 END
    FROM usage_record r JOIN usage_recordmeasures m ON m.record_id = r.id
    WHERE r.user_id = %s AND r.ts <= %s AND (r.ts, r.request_id) > (%s, %s) AND (m.young OR r.ts > %s)
    AND m.at IS NOT NULL ORDER BY r.ts, r.request_id LIMIT {_CHUNK}"""  # noqa: S608 - constants
# Records that calls of the file may be, its calls that may be those, and which of them are.
_TABLES = """
    DROP TABLE IF EXISTS near; DROP TABLE IF EXISTS fresh; DROP TABLE IF EXISTS placed;
    CREATE TABLE near (request_id TEXT PRIMARY KEY, model TEXT, at TEXT, young INTEGER, known INTEGER);
    CREATE INDEX near_by_time ON near (at, model);
    CREATE TABLE fresh (request_id TEXT PRIMARY KEY, model TEXT, at TEXT, young INTEGER, known INTEGER);
    CREATE TABLE placed (request_id TEXT PRIMARY KEY, stored TEXT, is_earlier INTEGER)"""
_STORED = "SELECT request_id FROM usage_record WHERE user_id = %s AND request_id IN ({ids})"


class Placed(NamedTuple):
    """The records of a page that are stored, with the ids that those of them have whose place they take, and how many
    others are earlier forms of stored calls."""

    records: list[IncomingRecord]
    renamed: dict[str, str]
    earlier: int


def young_from(newest: str, young: timedelta) -> str:
    """The wall clock after which calls of a file may be filled in for a span; `newest` is that of its last call."""
    return (datetime.fromisoformat(newest) - young).isoformat(" ")


def match(archive_id: int, found: Staged, since: str) -> None:
    """Find the calls of a file that an archive has under other keys: a row that is filled in keeps its instant and its
    model. Calls after the wall clock `since` are young in the file.
    """
    store, (first, last) = found.store, found.span()
    store.executescript(_TABLES)
    store.execute("BEGIN")
    for rows in _near(archive_id, first, last, since):
        near = [(key, model, _written(at), young, known) for _, key, model, at, young, known in rows]
        store.executemany("INSERT INTO near VALUES (?, ?, ?, ?, ?)", near)
    # What the file has itself stays what it is.
    store.execute("DELETE FROM near WHERE request_id IN (SELECT request_id FROM call)")
    candidates = store.execute(_CANDIDATES, [since])
    while some := list(islice(candidates, PAGE)):
        ids = [key for key, *_ in some]
        stored = {key for (key,) in fetch(_STORED.format(ids=marks(ids)), [archive_id, *ids])}
        store.executemany("INSERT INTO fresh VALUES (?, ?, ?, ?, ?)", [one for one in some if one[0] not in stored])
    store.execute(_PLACE)
    store.execute("COMMIT")


def placed(found: Staged, records: Sequence[IncomingRecord], since: str) -> Placed:
    """A page of the file after `match`, its young records marked."""
    ids = [record.request_id for record in records]
    rows = found.store.execute(
        f"SELECT request_id, stored, is_earlier FROM placed WHERE request_id IN ({', '.join('?' * len(ids))})",  # noqa: S608 - placeholders only
        ids,
    )
    places = {request_id: (stored, is_earlier) for request_id, stored, is_earlier in rows}
    earlier = {request_id for request_id, (_, is_earlier) in places.items() if is_earlier}
    kept = [_marked(record, record.measures, since) for record in records if record.request_id not in earlier]
    renamed = {request_id: stored for request_id, (stored, is_earlier) in places.items() if not is_earlier}
    return Placed(kept, renamed, len(earlier))


# A later row takes the place of a young call, unless it says less and is young itself: then it is an earlier form of
# the call, as is a young row of one that was stored when it was older.
_CANDIDATES = """
    SELECT c.request_id, c.model, json_extract(m.measures, '$.at') AS at, c.ts > ?,
    (json_extract(m.measures, '$.provenance') <> 'unknown') + (json_extract(m.measures, '$.tokens') IS NOT NULL)
    FROM call c JOIN measured m USING (request_id)
    WHERE EXISTS (SELECT 1 FROM near n WHERE n.at = json_extract(m.measures, '$.at') AND n.model = c.model)"""
_IN_TURN = "SELECT *, ROW_NUMBER() OVER (PARTITION BY model, at ORDER BY known DESC, request_id) AS place FROM {}"
_PLACE = f"""
    INSERT INTO placed
    SELECT f.request_id, n.request_id, f.young AND (NOT n.young OR f.known < n.known)
    FROM ({_IN_TURN.format("fresh")}) f JOIN ({_IN_TURN.format("near")}) n
    ON n.model = f.model AND n.at = f.at AND n.place = f.place WHERE n.young OR f.young"""  # noqa: S608 - constants


def _near(archive_id: int, first: str, last: str, since: str) -> Iterator[list[SqlRow]]:
    """The records that calls of a file may be, some at a time."""
    after = (first, "")
    while rows := fetch(_NEAR, [archive_id, last, *after, since]):
        yield rows
        after = rows[-1][0], rows[-1][1]


def _written(at: str) -> str:
    """A stored instant as the measures of a file have it."""
    return instant(at).astimezone(UTC).isoformat()


def _marked(record: IncomingRecord, measures: Measures | None, since: str) -> IncomingRecord:
    if measures is None or record.ts <= since:
        return record
    return replace(record, measures=replace(measures, young=True))
