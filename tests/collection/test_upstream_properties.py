"""Any answer of the upstream is read or is a failure without the cookie (docs/upstream.md#failures)."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from hypothesis import example, given
from hypothesis import strategies as st

from collection.sources.codebuddy.rows import read_answer
from collection.sources.over_http.exchange import Answer
from collection.sources.source import SourceFailure
from collection.wall_clocks import first_wall, last_wall, walls_of_rows
from tests.collection.scripted_upstream import ROW
from tests.collection.upstream_call import COOKIE, MARKER, NEW_YORK, SHANGHAI
from tests.usage.import_files import is_storable
from usage.incoming.values import server_time

BERLIN = ZoneInfo("Europe/Berlin")
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=30),
    st.sampled_from([MARKER, COOKIE, "1e999", "9" * 5000, "2026-01-01 25:00:00", "NaN", "-0", "0.1", "\ud800", "\0"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3)
)
ROWS = st.dictionaries(
    st.sampled_from(["requestId", "credit", "credits", "model", "client", "requestTime", "prompt", "agentPurpose"]),
    VALUES,
    max_size=6,
)
PAGES = st.fixed_dictionaries(
    {"code": VALUES | st.just(0)},
    optional={
        "msg": VALUES,
        "data": VALUES
        | st.fixed_dictionaries({}, optional={"total": VALUES, "data": VALUES | st.lists(ROWS | VALUES, max_size=4)}),
    },
)
STATUSES = st.sampled_from([200, 201, 301, 400, 401, 403, 404, 429, 500, 503])


def body_of(content: Any) -> bytes:
    return json.dumps(content).encode("utf-8", "surrogatepass")


def of_row(**values: object) -> bytes:
    return body_of({"code": 0, "data": {"total": 1, "data": [{**ROW, **values}]}})


@example(of_row(credit="9" * 10**6), 200, 1)
@example(of_row(credit="odd").replace(b'"odd"', b"9" * 10**6), 200, 1)
@example(of_row(requestId="\0 \ud800", model="\ud800", client="\0", input="\0 \udfff", agentPurpose="\0"), 200, 1)
@given(st.binary(max_size=200) | (PAGES | VALUES).map(body_of), STATUSES, st.integers(1, 50))
def test_any_answer_is_rows_or_a_failure_in_words(body: bytes, status: int, number: int) -> None:
    answer = Answer(status, location="", retry_after="", body=body)
    said, rows = "", None
    try:
        rows = read_answer(answer, number, SHANGHAI, BERLIN, COOKIE)
    except SourceFailure as failure:
        said = str(failure)
    assert MARKER not in said
    if rows is None:
        assert said
        return
    assert len(rows.records) + len(rows.skipped) == rows.received
    for record in rows.records:
        assert record.request_id
        assert is_storable(record)
        assert len(record.ts) == len("2026-01-01 00:00:00")


@given(
    st.datetimes(datetime(2026, 10, 24), datetime(2026, 11, 3)),
    st.integers(0, 4 * 86_400),
    st.floats(0, 1),
    st.sampled_from([(NEW_YORK, BERLIN), (BERLIN, NEW_YORK), (SHANGHAI, BERLIN), (BERLIN, BERLIN)]),
)
def test_no_row_that_the_upstream_gives_for_a_window_lies_outside_of_it(
    moment: datetime, seconds: int, place: float, zones: tuple[ZoneInfo, ZoneInfo]
) -> None:
    start = moment.replace(tzinfo=UTC, microsecond=0)
    end = start + timedelta(seconds=seconds)
    asked = [datetime.fromisoformat(wall(moment, zones[0])) for wall, moment in ((first_wall, start), (last_wall, end))]
    row = asked[0] + (asked[1] - asked[0]) * place
    first, last = walls_of_rows(start, end, *zones)
    assert first <= server_time(row.isoformat(" ", "seconds"), *zones) <= last
