"""What payers say of days, as the API and pages show it (docs/api.md#bills)."""

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Archive, User
from tests.factories import ApiClient, further_archive
from tests.standing_clock import SetClock
from usage import rates
from usage.measures import What
from usage.models import DayProof
from usage.proofs import stored_bills
from usage.proofs.bill import WHOLE, Bill, Sum, Sums
from usage.rates import Rate
from usage.source_traits import named_traits

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
NOW = datetime(2026, 9, 10, 10, tzinfo=UTC)
TWO_MODELS: Sums = {
    ("claude-example-1", What.AMOUNT): Sum(1_500_000_000_001),
    ("claude-example-1", What.CALLS): Sum(3),
    ("claude-example-1", What.TOKENS_IN): Sum(100),
    ("claude-example-2", What.AMOUNT): Sum(2 * 10**12),
    ("claude-example-2", What.CALLS): Sum(1),
}


@pytest.fixture(autouse=True)
def _now(time: SetClock) -> None:
    time.now = NOW


@pytest.fixture
def organisation(alice: User) -> int:
    return further_archive(alice, "Vendor", "USD", "anthropic-usage")


TRAITS = named_traits("anthropic-usage")


def store(archive_id: int, sums: Mapping[date, Sums], times: int = 1) -> None:
    for day, of_day in sums.items():
        for _ in range(times):
            with transaction.atomic():
                stored_bills.store(archive_id, [Bill(day, of_day, NOW)], TRAITS)


def bills(api: ApiClient, archive_id: int, **asked: str) -> dict[str, Any]:
    answer = api.get("/api/bills", archive=str(archive_id), **asked)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


@pytest.mark.engine
def test_days_have_their_sums_by_model_to_the_last_digit(alice: User, organisation: int, api_of: ApiOf) -> None:
    store(organisation, {date(2026, 9, 2): TWO_MODELS}, times=2)
    store(organisation, {date(2026, 9, 9): {}})
    found = bills(api_of(alice), organisation)
    assert (found["total"], found["unit"]) == (2, "USD")
    not_given = {"in": None, "out": None, "cache_read": None, "cache_write": None}
    newest, whole = found["items"]
    assert newest == {
        "day": "2026-09-09",
        "complete": False,
        "read_at": "2026-09-10T12:00:00+02:00",
        "amount": None,
        "calls": None,
        "tokens": not_given,
        "models": [],
    }
    assert (whole["day"], whole["complete"]) == ("2026-09-02", True)
    assert (whole["amount"], whole["calls"], whole["tokens"]) == ("3.500000000001", 4, {**not_given, "in": 100})
    assert [(one["model"], one["amount"], one["calls"], one["tokens"]["in"]) for one in whole["models"]] == [
        ("claude-example-2", "2", 1, None), ("claude-example-1", "1.500000000001", 3, 100),
    ]  # fmt: skip


def test_what_a_bill_says_of_the_whole_day_counts_and_not_the_sum_of_its_models(alice: User, api_of: ApiOf) -> None:
    proxy = further_archive(alice, "Proxy", "USD", "litellm")
    store(
        proxy, {date(2026, 9, 2): {(WHOLE, What.CALLS): Sum(9), ("m", What.CALLS): Sum(4), ("m", What.AMOUNT): Sum(1)}}
    )
    [one] = bills(api_of(alice), proxy)["items"]
    assert (one["calls"], one["amount"]) == (9, "0.000000000001")
    assert [each["model"] for each in one["models"]] == ["m"]


