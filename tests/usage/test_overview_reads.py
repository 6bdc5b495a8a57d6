"""The preloads of the overview page; the browser tests compare them with the requests of the scripts."""

from datetime import date
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from usage.overview_reads import READS, described, first_reads

TODAY = date(2026, 3, 1)  # a Sunday
YEAR = "2025-02-24"


def query_of(given: dict[str, str] | dict[str, str | list[str]]) -> QueryDict:
    return QueryDict(urlencode(given, doseq=True))


def daily(**given: str) -> str:
    return first_reads(query_of(given), TODAY)[1]


@pytest.mark.parametrize(
    ("period", "span"),
    [
        ("today", "from=2026-03-01&to=2026-03-01"),
        ("yesterday", "from=2026-02-28&to=2026-02-28"),
        ("7", "from=2026-02-23&to=2026-03-01"),
        ("30", "from=2026-01-31&to=2026-03-01"),
        ("month", "from=2026-03-01&to=2026-03-01"),
        ("last-month", "from=2026-02-01&to=2026-02-28"),
        ("no such period", "from=2026-01-31&to=2026-03-01"),
    ],
)
def test_a_period_is_given_in_days(period: str, span: str) -> None:
    summary, _, dims, top, *_ = first_reads(query_of({"period": period, "compare": "none"}), TODAY)
    assert (summary, dims, top) == (
        f"/api/summary?{span}", f"/api/dims?{span}&dim=purpose&trend=1", f"/api/top?{span}&n=10",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("period", "compare"),
    [
        ("today", "previous"),
        ("yesterday", "previous"),
        # By their days, as the API would take them for a month so far.
        ("7", "2026-02-16..2026-02-22"),
        ("30", "2026-01-01..2026-01-30"),
        ("month", "month"),
        ("last-month", "month"),
        ("no such period", "2026-01-01..2026-01-30"),
    ],
)
def test_a_period_is_compared_with_the_one_before(period: str, compare: str) -> None:
    summary, daily, dims, _, earlier, *_ = first_reads(query_of({"period": period}), TODAY)
    assert summary.endswith(f"&compare={compare}")
    assert dims.endswith(f"&compare={compare}&dim=purpose&trend=1")
    assert earlier == summary.replace("summary", "daily")
    assert "compare" not in daily


@pytest.mark.parametrize(
    ("choice", "compare"),
    [("month", "month"), ("year", "year"), ("2026-01-01..2026-01-31", "2026-01-01..2026-01-31"), ("custom", "previous"),
     ("nonsense", "previous"), ("2026-02-30..2026-03-01", "previous"), ("", "previous")],
)  # fmt: skip
def test_the_choice_of_the_address_is_compared_with(choice: str, compare: str) -> None:
    assert first_reads(query_of({"period": "today", "compare": choice}), TODAY)[0].endswith(f"&compare={compare}")


def test_without_a_comparison_the_days_before_are_not_read() -> None:
    alone, compared = (
        first_reads(query_of(given), TODAY) for given in ({"period": "7", "compare": "none"}, {"period": "7"})
    )
    assert not [read for read in alone if "compare" in read]
    assert len(alone) == len(compared) - 1


def test_the_days_reach_over_the_weeks_of_a_year_until_today() -> None:
    assert daily() == daily(period="7") == daily(period="last-month") == f"/api/daily?from={YEAR}&to=2026-03-01"


def test_the_ledger_is_read_for_the_same_days() -> None:
    assert f"/api/coverage?from={YEAR}&to=2026-03-01" in first_reads(query_of({"period": "7"}), TODAY)


def test_all_days_have_no_bounds() -> None:
    assert first_reads(query_of({"period": "all"}), TODAY)[:2] == ["/api/summary", "/api/daily"]


def test_the_chosen_names_narrow_all_but_the_ledger_and_the_names() -> None:
    chosen = {"model": "glm & co", "client": "VS Code", "purpose": "chat"}
    *narrow, coverage, budgets, forecast, names, recent = first_reads(query_of({"period": "all", **chosen}), TODAY)
    narrowed = "?model=glm+%26+co&client=VS+Code&purpose=chat"
    assert narrow == [
        f"/api/summary{narrowed}", f"/api/daily{narrowed}", f"/api/dims{narrowed}&dim=purpose&trend=1",
        f"/api/top{narrowed}&n=10",
    ]  # fmt: skip
    assert (coverage, budgets, forecast) == ("/api/coverage", "/api/budgets", "/api/forecast")
    assert (names, recent) == ("/api/dims?dim=purpose", "/api/dims?from=2025-12-02&to=2026-03-01&dim=model")


def test_several_names_are_asked_for_in_the_order_of_the_address() -> None:
    given: dict[str, str | list[str]] = {"period": "all", "model": ["b", "a", "b", ""], "client": ["ide"]}
    assert first_reads(query_of(given), TODAY)[0] == "/api/summary?model=b&model=a&client=ide"


def test_calls_without_a_model_or_client_are_asked_for_as_the_scripts_do() -> None:
    summary, *_ = first_reads(query_of({"period": "all", "no_model": "true", "model": "glm", "no_client": "1"}), TODAY)
    assert summary == "/api/summary?no_model=1&no_client=1"
    summary, *_ = first_reads(query_of({"period": "all", "no_purpose": "on", "purpose": "chat"}), TODAY)
    assert summary == "/api/summary?no_purpose=1"
    assert first_reads(query_of({"period": "all", "no_model": "0"}), TODAY)[0] == "/api/summary"


def test_a_span_of_ones_own_is_left_to_the_scripts() -> None:
    assert first_reads(query_of({"period": "custom", "from": "2026-01-01"}), TODAY) == []
    assert first_reads(query_of({"to": "2026-01-01"}), TODAY) == []


def test_the_scripts_are_given_the_reads_that_the_page_names() -> None:
    paths = [address.partition("?")[0] for name, address in described(READS).items() if READS[name].preloaded]
    assert [address.partition("?")[0] for address in first_reads(query_of({"period": "7"}), TODAY)] == paths
