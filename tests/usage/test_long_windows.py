"""Reads cost by what is archived in their window, not by its length.

The rules: docs/decisions/records.md#windows-of-any-length.
"""

import tracemalloc
from collections.abc import Callable
from datetime import date
from time import thread_time

import pytest
from django.core.cache import caches
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from accounts.models import User
from archive_site.lib.http.operations import operations
from tests.factories import ApiClient, further_archive
from tests.usage.record_factories import archive, on
from usage.models import CoverageDay

pytestmark = pytest.mark.django_db
DAYS = ("2026-08-31", "2026-09-02", "2026-09-10")
# Every endpoint that takes days, whatever is added to the API, and the pages with days in their addresses.
READS = sorted(
    operation.path
    for operation in operations()
    if operation.method == "GET" and "from" in {one.name for one in operation.description.parameters}
) + ["/", "/records"]
WHOLE = (date.min, date.max)
MOST_SECONDS, MOST_MEMORY = 0.5, 4 * 1024**2
# The ledger shows a thousand days before the archive.
MOST_MORE = 130 * 1024

spans = st.tuples(st.dates(), st.dates()).map(sorted)
parameters = st.fixed_dictionaries(
    {},
    optional={
        "compare": st.one_of(
            st.sampled_from(["previous", "month", "year"]), spans.map(lambda span: f"{span[0]}..{span[1]}")
        ),
        "trend": st.just("1"),
        "dim": st.sampled_from(["model", "purpose"]),
        "model": st.sampled_from(["glm", "none"]),
        "client": st.just("ide"),
        "purpose": st.just("chat"),
        "q": st.sampled_from(["wh", "why"]),
        "hour": st.just("12"),
        "sums": st.just("1"),
        "order": st.sampled_from(["ts_asc", "credits_desc", "model_asc"]),
    },
)


@pytest.fixture
def reader(alice: User, api_of: Callable[[User], ApiClient]) -> ApiClient:
    """An account with three calls; one of their days was read."""
    archive(alice, *[on(day, day, prompt="why", agent_purpose="chat") for day in DAYS])
    CoverageDay.objects.create(archive_id=alice.pk, day=DAYS[0])
    return api_of(alice)


def size(reader: ApiClient, path: str, first: date, last: date, more: dict[str, str]) -> int:
    """The bytes of an answer."""
    caches["counters"].clear()
    response = reader.get(path, **{"from": str(first), "to": str(last)}, **more)
    assert response.status_code in (200, 400)
    return len(b"".join(response.streaming_content) if response.streaming else response.content)


def cost(ask: Callable[[], int]) -> tuple[float, int, int]:
    """Seconds of the processor, the most memory, and the bytes of an answer."""
    tracemalloc.start()
    begun = thread_time()
    found = ask()
    seconds, memory = thread_time() - begun, tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return seconds, memory, found


def test_all_reads_with_days_are_among_them() -> None:
    assert {
        "/api/summary",
        "/api/daily",
        "/api/dims",
        "/api/coverage",
        "/api/bills",
        "/api/top",
        "/api/repeated",
        "/api/records",
        "/api/bundle",
    } <= {*READS}
    assert "/records/export" in READS


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(path="/api/dims", span=WHOLE, more={"trend": "1"})
@example(path="/api/dims", span=WHOLE, more={"trend": "1", "dim": "purpose", "compare": "previous", "model": "glm"})
@example(path="/api/daily", span=WHOLE, more={"compare": "previous"})
@example(path="/api/daily", span=(date(5000, 1, 1), date.max), more={"compare": "previous"})
@example(path="/api/daily", span=WHOLE, more={"compare": "0001-01-01..9999-12-31", "model": "glm"})
@example(path="/api/coverage", span=WHOLE, more={})
@example(path="/api/bundle", span=WHOLE, more={})
@given(path=st.sampled_from(READS), span=spans, more=parameters)
def test_a_window_of_any_length_costs_little(
    reader: ApiClient, path: str, span: tuple[date, date], more: dict[str, str]
) -> None:
    archived = size(reader, path, date.fromisoformat(DAYS[0]), date.fromisoformat(DAYS[-1]), more)
    seconds, memory, found = cost(lambda: size(reader, path, *span, more))
    assert (seconds < MOST_SECONDS, memory < MOST_MEMORY, found < archived + MOST_MORE) == (True, True, True)


@pytest.mark.parametrize("path", ["/api/archives/totals", "/api/summary", "/api/dims"])
def test_calls_a_century_apart_make_no_answer_cost_more(reader: ApiClient, alice: User, path: str) -> None:
    for archive_id in (alice.pk, further_archive(alice, "a"), further_archive(alice, "b")):
        archive(archive_id, *[on(day, day) for day in ("1970-01-01", "2099-12-31")])
    size(reader, path, *WHOLE, {})
    seconds, memory, _ = cost(lambda: size(reader, path, *WHOLE, {}))
    assert (seconds < MOST_SECONDS, memory < MOST_MEMORY) == (True, True)
