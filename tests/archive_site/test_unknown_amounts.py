"""An amount that nobody knows is never shown as 0, and sums say how many calls have none
(docs/decisions/records.md#amounts-are-whole-numbers)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from accounts.models import User
from collection import credential_check
from collection.sources.source import Page
from tests.factories import ApiClient, further_archive
from tests.usage.record_factories import archive, call
from usage.amounts.units import UNITS
from usage.measures import Measures, Provenance
from usage.models import Record
from usage.rollups.recompute import recount

pytestmark = pytest.mark.django_db

ApiOf = Callable[[User], ApiClient]
AT = datetime(2026, 9, 3, 9, tzinfo=UTC)
UNKNOWN, BILLED = Measures(Provenance.UNKNOWN, at=AT), Measures(Provenance.BILLED, at=AT)


@pytest.fixture
def proxy(alice: User) -> int:
    """Two calls of one model without an amount, and three of another with one, all with the same prompt."""
    archive_id = further_archive(alice, "Proxy", "USD", "litellm")
    unknown = [
        call(f"u{n}", ts=f"2026-09-0{n} 09:00:00", model="dark", credits=0, prompt="go on", measures=UNKNOWN)
        for n in (1, 2)
    ]
    known = [
        call(f"k{n}", ts=f"2026-09-0{n} 10:00:00", model="light", credits=500_000 * n, prompt="go on", measures=BILLED)
        for n in (2, 3, 4)
    ]
    archive(archive_id, *unknown, *known)
    return archive_id


def cells(page: str, name: str) -> list[str]:
    """The cells of the row of a table that begins with a name."""
    [row] = re.findall(rf'<tr><th scope="row">{name}</th>(.*?)</tr>', page)
    return re.findall(r"<td[^>]*>([^<]*)<", row)


@pytest.mark.engine
def test_a_statement_says_how_many_calls_have_none(alice: User, proxy: int, api_of: ApiOf) -> None:
    page = api_of(alice).get(f"/statements/2026-09?archive={proxy}").content.decode()
    assert "2 calls of unknown amount" in page
    assert [cells(page, name)[:2] for name in ("dark", "2026-09-01")] == [["–", "2"], ["–", "1"]]
    assert [cells(page, name)[:2] for name in ("light", "2026-09-02")] == [["4.5000", "3"], ["1.0000", "2"]]


def test_a_summary_says_how_many_calls_have_none(alice: User, proxy: int, api_of: ApiOf) -> None:
    page = api_of(alice).get(f"/summaries/month/2026-09-01?archive={proxy}").content.decode()
    assert "2 calls of unknown amount" in page
    assert cells(page, "dark")[0] == "–"
    assert [*re.findall(r"<li><strong>([^<]*)</strong>", page)][-2:] == ["–", "–"]


def test_an_archive_of_unknown_amounts_alone_has_no_sum(alice: User, api_of: ApiOf) -> None:
    archive_id = further_archive(alice, "Dark", "USD", "litellm")
    archive(archive_id, call("u", ts="2026-09-01 09:00:00", credits=0, measures=UNKNOWN))
    for path in (f"/statements/2026-09?archive={archive_id}", f"/summaries/month/2026-09-01?archive={archive_id}"):
        assert re.findall(r"<dd data-figure>([^<]*)</dd>", api_of(alice).get(path).content.decode())[:2] == ["–", "1"]


def test_nothing_is_less_than_before_where_its_amount_is_unknown(alice: User, api_of: ApiOf) -> None:
    archive_id = further_archive(alice, "Dark", "USD", "litellm")
    known = [call(f"k{day}", ts=f"2026-08-{day:02} 09:00:00", credits=5, measures=BILLED) for day in (1, 31)]
    archive(archive_id, *known, call("u", ts="2026-09-01 09:00:00", credits=0, measures=UNKNOWN))
    for path in (f"/summaries/month/2026-09-01?archive={archive_id}", "/archives?month=2026-09"):
        assert "100.0% less" not in api_of(alice).get(path).content.decode()


def test_changes_are_of_known_amounts(alice: User, api_of: ApiOf) -> None:
    api, archive_id = api_of(alice), further_archive(alice, "Proxy", "USD", "litellm")
    for month in ("2026-07", "2026-08"):
        archive(
            archive_id, *[call(f"{month}{n}", ts=f"{month}-0{n} 09:00:00", credits=9, measures=BILLED) for n in (1, 2)]
        )
    archive(archive_id, *[call(f"u{n}", ts=f"2026-08-0{n} 10:00:00", credits=0, measures=UNKNOWN) for n in (1, 2)])
    span = {"from": "2026-08-01", "to": "2026-08-31", "compare": "2026-07-01..2026-07-31", "archive": archive_id}
    summary, dims = api.get("/api/summary", **span).json(), api.get("/api/dims", **span).json()
    for comparison in (summary["comparison"], dims["comparison"]):
        assert comparison["change"] == {"credits": 0.0, "calls": 100.0, "avgPerCall": 0.0}
    # A month of unknown amounts alone is neither more nor less than another.
    Record.objects.filter(archive_id=archive_id, ts__startswith="2026-08").exclude(request_id__startswith="u").delete()
    recount(archive_id)
    summary, dims = api.get("/api/summary", **span).json(), api.get("/api/dims", **span).json()
    assert (summary["amount"], summary["comparison"]["change"]["credits"], summary["delta"]["credits"]) == (None,) * 3
    assert {one["change"]["credits"] for one in dims["comparison"]["items"]["model"].values()} == {None}
    found = api.get("/api/archives/totals", **{"from": "2026-08-01", "to": "2026-08-31"}).json()
    assert [(one["amount"], one["change"]) for one in found["items"]][1] == (None, None)


@pytest.mark.engine
def test_repeated_prompts_are_compared_by_known_amounts(alice: User, proxy: int, api_of: ApiOf) -> None:
    [group] = api_of(alice).get("/api/repeated", archive=proxy).json()["items"]
    assert (group["calls"], group["credits"], [one["model"] for one in group["models"]]) == (3, 4.5, ["light"])


def test_all_of_a_unit_says_what_is_estimated_and_unknown(alice: User, proxy: int, api_of: ApiOf) -> None:
    router = further_archive(alice, "Router", "USD", "openrouter")
    archive(router, call("r", ts="2026-09-03 09:00:00", credits=1, measures=BILLED))
    page = api_of(alice).get("/archives?month=2026-09").content.decode()
    [row] = re.findall(r'<tr><th scope="row">All in USD</th>(.*?)</tr>', page)
    assert "estimated" in row
    assert "2 calls of unknown amount" in row


def test_the_newest_call_of_a_test_has_no_amount_where_it_is_unknown() -> None:
    page = Page([call("u", credits=0, measures=UNKNOWN)], 1, 1, [], ended=True, asked_at=AT)
    newest = credential_check._newest_call(page, UNITS["USD"])
    assert getattr(newest, "credits", 0) is None
