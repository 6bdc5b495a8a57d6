"""The menu of the tables below charts: copied, and kept as CSV and JSON."""

import json
from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.overview_page import PER_DAY, open_tab, open_table, part
from tests.browser.page_faults import overflow, violations
from tests.browser.running_instance import Instance
from tests.browser.visits import send, token_of
from tests.factories import PASSWORD


def opened(page: Page, name: str) -> Locator:
    if name in ("hours", "year"):
        open_tab(page)
    table = open_table(part(page, name))
    expect(table.locator("tbody tr").first).to_be_visible()
    return table


def saved(page: Page, table: Locator, form: str) -> tuple[str, str]:
    """The name and the text of the file that the menu of a table, or of its card, saves."""
    section = table.locator("xpath=ancestor-or-self::section")
    with page.expect_download() as waiting:
        if section.locator(".card-menu").count():
            section.locator(".card-menu summary").press("Enter")
            section.get_by_role("button", name=f"Save as {form}").press("Enter")
        else:
            table.get_by_role("button", name=form, exact=True).press("Enter")
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes().decode("utf-8")


@pytest.mark.thorough_after(2)
@pytest.mark.landing
@pytest.mark.parametrize("name", ["days", "hours", "year", "coverage"])
def test_each_chart_gives_its_table_as_csv_and_json(name: str, overview: Page) -> None:
    table = opened(overview, name)
    rows, columns = table.locator("tbody tr").count(), table.locator("thead th").count()
    file, text = saved(overview, table, "CSV")
    assert file.endswith(".csv")
    assert text.startswith("\ufeff")
    assert len(text.split("\r\n")) == 1 + rows + 1
    file, text = saved(overview, table, "JSON")
    found = json.loads(text)
    assert file.endswith(".json")
    assert (len(found["rows"]), {len(row) for row in found["rows"]}) == (rows, {columns})
    assert len(found["columns"]) == columns


@pytest.mark.landing
def test_numbers_are_plain_and_the_days_are_those_shown(overview: Page) -> None:
    table = opened(overview, "days")
    shown = table.locator("tbody tr").first.locator("th, td").all_inner_texts()
    name, text = saved(overview, table, "JSON")
    first = json.loads(text)["rows"][0]
    assert name == "usage-days.json"
    assert first[0] == shown[0]
    assert [float(cell) for cell in first[1:] if isinstance(cell, (int, float))]


@pytest.mark.thorough
def test_credits_are_saved_as_the_api_gives_them(unopened: Page, today: date) -> None:
    spent = {f"{today - timedelta(days=back)}": value for back, value in ((0, 0.000001), (1, 1234.567891), (2, 0.1))}

    def exact(route: Route) -> None:
        answer = route.fetch().json()
        for day in answer["days"]:
            day["c"] = spent.get(day["d"], 0)
            day["m"] = {"model-1": day["c"]}
        route.fulfill(json=answer)

    unopened.route("**/api/daily*", exact)
    unopened.goto("/?period=7&model=model-1&compare=none")
    days = opened(unopened, "days")
    expect(days.locator("tbody tr").last.locator("td")).to_have_text("< 0.01")
    assert [row[1] for row in json.loads(saved(unopened, days, "JSON")[1])["rows"]][-3:] == [
        0.1,
        1234.567891,
        0.000001,
    ]
    assert ",1234.567891\r\n" in saved(unopened, days, "CSV")[1]
    year = json.loads(saved(unopened, opened(unopened, "year"), "JSON")[1])["rows"]
    assert 1234.567891 in [row[1] for row in year]


@pytest.mark.landing
def test_a_copy_has_tabs_and_is_confirmed(overview: Page, clipboard: None) -> None:
    table = opened(overview, "days")
    card = part(overview, "days")
    card.locator(".card-menu summary").press("Enter")
    card.get_by_role("button", name="Copy the table").press("Enter")
    expect(card.locator("[data-taken]")).to_have_text("Copied.")
    expect(card.locator(".card-menu summary")).to_be_focused()
    lines = overview.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(lines) == 1 + table.locator("tbody tr").count()
    assert {line.count("\t") for line in lines} == {table.locator("thead th").count() - 1}


@pytest.mark.thorough
def test_the_menu_is_accessible_and_fits(overview: Page) -> None:
    opened(overview, "days")
    overview.locator("[data-part=days] .card-menu summary").press("Enter")
    assert violations(overview, "[data-part=days]") == {}
    assert overflow(overview, 320) <= 0


# Tables that are shown as such.


