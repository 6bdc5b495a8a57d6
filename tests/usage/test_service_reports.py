"""The reports of services that have sums of days: docs/sources/files.md#bills."""

from datetime import date
from pathlib import Path

import pytest

from tests.usage.import_files import file_of
from usage.amounts.units import UNITS
from usage.importing.call_row import LeftOut
from usage.importing.file_format import Options, calls_of
from usage.importing.filed_bills import FiledBills
from usage.importing.service_files.forms import FORMS
from usage.importing.staging import Staged, staged
from usage.importing.unreadable_file import UnreadableFile
from usage.measures import What
from usage.proofs.bill import WHOLE

DAY = date(2026, 11, 1)
OPENAI_USAGE = (
    "start_time,end_time,start_time_iso,end_time_iso,project_id,num_model_requests,user_id,api_key_id,model,batch,"
    "service_tier,input_tokens,output_tokens,input_cached_tokens,input_cache_write_tokens"
)
OPENAI_COSTS = "start_time,end_time,start_time_iso,end_time_iso,amount_value,amount_currency,line_item,project_id"
ANTHROPIC_USAGE = (
    "usage_date_utc,model_version,api_key,workspace,usage_type,context_window,usage_input_tokens_no_cache,"
    "usage_input_tokens_cache_write_5m,usage_input_tokens_cache_write_1h,usage_input_tokens_cache_read,"
    "usage_output_tokens,web_search_count,inference_geo,speed"
)
ANTHROPIC_COST = (
    "usage_date_utc,model,workspace,api_key,usage_type,context_window,token_type,cost_usd,list_price_usd,cost_type"
)
COPILOT = (
    '"date","username","product","sku","model","quantity","unit_type","applied_cost_per_quantity","gross_amount",'
    '"discount_amount","net_amount","total_monthly_quota","organization","repository","cost_center_name"'
)


def used(day: str = "2026-11-01", model: str = "example-1", batch: str = "False", tokens: str = "410,22,300,10") -> str:
    return f"1793491200,1793577600,{day}T00:00:00+00:00,,,3,,,{model},{batch},default,{tokens}"


def spent(amount: str = "1.23", item: str = '"example-1, input_tokens"', currency: str = "usd") -> str:
    return f"1793491200,1793577600,2026-11-01T00:00:00+00:00,,{amount},{currency},{item},"


def credit(quantity: str = "19.5", unit: str = "ai-credits", model: str = "Example 1", day: str = "2026-11-01") -> str:
    cells = (day, "me-example", "copilot", "copilot_ai_credit", model, quantity, unit, "0.01", "0.195", "0.195", "0")
    return ",".join(f'"{cell}"' for cell in (*cells, "3900", "example-org", "", ""))


Sums = dict[tuple[str, What], int]


def bills(tmp_path: Path, *lines: str, encoding: str = "utf-8") -> tuple[dict[date, Sums], Staged]:
    source = file_of(tmp_path, "".join(f"{line}\r\n" for line in lines).encode(encoding))
    folder = tmp_path / "staged"
    folder.mkdir(exist_ok=True)
    (folder / "calls.sqlite3").unlink(missing_ok=True)
    with calls_of(source, Options({}, forms=FORMS, unit=UNITS["USD"])) as calls:
        assert calls.form
        assert calls.form.is_bill
        with staged(calls.rows, folder, UNITS["USD"], are_keyed=calls.are_keyed) as found:
            days = {one.day: {key: each.amount for key, each in one.sums.items()} for one in FiledBills(found).by_day()}
            return days, found


def sums(found: dict[date, Sums], day: date = DAY) -> Sums:
    return found[day]


def reasons(found: Staged) -> list[str]:
    return [each.why.code for _, each in found.unreadable.examples]


def test_the_usage_of_openai_is_counted_by_model_without_batches(tmp_path: Path) -> None:
    found, _ = bills(tmp_path, OPENAI_USAGE, used(), used(), used(batch="True"), used(model="example-2"))
    counted = {What.CALLS: 3, What.TOKENS_IN: 100, What.TOKENS_OUT: 22, What.CACHE_READ: 300, What.CACHE_WRITE: 10}
    assert sums(found) == {
        **{("example-1", what): 2 * number for what, number in counted.items()},
        **{("example-2", what): number for what, number in counted.items()},
    }


def test_an_older_file_of_openai_does_not_say_what_was_written_or_cached(tmp_path: Path) -> None:
    head = "start_time,end_time,project_id,num_model_requests,model,input_tokens,output_tokens"
    found, _ = bills(tmp_path, head, "1793491200,1793577600,,3,example-1,410,22")
    assert sums(found) == {("example-1", What.CALLS): 3, ("example-1", What.TOKENS_OUT): 22}


def test_usage_of_no_model_is_left_out(tmp_path: Path) -> None:
    found, file = bills(tmp_path, OPENAI_USAGE, used(), used(model=""))
    assert (sums(found)["example-1", What.CALLS], reasons(file)) == (3, ["sum_without_model"])


