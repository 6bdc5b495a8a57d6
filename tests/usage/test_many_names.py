"""Archives with very many names: the largest are listed, the others summed (docs/decisions/records.md#many-names)."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.models import MonthHours, MonthSums
from usage.reads import daily_series, dimensions
from usage.rollups import many_names, month_sums, recompute
from usage.statements import period_summary
from usage.sum_types import OtherNames

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db
PATH = "/api/dims"
NAMES = ("model", "client", "agent_purpose")
SPAN = {"from": "2026-08-01", "to": "2026-09-15"}


@pytest.fixture
def many(alice: User, monkeypatch: pytest.MonkeyPatch, at: Callable[[datetime], None]) -> User:
    """Five names of each kind, n0 to n4, with n credits in August and the same in September; two names are many."""
    at(datetime(2026, 9, 16, 10, tzinfo=UTC))
    for place in range(5):
        names = dict.fromkeys(NAMES, f"n{place}")
        for month in ("08", "09"):
            archive(alice, call(f"{month}-{place}", credits=place, ts=f"2026-{month}-10 12:00:00", **names))
    monkeypatch.setattr(dimensions, "MOST_NAMES", 2)
    return alice


OTHERS = {"names": 3, "credits": 6.0, "calls": 6, "avg": 1.0, "free": 2}


@pytest.mark.engine
@pytest.mark.usefixtures("many")
def test_the_largest_are_listed_and_the_others_are_one_sum(ask: Ask) -> None:
    answer = ask(dim="purpose")
    for dim in ("model", "client", "purpose"):
        assert [(item["name"], item["credits"]) for item in answer[dim]] == [("n4", 8), ("n3", 6)]
    assert answer["others"] == {"model": OTHERS, "client": OTHERS, "purpose": OTHERS}


@pytest.mark.engine
@pytest.mark.parametrize(
    "span", [{}, SPAN, {**SPAN, "purpose": ["n0", "n1", "n2", "n4"]}, {**SPAN, "to": "2026-08-31"}]
)
def test_sums_of_months_and_days_cut_alike(many: User, ask: Ask, span: dict[str, Any], monkeypatch: Any) -> None:
    of_days = ask(**span)
    assert month_sums.fill(many.pk) == 1
    assert ask(**span) == of_days
    # With more names beside the months than are added up.
    monkeypatch.setattr(dimensions, "_MOST_ADDED", 3)
    assert ask(**span) == of_days


@pytest.mark.usefixtures("many")
def test_no_more_than_the_most_have_no_others(ask: Ask) -> None:
    answer = ask(model=["n1", "n2"], dim="model")
    assert [item["name"] for item in answer["model"]] == ["n2", "n1"]
    assert "others" not in answer


@pytest.mark.engine
def test_the_earlier_items_are_the_largest_and_those_of_the_names_that_are_listed(many: User, ask: Ask) -> None:
    archive(many, call("new", credits=9, ts="2026-09-11 12:00:00", model="n0", client="n0"))
    answer = ask(**{"from": "2026-09-01", "to": "2026-09-30"}, compare="2026-08-01..2026-08-31")
    assert [item["name"] for item in answer["model"]] == ["n0", "n4"]
    assert {name: item["credits"] for name, item in answer["comparison"]["items"]["model"].items()} == {
        "n4": 4, "n3": 3, "n0": 0,
    }  # fmt: skip


@pytest.mark.usefixtures("many")
def test_small_lines_are_those_of_listed_names(ask: Ask) -> None:
    assert set(ask(trend="1")["trend"]["client"]) == {"n4", "n3"}


def test_a_bundle_has_the_others_too(many: User, api_of: ApiOf) -> None:
    dims = api_of(many).get("/api/bundle").json()["dims"]
    assert (len(dims["model"]), dims["others"]) == (2, {"model": OTHERS, "client": OTHERS})


@pytest.mark.parametrize("listed", [2, 10])
def test_the_page_of_a_month_has_the_largest_and_the_others(
    many: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch, listed: int
) -> None:
    monkeypatch.setattr(dimensions, "MOST_NAMES", listed)
    monkeypatch.setattr(period_summary, "MOST_MODELS", 1)
    found = period_summary.period_summary(many.pk, period_summary.Period.of("month", date(2026, 8, 1)))
    assert [item.name for item in found.models] == ["n4"]
    assert found.others == OtherNames(names=4, credits=6.0, calls=4, avg=1.5, free=1)
    page = api_of(many).get("/summaries/month/2026-08-01").content.decode()
    assert "4 others" in page
    assert "n4" in page


@pytest.mark.engine
@pytest.mark.parametrize("filters", [{}, {"client": ["n1", "n2", "n3", "n4"]}])
def test_long_credits_by_model_are_those_of_listed_models(
    many: User, api_of: ApiOf, filters: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = api_of(many).get("/api/daily", **filters).json()["days"]
    monkeypatch.setattr(daily_series, "_IN_ALL", daily_series._IN_ALL.replace("8000000", "60"))
    days = api_of(many).get("/api/daily", **filters).json()["days"]
    assert [day["m"] for day in days] == [{"n4": 4, "n3": 3}] * 2
    assert [{**day, "m": None} for day in days] == [{**day, "m": None} for day in whole]


@pytest.mark.engine
def test_a_month_with_too_many_names_keeps_no_sums_and_is_read_by_days(
    many: User, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [ask(), ask(model="n1"), ask(purpose="n2", dim="purpose")]
    monkeypatch.setattr(many_names, "_MOST", 4)
    assert month_sums.fill(many.pk) == 1
    assert list(MonthSums.objects.values_list("sums", "sums_of_purposes")) == [("", "")]
    assert not MonthHours.objects.exists()
    assert [ask(), ask(model="n1"), ask(purpose="n2", dim="purpose")] == before
    # Neither computed again, nor taken for wrong.
    assert month_sums.fill(many.pk) == 0
    assert recompute.recount(many.pk).repaired == 0


def test_thousands_of_names_are_a_small_answer(alice: User, api_of: ApiOf) -> None:
    archive(alice, *[call(f"r{number}", model=f"{number:0200}", client=f"{number:0200}") for number in range(1500)])
    response = api_of(alice).get(PATH)
    assert [len(response.json()[dim]) for dim in ("model", "client")] == [1000, 1000]
    assert response.json()["others"]["model"]["names"] == 500
    assert len(response.content) < 700_000
    assert len(api_of(alice).get("/summaries/month/2026-09-01").content) < 150_000
