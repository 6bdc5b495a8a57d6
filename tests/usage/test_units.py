"""Parts of a unit and what is written of them."""

import re
from decimal import Decimal

import pytest
from django.contrib import admin
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import FIRST_ARCHIVE
from archive_site.lib.resources import RESOURCES
from usage.admin import RecordAdmin
from usage.amounts.units import CREDITS, Unit
from usage.models import Record

PARTS = st.integers(-(2**63), 2**63)
UNIT = st.builds(Unit, st.just("any"), st.integers(0, 12))


@given(UNIT, PARTS)
def test_parts_are_written_to_the_last_digit(unit: Unit, parts: int) -> None:
    for least in (0, 1, 2):
        assert Decimal(unit.text(parts, least, ",").replace(",", "")) == unit.decimal(parts)
    assert unit.parts(unit.decimal(parts)) == parts


@pytest.mark.parametrize(
    ("parts", "least", "apart", "written"),
    [
        (0, 0, "", "0"),
        (0, 2, "", "0.00"),
        (-1, 1, "", "-0.000001"),
        (1_234_500_000, 2, ",", "1,234.50"),
        (12_000_000, 1, "", "12.0"),
        (12_345_678, 2, "", "12.345678"),
    ],
)
def test_credits_are_written(parts: int, least: int, apart: str, written: str) -> None:
    assert CREDITS.text(parts, least, apart) == written


@pytest.mark.parametrize(
    ("amount", "parts"), [("0.0000005", 0), ("0.0000015", 2), ("0.00000051", 1), ("-0.0000015", -2), ("1e3", 10**9)]
)
def test_what_has_more_digits_is_rounded_half_to_even(amount: str, parts: int) -> None:
    assert CREDITS.parts(Decimal(amount)) == parts


def test_scripts_have_the_digits_of_the_unit_in_one_place() -> None:
    scripts = RESOURCES / "static/js"
    assert (
        f"export const DIGITS = Number(document.documentElement.dataset.digits ?? {CREDITS.digits});"
        in (scripts / "shared/formats.js").read_text()
    )
    fixed = [path.name for path in scripts.rglob("*.js") if re.search(r"\b1e6\b|toFixed\(6\)|, 6\)", path.read_text())]
    assert fixed == []


def test_the_admin_site_shows_all_digits_of_the_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = RecordAdmin(Record, admin.site).shown_credits
    assert shown(Record(archive_id=1, credits=1_234_500_000)) == "1,234.500000"
    monkeypatch.setattr("usage.admin.unit_of", lambda archive_id: Unit("any", 2))
    assert shown(Record(archive_id=1, credits=123_450)) == "1,234.50"


def test_the_first_archive_of_an_account_counts_credits() -> None:
    assert FIRST_ARCHIVE["unit"] == CREDITS.code