def test_a_day_without_use_has_a_bill_without_sums(tmp_path: Path) -> None:
    empty = "1793577600,1793664000,2026-11-02T00:00:00+00:00,,,,,,,,,,,,"
    found, _ = bills(tmp_path, OPENAI_USAGE, used(), empty)
    assert (sums(found, date(2026, 11, 2)), len(found)) == ({}, 2)


def test_costs_of_openai_have_each_line_and_may_be_negative(tmp_path: Path) -> None:
    lines = [spent(), spent("0.02"), spent("-0.05", "credit"), spent("6.2e-05", ""), spent("", "", "")]
    found, _ = bills(tmp_path, OPENAI_COSTS, *lines)
    assert sums(found) == {
        ("example-1", What.AMOUNT): 1_250_000_000_000,
        ("credit", What.AMOUNT): -50_000_000_000,
        (WHOLE, What.AMOUNT): 62_000_000,
    }


def test_a_sum_in_another_currency_is_left_out_and_said(tmp_path: Path) -> None:
    found, file = bills(tmp_path, OPENAI_COSTS, spent(), spent(currency="eur"), spent("much"))
    assert sums(found) == {("example-1", What.AMOUNT): 1_230_000_000_000}
    assert sorted(reasons(file)) == ["credit_not_number", "sum_of_other_unit"]


def test_the_usage_of_anthropic_counts_each_token_once(tmp_path: Path) -> None:
    row = "2026-11-01,claude-example-1,key,Default,standard,≤ 200k,46981,15969,31,7,16932,0,global,"
    found, _ = bills(tmp_path, ANTHROPIC_USAGE, row, row.replace("2026-11-01", "2026-11-01T05:00:00Z"))
    assert sums(found) == {
        ("claude-example-1", What.TOKENS_IN): 2 * 46981,
        ("claude-example-1", What.TOKENS_OUT): 2 * 16932,
        ("claude-example-1", What.CACHE_READ): 14,
        ("claude-example-1", What.CACHE_WRITE): 32000,
    }


def test_the_cost_of_anthropic_has_what_is_of_no_model(tmp_path: Path) -> None:
    rows = ["2026-11-01,Claude Example 1,Default,key,message,≤ 200k,output,0.02,0.02,token",
            "2026-11-01,,Default,key,message,,,0.5,0.5,web_search"]  # fmt: skip
    found, _ = bills(tmp_path, ANTHROPIC_COST, *rows)
    assert sums(found) == {
        ("Claude Example 1", What.AMOUNT): 20_000_000_000,
        ("web_search", What.AMOUNT): 500_000_000_000,
    }


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_credits_of_copilot(encoding: str, tmp_path: Path) -> None:
    rows = [credit(), credit("8.689e-2"), credit("1", "requests"), credit("2", model="")]
    found, file = bills(tmp_path, COPILOT.upper(), *rows, encoding=encoding)
    assert sums(found) == {("Example 1", What.AMOUNT): 19_586_890, ("copilot_ai_credit", What.AMOUNT): 2_000_000}
    assert reasons(file) == ["sum_of_other_unit"]


@pytest.mark.parametrize(
    ("cell", "is_read"),
    [("2026-11-01", True), ("2026/11/1", True), ("2026.11.01", True), ("1793491200", True), ("2026-11-01 00:00", True),
     ("2026-13-01", False), ("1969-12-31", False), ("soon", False), ("", False), ("0000-00-00", False)],
)  # fmt: skip
def test_days_as_files_and_spreadsheets_write_them(cell: str, is_read: bool, tmp_path: Path) -> None:
    found, file = bills(tmp_path, COPILOT, credit(day="2026-12-24"), credit(day=cell))
    assert (DAY in found, reasons(file) == []) == (is_read, is_read)


@pytest.mark.parametrize("tokens", ["10,22,300,0", "-5,22,0,0", "1.5,22,0,0", "x,22,0,0"])
def test_tokens_that_are_none_are_left_out(tokens: str, tmp_path: Path) -> None:
    found, file = bills(tmp_path, OPENAI_USAGE, used(), used(tokens=tokens))
    assert (sums(found)["example-1", What.CALLS], reasons(file)) == (3, ["tokens_not_count"])


def test_more_models_than_are_kept_apart_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="more than 400 models on 2026-11-01"):
        bills(tmp_path, COPILOT, *(credit(model=f"m{number}") for number in range(401)))


def test_a_sum_that_is_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="A sum of 2026-11-01 is too large"):
        bills(tmp_path, OPENAI_COSTS, *(spent("900000") for _ in range(6)))


def test_a_total_is_left_out(tmp_path: Path) -> None:
    found, file = bills(tmp_path, COPILOT, credit(), credit("19.5", model="Total"))
    assert sums(found) == {("Example 1", What.AMOUNT): 19_500_000}
    assert reasons(file) == ["row_is_total"]
    assert isinstance(file.unreadable.examples[0][1], LeftOut)