def taken(part: Locator, form: str) -> tuple[str, str]:
    """The name and the text of the file that the menu of a table saves, by keyboard."""
    if part.locator(".card-menu").count():
        return saved(part.page, part, form)
    menu = part.locator(".take-table")
    if not menu.evaluate("(node) => node.open"):
        menu.locator("summary").press("Enter")
    return saved(part.page, menu, form)


@pytest.mark.thorough
@pytest.mark.parametrize(("name", "first"), [("models", "Model"), ("clients", "Client"), ("purposes", "Purpose")])
def test_a_table_of_shares_is_saved_with_all_its_names_and_the_change(name: str, first: str, overview: Page) -> None:
    if name == "purposes":
        open_tab(overview)
    shares = part(overview, name)
    file, text = taken(shares, "JSON")
    found = json.loads(text)
    assert file == f"usage-{name}.json"
    assert found["columns"] == [first, "Share (%)", "Credits", "Change (%)", "Calls", "Per call", "Free (%)"]
    # More names than the table shows at first.
    asked = overview.request.get("/api/dims?dim=model").json() if name == "models" else None
    assert len(found["rows"]) >= shares.locator("tbody tr").count()
    assert asked is None or len(found["rows"]) > shares.locator("tbody tr").count()
    assert sum(row[4] for row in found["rows"]) == 30 * PER_DAY
    assert all(isinstance(row[2], (int, float)) for row in found["rows"])
    assert taken(shares, "CSV")[1].count("\r\n") == 1 + len(found["rows"])


@pytest.mark.thorough
def test_the_most_expensive_calls_are_saved_with_their_ids(overview: Page) -> None:
    top = part(overview, "top")
    _, text = taken(top, "JSON")
    found = json.loads(text)
    assert found["columns"] == ["Time", "Model", "Client", "Credits", "Prompt", "Request id"]
    assert len(found["rows"]) == top.locator("ol li").count()
    asked = overview.request.get(f"/api/records/{found['rows'][0][5]}").json()
    assert (asked["model"], asked["credits"]) == (found["rows"][0][1], found["rows"][0][3])


@pytest.mark.thorough_after(2)
@pytest.mark.landing
@pytest.mark.parametrize(
    ("path", "place", "first"),
    [("/runs", "#runs", "Started"), ("/users", "#people", "Name"), ("/audit", "#audit", "Time"),
     ("/backups", "#shelf", "Created")],
)  # fmt: skip
def test_the_lists_of_the_instance_are_copied_and_saved(
    path: str, place: str, first: str, page: Page, instance: Instance, user_id: int, clipboard: None
) -> None:
    page.request.post("/api/collect", headers={"X-CSRF-Token": token_of(page.context)})
    if path == "/backups":
        instance.wait_for_first_backup()
        send(page, "/api/backups", note="=1+1")
    page.goto(path)
    table = page.locator(place)
    expect(table.locator("tbody tr").first).to_be_visible()
    rows = table.locator("tbody tr").count()
    _, text = taken(table, "JSON")
    found = json.loads(text)
    assert found["columns"][0] == first
    assert "Actions" not in found["columns"]
    assert len(found["rows"]) == rows
    assert taken(table, "CSV")[1].count("\r\n") == 1 + rows
    assert path != "/backups" or '"\'=1+1"' in taken(table, "CSV")[1]
    table.get_by_role("button", name="Copy", exact=True).press("Enter")
    expect(table.get_by_role("status").filter(has_text="Copied.")).to_be_visible()
    assert violations(page, f"{place} .take-table") == {}
    assert overflow(page, 320) <= 0


@pytest.mark.landing
def test_an_empty_table_has_no_menu(page: Page, user_id: int) -> None:
    page.goto("/runs")
    expect(page.locator("#runs [data-empty]")).to_be_visible()
    expect(page.locator("#runs .take-table")).to_be_hidden()


@pytest.mark.landing
def test_the_menu_works_after_the_table_was_read_again(page: Page, user_id: int) -> None:
    page.goto("/users")
    page.locator("#new-user").click()
    dialog = page.get_by_role("dialog", name="New account")
    dialog.get_by_label("User name").fill("taken-again")
    for label in ("Password", "Password again"):
        dialog.get_by_label(label, exact=True).fill(PASSWORD)
    dialog.get_by_role("button", name="Create").click()
    expect(page.locator("[data-username=taken-again]")).to_be_visible()
    assert "taken-again" in taken(page.locator("#people"), "CSV")[1]
