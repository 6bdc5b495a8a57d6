"""The sums of an account's archives, and their rates (docs/api.md#sums-of-archives)."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.models import Setting, User
from audit.models import Entry
from tests.accounts.page_forms import page
from tests.factories import ApiClient, further_archive
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage import rates
from usage.amounts.units import UNITS
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Provenance
from usage.models import CoverageDay
from usage.rates import Rate

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
NOW = datetime(2026, 9, 10, 10, tzinfo=UTC)
SPAN = {"from": "2026-09-01", "to": "2026-09-10"}
USD = UNITS["USD"]


@pytest.fixture(autouse=True)
def _now(time: SetClock) -> None:
    time.now = NOW


def spent(request_id: str, amount: str, ts: str, provenance: Provenance = Provenance.BILLED) -> IncomingRecord:
    """A call of an archive that counts in USD."""
    parts = USD.parts(Decimal(amount))
    return IncomingRecord(request_id, parts, "model", "", ts, "", False, "", measures=Measures(provenance))


@pytest.fixture
def of_three(alice: User) -> tuple[int, int, int]:
    """Three archives: one in credits, and two in USD, one of these with a call of unknown amount."""
    first, second = (
        further_archive(alice, "Router", "USD", "openrouter"),
        further_archive(alice, "Proxy", "USD", "litellm"),
    )
    archive(alice, call("a", ts="2026-09-02 09:00:00", credits=120), call("b", ts="2026-08-02 09:00:00", credits=80))
    archive(first, spent("c", "0.000123456789", "2026-09-03 09:00:00"))
    archive(
        second,
        spent("d", "0.5", "2026-09-04 09:00:00"),
        spent("e", "0", "2026-09-04 10:00:00", Provenance.UNKNOWN),
    )
    return alice.pk, first, second


def totals(api: ApiClient, **span: str) -> dict[str, Any]:
    answer = api.get("/api/archives/totals", **(span or SPAN))
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


@pytest.mark.engine
def test_each_archive_has_its_own_unit_and_only_those_of_one_unit_have_a_sum(
    alice: User, of_three: tuple[int, int, int], api_of: ApiOf
) -> None:
    found = totals(api_of(alice))
    assert [(one["unit"], one["amount"], one["calls"], one["without_amount"]) for one in found["items"]] == [
        ("credits", "120", 1, 0), ("USD", "0.000123456789", 1, 0), ("USD", "0.5", 2, 1),
    ]  # fmt: skip
    first, *dollars = of_three
    assert found["sums"] == [
        {"unit": "credits", "amount": "120", "calls": 1, "without_amount": 0, "archives": [first]},
        {"unit": "USD", "amount": "0.500123456789", "calls": 3, "without_amount": 1, "archives": dollars},
    ]
    assert found["converted"] == []
    assert [one["estimates"] for one in found["items"]] == [False, False, True]


@pytest.mark.engine
def test_an_estimate_of_another_source_is_one_here_too(
    alice: User, of_three: tuple[int, int, int], api_of: ApiOf
) -> None:
    """A file of the calls of a proxy may be imported into an archive whose own source bills."""
    _, router, _ = of_three
    archive(router, spent("x", "1", "2026-09-03 10:00:00", Provenance.ESTIMATED))
    assert [one["estimates"] for one in totals(api_of(alice))["items"]] == [False, True, True]
    shown = page(api_of(alice).get("/archives", month="2026-09"))
    assert shown.count('<span class="under">estimated</span>') == 3


@pytest.mark.engine
def test_a_rate_converts_beside_the_amount_and_says_that_it_is_an_estimate(
    alice: User, of_three: tuple[int, int, int], api_of: ApiOf
) -> None:
    api, (first, second, third) = api_of(alice), of_three
    assert api.post(f"/api/archives/{first}", {"rate": {"amount": "0.01", "unit": "USD"}}).json()["ok"] is True
    assert api.get("/api/archives").json()["items"][0]["rate"] == {"amount": "0.01", "unit": "USD"}
    found = totals(api)
    assert [one["converted"] for one in found["items"]] == [{"amount": "1.2", "unit": "USD"}, None, None]
    assert [one["amount"] for one in found["items"]] == ["120", "0.000123456789", "0.5"]
    assert found["converted"] == [
        {
            "unit": "USD",
            "amount": "1.700123456789",
            "estimated": True,
            "archives": [first, second, third],
            "without": [],
        }
    ]
    assert [(one.action, one.user_id) for one in Entry.objects.all()] == [("archive_change", alice.pk)]


def test_what_has_no_rate_is_named_as_not_in_the_sum(
    alice: User, of_three: tuple[int, int, int], api_of: ApiOf
) -> None:
    api, (first, second, third) = api_of(alice), of_three
    assert api.post(f"/api/archives/{second}", {"rate": {"amount": 7.1, "unit": "CNY"}}).status_code == 200
    assert totals(api)["converted"] == [
        {"unit": "CNY", "amount": "0.000876543202", "estimated": True, "archives": [second], "without": [first, third]}
    ]


def test_an_unknown_amount_is_null_and_converted_to_nothing(alice: User, api_of: ApiOf) -> None:
    proxy = further_archive(alice, "Proxy", "USD", "litellm")
    archive(proxy, spent("a", "0", "2026-09-03 09:00:00", Provenance.UNKNOWN))
    empty = further_archive(alice, "Router", "USD", "openrouter")
    rates.store(proxy, Rate(Decimal("7.1"), "CNY"))
    rates.store(alice.pk, Rate(Decimal("0.01"), "USD"))
    found = totals(api_of(alice))
    assert [(one["amount"], one["converted"]) for one in found["items"]][1] == (None, None)
    assert [one["amount"] for one in found["sums"]] == ["0", None]
    assert [(one["archives"], one["without"]) for one in found["converted"]] == [([alice.pk, empty], [proxy])]
    assert "1 call of unknown amount" in api_of(alice).get("/archives").content.decode()


def test_a_rate_is_removed_with_null_and_with_its_archive(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    rate = {"amount": "0.000002", "unit": "USD"}
    made = api.post("/api/archives", {"kind": "codebuddy", "label": "At work", "rate": rate}).json()["id"]
    assert api.get("/api/archives").json()["items"][1]["rate"] == rate
    # What does not name it leaves it.
    assert api.post(f"/api/archives/{made}", {"label": "Home"}).status_code == 200
    assert rates.rates_of([made]) == {made: Rate(Decimal("0.000002"), "USD")}
    assert api.post(f"/api/archives/{made}", {"rate": None}).status_code == 200
    assert api.get("/api/archives").json()["items"][1]["rate"] is None
    assert api.post(f"/api/archives/{made}", {"rate": rate}).status_code == 200
    assert api.post(f"/api/archives/{made}/delete", {"label": "Home"}).status_code == 200
    assert not Setting.objects.filter(user_id=made).exists()


@pytest.mark.parametrize(
    "rate",
    [
        "0.01", 1, [], {}, {"amount": "0.01"}, {"unit": "USD"}, {"amount": "0.01", "unit": "EUR"},
        {"amount": "0.01", "unit": "credits"}, {"amount": "0.01", "unit": ["USD"]}, {"amount": "0", "unit": "USD"},
        {"amount": "-1", "unit": "USD"}, {"amount": "much", "unit": "USD"}, {"amount": True, "unit": "USD"},
        {"amount": "1e999999", "unit": "USD"}, {"amount": "1e-999999", "unit": "USD"}, {"amount": "1e9", "unit": "USD"},
        {"amount": "0.0000000000001", "unit": "USD"}, {"amount": "NaN", "unit": "USD"}, {"amount": None, "unit": "USD"},
        {"amount": "0." + "0" * 11 + "1" * 40, "unit": "USD"}, {"amount": "9" * 5000, "unit": "USD"},
        {"amount": "0.01", "unit": "USD", "more": 1},
    ],
)  # fmt: skip
def test_a_wrong_rate_is_named_and_changes_nothing(rate: object, alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    for path, fields in (
        ("/api/archives", {"kind": "codebuddy", "label": "New"}),
        (f"/api/archives/{alice.pk}", {"label": "New"}),
    ):
        answer = api.post(path, {**fields, "rate": rate})
        assert (answer.status_code, answer.json()["error"], answer.json()["field"]) == (400, "bad_request", "rate")
    [first] = api.get("/api/archives").json()["items"]
    assert (first["label"], first["rate"]) == ("CodeBuddy", None)


def test_an_archive_in_money_has_no_rate_to_its_own_unit(alice: User, api_of: ApiOf) -> None:
    router = further_archive(alice, "Router", "USD", "openrouter")
    answer = api_of(alice).post(f"/api/archives/{router}", {"rate": {"amount": 1, "unit": "USD"}})
    assert (answer.status_code, answer.json()["field"]) == (400, "rate")
    assert answer.json()["message"].endswith("one of: CNY.")


@pytest.mark.parametrize("action", ["", "/totals"])
def test_another_account_has_neither_rates_nor_sums_of_these(
    action: str, alice: User, bob: User, of_three: tuple[int, int, int], api_of: ApiOf
) -> None:
    rates.store(of_three[0], Rate(Decimal("0.01"), "USD"))
    found = api_of(bob).get(f"/api/archives{action}").json()
    assert [one["id"] for one in found["items"]] == [bob.pk]
    assert "Router" not in str(found)
    rate = {"rate": {"amount": "9", "unit": "CNY"}}
    assert api_of(bob).post(f"/api/archives/{of_three[1]}", rate).status_code == 404
    assert of_three[1] not in rates.rates_of(of_three)


def test_the_change_is_from_the_span_before_where_that_is_archived(
    alice: User, of_three: tuple[int, int, int], api_of: ApiOf
) -> None:
    api = api_of(alice)
    found = totals(api)["items"]
    # The first call of the archive is of August 2: days before it are not archived.
    assert (found[0]["before"], found[0]["change"]) == (None, None)
    archive(alice, call("z", ts="2026-07-31 09:00:00", credits=1))
    found = totals(api)["items"]
    assert found[0]["before"]["window"] == {"from": "2026-08-01", "to": "2026-08-10", "days": 10}
    assert (found[0]["before"]["amount"], found[0]["change"]) == ("80", 50.0)
    assert [one["before"] for one in found[1:]] == [None, None]


def test_days_are_said_to_be_proved_as_the_ledger_has_them(
    alice: User, of_three: tuple[int, int, int], api_of: ApiOf
) -> None:
    for number in range(1, 10):
        upstream = 1 if number == 2 else 0
        CoverageDay.objects.create(
            archive_id=alice.pk, day=f"2026-09-0{number}", upstream=upstream, checked_at=NOW, empty=0
        )
    first, second, _ = totals(api_of(alice))["items"]
    assert first["proof"] == {
        "over": 9, "compared": 9, "lacking": 0, "gone": 0, "erased": 0, "differing": 0, "whole": True,
    }  # fmt: skip
    assert (second["proof"]["lacking"], second["proof"]["whole"]) == (9, False)


def test_the_longest_window_costs_no_more_than_what_is_archived(
    alice: User, of_three: tuple[int, int, int], api_of: ApiOf
) -> None:
    api = api_of(alice)
    with CaptureQueriesContext(connection) as asked:
        found = totals(api, **{"from": "0001-01-01", "to": "9999-12-31"})
    # For each of three archives.
    assert len(asked) <= 5 + 3 * 12
    assert [one["amount"] for one in found["items"]] == ["200", "0.000123456789", "0.5"]
    assert max(one["proof"]["over"] for one in found["items"]) < 1200


@pytest.mark.parametrize("span", [{"from": "x"}, {"to": "2026-02-30"}])
def test_a_day_that_is_none_is_refused(span: dict[str, str], alice: User, api_of: ApiOf) -> None:
    answer = api_of(alice).get("/api/archives/totals", **span)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")


@settings(max_examples=200, deadline=None)
@given(
    st.integers(-(10**21), 10**21),
    st.sampled_from(sorted(UNITS)),
    st.sampled_from(rates.MONEY),
    st.decimals("0.000000000001", "999999999", places=12),
)
def test_a_conversion_is_rounded_half_to_even_once(parts: int, unit: str, to: str, amount: Decimal) -> None:
    found = Rate(amount, to).converted(parts, UNITS[unit])
    exact = Fraction(parts, UNITS[unit].one) * Fraction(amount) * UNITS[to].one
    assert found == round(exact)
