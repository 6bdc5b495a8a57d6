"""The page of the API in a real browser: the description is found and opened, and reads are tried."""

import json

import pytest
from playwright.sync_api import Locator, Page, expect

from archive_site.lib.http.operations import operations
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing


def opened(page: Page, name: str) -> Locator:
    """The operation of this id, opened by its address."""
    page.goto(f"/api/docs#{name}")
    operation = page.locator(f"#{name}")
    expect(operation.get_by_role("heading", name="Answers")).to_be_visible()
    return operation


def answer_of(operation: Locator) -> str:
    operation.get_by_role("button", name="Send").click()
    expect(operation.get_by_role("status")).to_contain_text(" ms")
    return operation.get_by_role("region", name="Answer").inner_text()


def test_the_profile_leads_to_every_operation(page: Page) -> None:
    page.goto("/profile")
    page.get_by_role("link", name="Read this archive with programs").click()
    expect(page.locator("details.operation")).to_have_count(len(operations()))


def test_each_part_begins_with_its_reads_and_the_reads_have_no_writes(page: Page) -> None:
    page.goto("/api/docs")
    expect(page.locator("details.operation")).to_have_count(len(operations()))
    parts = {
        section.locator("h2").inner_text(): section.locator("[data-method]").all_inner_texts()
        for section in page.locator("#api section").all()
    }
    assert set(parts["Reads"]) == {"GET"}
    for methods in parts.values():
        assert methods == sorted(methods)


def test_what_has_no_part_of_the_text_is_hidden(page: Page) -> None:
    page.goto("/api/docs")
    page.get_by_label("Find").fill("FORECAST")
    expect(page.locator("details.operation:visible")).to_have_count(1)
    expect(page.locator("#api h2:visible")).to_have_text(["Reads"])
    page.get_by_label("Find").fill("nothing has this")
    expect(page.get_by_text("Nothing has this text.")).to_be_visible()


def test_an_operation_opens_to_its_parameters_fields_and_errors(page: Page) -> None:
    operation = opened(page, "get_records")
    expect(operation.locator("[data-part=parameters] dt", has_text="credits_above")).to_be_visible()
    expect(operation.locator("[data-part=answers] dt").first).to_have_text("items")
    expect(operation.get_by_text("items[].request_id")).to_be_visible()
    expect(operation.locator(".status-row", has_text="429")).to_contain_text("More than 240 reads")


def test_a_read_is_tried_with_its_parameters(page: Page) -> None:
    operation = opened(page, "get_records")
    operation.get_by_label("size", exact=True).fill("7")
    operation.get_by_label("order").select_option("ts_asc")
    assert json.loads(answer_of(operation))["size"] == 7
    expect(operation.get_by_role("status")).to_contain_text("200 after")


def test_an_error_is_shown_as_it_is_answered(page: Page, watch: Watch) -> None:
    operation = opened(page, "get_runs_run_id")
    operation.get_by_role("button", name="Send").click()
    expect(operation.get_by_role("status")).to_have_text("run_id is needed.")
    watch.expect(404)
    operation.get_by_label("run_id").fill("999999")
    assert json.loads(answer_of(operation))["ok"] is False
    expect(operation.get_by_role("status")).to_contain_text("404 after")


def test_numbers_keep_the_digits_that_were_answered(page: Page) -> None:
    operation = opened(page, "get_summary")
    operation.get_by_label("from", exact=True).fill("1999-01-01")
    operation.get_by_label("to", exact=True).fill("1999-01-02")
    assert '"credits": 0.0' in answer_of(operation)


def test_a_list_as_a_file_is_shown_as_its_text(page: Page) -> None:
    operation = opened(page, "get_records")
    operation.get_by_label("format").select_option("csv")
    operation.get_by_label("lang").select_option("en")
    assert answer_of(operation).lstrip("\ufeff").startswith("RequestID,Credits")


def test_a_list_as_a_binary_file_is_downloaded(page: Page) -> None:
    operation = opened(page, "get_records")
    operation.get_by_label("format").select_option("parquet")
    with page.expect_download() as download:
        operation.get_by_role("button", name="Send").click()
    assert download.value.path().read_bytes().startswith(b"PAR1")


def test_a_file_is_downloaded(page: Page) -> None:
    operation = opened(page, "get_records_export")
    operation.get_by_label("lang").select_option("en")
    with page.expect_download() as download:
        operation.get_by_role("button", name="Send").click()
    assert download.value.path().read_text(encoding="utf-8-sig").startswith("RequestID,Credits")


def test_changes_are_only_described(page: Page) -> None:
    operation = opened(page, "post_views")
    expect(operation.get_by_role("button", name="Send")).to_be_hidden()
    expect(operation.locator("[data-part=body] dt")).to_have_text(["name", "query?"])


def test_code_in_words_is_shown_as_code(page: Page) -> None:
    operation = opened(page, "get_exports_name")
    expect(operation.locator("summary code", has_text="export-csv")).to_be_visible()
    expect(page.locator("#api")).not_to_contain_text("`")
    expect(page.locator("#api")).not_to_contain_text("](")
