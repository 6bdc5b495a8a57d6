"""What packages cost, by the orders that paid for them."""

from datetime import UTC, datetime, timedelta

from usage.packages.package import Key, Kind
from usage.packages.prices import Bought, Paid, Price, prices

PAID_AT = datetime(2026, 1, 5, 10, tzinfo=UTC)
YEAR = Paid(PAID_AT, 120_000_000, "CNY", 12)


def cycles(kind: Kind, number: int = 12) -> list[Bought]:
    begun = [datetime(2026, month, 5, 10, tzinfo=UTC) for month in range(1, number + 1)]
    return [Bought(Key(f"r-{kind}", at.isoformat()), kind, 1000, at) for at in begun]


def test_a_year_of_anything_that_goes_by_cycles_is_shared_by_its_months() -> None:
    for kind in (Kind.PLAN, Kind.ADD_ON):
        bought = cycles(kind)
        assert prices(bought, [YEAR]) == {one.key: Price(10_000_000, "CNY") for one in bought}


def test_a_package_of_one_piece_costs_its_order() -> None:
    bought = Bought(Key("r"), Kind.ADD_ON, 1000, PAID_AT + timedelta(minutes=1))
    assert prices([bought], [YEAR._replace(months=0)]) == {bought.key: Price(120_000_000, "CNY")}


def test_what_was_given_takes_nothing_of_the_order_of_a_plan() -> None:
    plan, given = cycles(Kind.PLAN), cycles(Kind.GIFT)
    # It began at another time than any order.
    later = [one._replace(granted_at=(one.granted_at or PAID_AT) + timedelta(days=9)) for one in cycles(Kind.ADD_ON)]
    assert prices([*plan, *given, *later], [YEAR]) == {one.key: Price(10_000_000, "CNY") for one in plan}
