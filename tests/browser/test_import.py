"""The import page in a real browser: a look at the file, columns by hand, importing, the file of the account."""

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.running_instance import Instance
from tests.browser.visits import Watch
from tests.usage.import_files import HEADER

pytestmark = pytest.mark.landing

SEVERAL = """
from accounts.models import User
from tests.factories import further_archive
from tests.usage.record_factories import archive, call
user = User.objects.get(username="{name}")
archive(user, call("first"))
for label, calls in (("At work", 2), ("At home", 3)):
    archive(further_archive(user, label), *[call(f"r{{number}}") for number in range(calls)])
"""
ROW = "{},1.5,why?,glm,ide,2026-09-07 12:30:00\r\n"


def choose(page: Page, content: str | bytes, name: str = "calls.csv") -> None:
    content = content.encode() if isinstance(content, str) else content
    page.get_by_label("File", exact=True).set_input_files({"name": name, "mimeType": "text/csv", "buffer": content})


def figure(page: Page, name: str) -> Locator:
    return page.locator(f"#found [data-figure={name}]")


def test_a_file_is_shown_then_imported(page: Page, user_id: int) -> None:
    page.goto("/runs")
    page.get_by_role("link", name="Import a file").click()
    choose(page, HEADER + ROW.format("browser-1") + ROW.format("browser-2") + ROW.format(""))
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", name="What the file holds")).to_be_visible()
    for name, number in (("new", "2"), ("known", "0"), ("unreadable", "1")):
        expect(figure(page, name)).to_have_text(number)
    expect(page.locator("#found")).to_contain_text("row 4 requestId is missing")
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#apply")).to_contain_text("2 new records, 0 already known, 1 row could not be read")
    page.locator("#apply").get_by_role("link", name="Details").click()
    expect(page.locator("main")).to_contain_text("calls.csv: csv, 3 rows")


def test_columns_that_are_not_recognised_are_chosen(page: Page, user_id: int, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/import")
    choose(page, "first,second,third\nbrowser-3,1,2026-09-07 12:30:00\n")
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator("#choose [data-form-error]")).to_contain_text("No column is recognised")
    for label, column in (("Request id", "first"), ("Credits", "second"), ("Time", "third")):
        page.get_by_label(label, exact=True).select_option(column)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("button", name="Import", exact=True)).to_be_visible()
    expect(figure(page, "new")).to_have_text("1")


def test_an_encoding_that_is_not_found_is_chosen(page: Page, user_id: int, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/import")
    choose(page, "id,credits,time,client\nbrowser-4,1,2026-09-07 12:30:00,囧囧\n".encode("gb18030"))
    expect(page.get_by_label("Encoding")).to_be_hidden()
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator("#choose [data-form-error]")).to_contain_text("Its encoding is not recognised. Choose one:")
    page.get_by_label("Encoding").select_option("gb18030")
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator("#found")).to_contain_text("csv · gb18030")
    expect(page.locator("#found")).to_contain_text("囧囧")


def test_damaged_cells_are_listed(page: Page, user_id: int) -> None:
    page.goto("/import")
    rows = "browser-5,1,2026-09-07 12:30:00,好\nbrowser-6,1,2026-09-07 12:30:00,cut ".encode() + b"\xe4\xbd\n"
    choose(page, b"id,credits,time,prompt\n" + rows)
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator("#found")).to_contain_text("row 3 prompt: cut \ufffd")


def test_what_cannot_be_read_is_said(page: Page, user_id: int, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/import")
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator("#choose [data-form-error]")).to_have_text("Choose a file.")
    choose(page, "nothing")
    page.get_by_role("button", name="Check the file").click()
    expect(page.locator("#choose [data-form-error]")).to_contain_text("It is neither CSV nor JSON")
    expect(page.locator("#found")).to_be_hidden()


def test_the_whole_account_is_one_file_that_is_imported(
    page: Page, user_id: int, instance: Instance, tmp_path: Path
) -> None:
    page.goto("/import")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the account").click()
    path = tmp_path / download.value.suggested_filename
    assert path.suffix == ".zip"
    download.value.save_as(path)
    page.get_by_label("File", exact=True).set_input_files(path)
    page.get_by_role("button", name="Check the file").click()
    expect(page.get_by_role("heading", name="What the file holds")).to_be_visible()
    expect(figure(page, "new")).to_have_text("0")
    page.get_by_text("Settings in the file").click()
    expect(page.locator("#found [data-settings]")).to_contain_text("page_size")
    expect(page.locator("#found [data-settings]")).not_to_contain_text("cookie")


def test_each_archive_of_a_file_has_its_counts(
    page: Page, user_id: int, person: str, instance: Instance, tmp_path: Path
) -> None:
    instance.manage("shell", "-c", SEVERAL.format(name=person))
    instance.manage("export", person, str(tmp_path / "several.zip"))
    page.goto("/import")
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "several.zip")
    page.get_by_role("button", name="Check the file").click()
    expect_further(page, ("At work", 2, 0), ("At home", 3, 0))
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.locator("#apply")).to_contain_text("1 new record")
    expect_further(page, ("At work", 2, 0), ("At home", 3, 0))
    page.get_by_role("button", name="Check the file").click()
    expect(figure(page, "known")).to_have_text("1")
    expect_further(page, ("At work", 0, 2), ("At home", 0, 3))
    choose(page, HEADER + ROW.format("browser-7"))
    page.get_by_role("button", name="Check the file").click()
    expect(figure(page, "new")).to_have_text("1")
    expect(page.get_by_role("row", name="Further archives")).to_be_hidden()


def expect_further(page: Page, *archives: tuple[str, int, int]) -> None:
    """Expect the label of each further archive with its new and known calls."""
    counts = "{} new: {} · already known: {} · with other values: 0 · cannot be read: 0 · new runs: 0"
    listed = page.get_by_role("row", name="Further archives").get_by_role("listitem")
    expect(listed).to_have_text([counts.format(*archive) for archive in archives])