@pytest.mark.engine
def test_days_are_read_page_by_page_and_by_span_with_few_queries(alice: User, organisation: int, api_of: ApiOf) -> None:
    days = [date(2026, 8, number) for number in range(1, 32)]
    store(organisation, dict.fromkeys(days, TWO_MODELS))
    api = api_of(alice)
    with CaptureQueriesContext(connection) as asked:
        second = bills(api, organisation, size="10", page="2")
    assert [one["day"] for one in second["items"]] == [f"2026-08-{number}" for number in range(21, 11, -1)]
    assert (second["total"], second["pages"]) == (31, 4)
    assert len([one for one in asked if "usage_bill" in one["sql"]]) == 3
    few = bills(api, organisation, **{"from": "2026-08-30", "to": "9999-12-31"})
    assert [one["day"] for one in few["items"]] == ["2026-08-31", "2026-08-30"]
    assert bills(api, organisation, page="9")["items"] == []


def test_another_account_has_none_and_an_archive_of_calls_neither(
    alice: User, bob: User, organisation: int, api_of: ApiOf
) -> None:
    store(organisation, {date(2026, 9, 2): TWO_MODELS})
    assert api_of(bob).get("/api/bills", archive=str(organisation)).status_code == 404
    assert api_of(bob).get("/api/bills").json()["items"] == []
    assert api_of(alice).get("/api/bills").json()["items"] == []
    assert api_of(alice).get("/api/bills", archive=str(organisation), **{"from": "x"}).status_code == 400


def test_sums_of_archives_have_bills_and_add_them_to_none(alice: User, organisation: int, api_of: ApiOf) -> None:
    store(organisation, {date(2026, 9, 2): TWO_MODELS, date(2026, 9, 3): TWO_MODELS})
    further_archive(alice, "Proxy", "USD", "litellm")
    rates.store(organisation, Rate(Decimal("7.1"), "CNY"))
    found = api_of(alice).get("/api/archives/totals", **{"from": "2026-09-01", "to": "2026-09-10"}).json()
    [_, mine, proxy] = found["items"]
    assert (mine["bills"], mine["amount"], mine["calls"], mine["tokens"]) == (True, "7.000000000002", 8, None)
    assert mine["converted"] == {"amount": "49.700000000014", "unit": "CNY"}
    assert (proxy["bills"], proxy["amount"]) == (False, "0")
    assert [(one["unit"], one["amount"], len(one["archives"])) for one in found["sums"]] == [
        ("credits", "0", 1), ("USD", "0", 1),
    ]  # fmt: skip
    assert found["converted"] == []
    page = api_of(alice).get("/archives").content.decode()
    assert "7.000000000002" in page
    assert "All in USD" not in page


@pytest.mark.engine
def test_the_overview_shows_the_bills_of_a_month(alice: User, organisation: int, api_of: ApiOf) -> None:
    api = api_of(alice)
    # Nothing is here yet.
    assert "This archive is empty. Set its credential" in api.get("/", archive=str(organisation)).content.decode()
    store(organisation, {date(2026, 9, 2): TWO_MODELS, date(2026, 9, 3): TWO_MODELS}, times=2)
    store(organisation, {date(2026, 8, 31): {}})
    proved = further_archive(alice, "Gateway", "USD", "litellm")
    Archive.objects.filter(pk=organisation).update(proves_id=proved)
    for day, differences in (("2026-09-02", "[]"), ("2026-09-03", '[["m", "calls", 0, 1]]')):
        DayProof.objects.create(
            archive_id=proved, day=day, bill_id=organisation, differences=differences, uncounted="[]", compared_at=NOW
        )
    page = api.get("/", archive=str(organisation)).content.decode()
    assert page.count(">3.500000000001<") == 2
    assert "7.000000000002 " in page
    assert "Compared with the calls of Gateway" in page
    assert [page.count(f">{state}<") for state in ("agrees", "differs")] == [1, 1]
    assert "Calls of m: 0 here, 1 billed" in page
    assert "claude-example-2" in page
    before = api.get("/", archive=str(organisation), month="2026-08").content.decode()
    assert ("2026-08-31" in before, "3.500000000001" in before) == (True, False)
    assert "No bill of this month is here." in api.get("/", archive=str(organisation), month="2026-07").content.decode()
