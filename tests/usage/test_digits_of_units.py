"""Amounts of an archive have the digits of its unit, wherever they become numbers or texts; unknown ones are null."""

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from pyarrow import parquet

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.answer_types import as_json
from tests.factories import further_archive
from tests.usage.record_factories import archive, call
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import UNITS
from usage.budgets import stored_budgets
from usage.budgets.spending import spendings
from usage.change_log.place import Place
from usage.change_log.reads import changes_since
from usage.export.csv_file import CsvForm, pieces, records_of
from usage.export.csv_file import lines_by_hand as csv_by_hand
from usage.export.json_lines import JsonLines
from usage.export.json_lines import lines_by_hand as json_by_hand
from usage.export.parquet_file import ParquetFile
from usage.export.pieces import pieces as pieces_of
from usage.filters import RecordFilters
from usage.forecast.month_end import month_end
from usage.measures import Measures, Provenance
from usage.models import Record
from usage.reads import short_key_form
from usage.reads.daily_series import daily_pieces
from usage.reads.dimensions import dims
from usage.reads.summary import summary
from usage.record_payloads import exact
from usage.repeated.groups import repeated
from usage.rollups.recompute import Recount, recount
from usage.statements.statement import statement

pytestmark = [pytest.mark.django_db, pytest.mark.engine]
ALL = RecordFilters()
# Of each unit, one and a half of it and its smallest part.
MONEY = 1_500_000_000_001


@pytest.fixture
def dollars(alice: User) -> int:
    """An archive that counts dollars, with two calls of known amounts and one of an unknown one."""
    dollars = further_archive(alice, unit="USD")
    archive(
        dollars,
        replace(call("a", prompt="the same"), amount=MONEY),
        replace(call("b", prompt="the same", model="kimi"), amount=1),
        call("c", credits=0, measures=Measures(Provenance.UNKNOWN)),
    )
    return dollars


def days(archive_id: int, filters: RecordFilters = ALL) -> Any:
    return json.loads(b"".join(daily_pieces(archive_id, filters)), parse_float=Decimal)


@pytest.mark.parametrize("filters", [ALL, RecordFilters(client="ide")])
def test_days_have_all_digits(dollars: int, filters: RecordFilters) -> None:
    [day] = days(dollars, filters)
    assert day["c"] == sum(day["m"].values()) == day["h"][12] == Decimal("1.500000000002")
    assert day["m"] == {"glm": Decimal("1.500000000001"), "kimi": Decimal("1E-12")}
    assert recount(dollars) == Recount(3, 0)


def test_sums_have_all_digits(dollars: int) -> None:
    assert summary(dollars, ALL).credits == 1.500000000002
    assert summary(dollars, ALL).avg_per_call == 0.500000000001
    [glm, kimi] = dims(dollars, ALL, "model").lists["model"]
    assert (glm.credits, kimi.credits, kimi.avg) == (1.500000000001, 1e-12, 1e-12)
    assert [row["c"] for row in json.loads(short_key_form.top(dollars, ALL, 9))] == [1.500000000001, 1e-12, 0]
    [group] = repeated(dollars, ALL, 9)
    assert (group.credits, group.models[0].credits) == (1.500000000002, 1.500000000001)


def test_the_statement_and_the_forecast_have_the_unit(dollars: int) -> None:
    found = statement(dollars, clock.parse_day("2026-09-01") or clock.today(), wants_prompts=False)
    assert [exact(one.credits, found.unit) for one in (found.total, *found.models)] == [
        "1.500000000002", "1.500000000001", "0.000000000001",
    ]  # fmt: skip
    # An unknown amount is not a free call.
    assert (found.total.calls, found.total.free, [one.free for one in found.models]) == (3, 0, [0, 0])
    now = clock.local_text(clock.now()) or ""
    archive(dollars, replace(call("now", ts=now), amount=MONEY))
    assert month_end(dollars).so_far >= 1.500000000001


def test_a_budget_is_in_the_unit(dollars: int) -> None:
    budget = stored_budgets.create(dollars, {"period": "day", "credits": "0.000000000002"})
    assert budget.credits == 2
    [spending] = spendings(dollars, [budget], clock.local_time(clock.now()))
    assert (spending.credits, spending.spent) == (2e-12, 0)


def test_changes_have_all_digits(dollars: int) -> None:
    added = changes_since(Place("", dollars), 9)["added"]
    assert sorted(as_json(one)["credits"] for one in added) == [0, 1e-12, 1.500000000001]


@pytest.fixture(params=["credits", "USD", "quota"])
def exported(request: pytest.FixtureRequest, alice: User) -> tuple[int, list[tuple[str, str]]]:
    """An archive with amounts of many sizes, and what exports write of each: without an exponent, with each digit."""
    unit = UNITS[request.param]
    archive_id = further_archive(alice, unit=unit.code)
    parts = [0, 1, -1, 9, 10**5, 10**11 + 1, 10**14, 10**14 + 1, 10**15 - 1, 123_456_789_012_345_678, -(10**16) - 7]
    archive(archive_id, *(replace(call(f"{n:02}"), amount=value) for n, value in enumerate(parts)))
    archive(archive_id, call("unknown", credits=0, measures=Measures(Provenance.UNKNOWN)))
    return archive_id, [*((f"{n:02}", unit.text(value, 1)) for n, value in enumerate(parts)), ("unknown", "")]


def test_csv_has_all_digits(exported: tuple[int, list[tuple[str, str]]]) -> None:
    archive_id, expected = exported
    text = b"".join(pieces(archive_id, ALL, "ts_asc")).decode("utf-8-sig")
    assert [tuple(row[:2]) for row in csv.reader(io.StringIO(text))][1:] == expected
    ids = [*Record.objects.filter(archive_id=archive_id).order_by("request_id").values_list("pk", flat=True)]
    form = CsvForm(unit=unit_of(archive_id))
    assert form.write(archive_id, ids)[0] == b"".join(filter(None, csv_by_hand(archive_id, ids, form.unit)))
    assert len(records_of(archive_id, ids)) == len(ids)


def test_json_lines_have_all_digits(exported: tuple[int, list[tuple[str, str]]]) -> None:
    archive_id, expected = exported
    form = JsonLines(unit=unit_of(archive_id))
    lines = b"".join(pieces_of(archive_id, ALL, "ts_asc", form)).decode().splitlines()
    assert [line.partition('"credits":')[2].partition(",")[0] for line in lines] == [
        amount or "null" for _, amount in expected
    ]
    ids = [*Record.objects.filter(archive_id=archive_id).order_by("request_id").values_list("pk", flat=True)]
    assert form.write(archive_id, ids)[0] == b"".join(filter(None, json_by_hand(archive_id, ids, form.unit)))


def test_parquet_has_all_digits(exported: tuple[int, list[tuple[str, str]]]) -> None:
    archive_id, expected = exported
    file = b"".join(pieces_of(archive_id, ALL, "ts_asc", ParquetFile(unit_of(archive_id))))
    found = parquet.read_table(io.BytesIO(file)).to_pydict()
    assert found["credits"] == [Decimal(amount) if amount else None for _, amount in expected]


def test_a_first_archive_is_not_asked_for_its_unit(alice: User) -> None:
    archive(alice, call("a"))
    with CaptureQueriesContext(connection) as captured:
        summary(alice.pk, ALL)
        days(alice.pk)
        dims(alice.pk, ALL)
        b"".join(pieces(alice.pk, ALL, "ts_asc"))
    assert not [query["sql"] for query in captured.captured_queries if "accounts_archive" in query["sql"]]
    assert not [query["sql"] for query in captured.captured_queries if "measures" in query["sql"]]
