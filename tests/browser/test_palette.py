"""The command palette and the keys of every page, in a real browser."""

import re
from datetime import date

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.config.declarations import INSTANCE_KEYS
from tests.browser.held_requests import HeldRequests
from tests.browser.page_faults import MODAL, violations
from tests.browser.records_page import said
from tests.browser.running_instance import Instance
from tests.browser.settled import arrived, expect_asked
from tests.browser.visits import send

# The tasks that lead to the settings of the instance; a key may be a word of a page, too, as `packages` is.
SETTINGS = re.compile("How calls are collected|Schedule and limits|Automatic backups")
PAGES = [
    "/",
    "/records",
    "/runs",
    "/config",
    "/archives",
    "/profile",
    "/import",
    "/users",
    "/backups",
    "/audit",
    "/logs",
]


def palette(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Go to")


def options(page: Page) -> Locator:
    return palette(page).get_by_role("option")


@pytest.mark.thorough_after(2)
@pytest.mark.landing
@pytest.mark.parametrize("path", PAGES)
def test_the_palette_opens_on_every_page(page: Page, path: str) -> None:
    page.goto(path)
    for key in ("Control+k", "Meta+k"):
        page.keyboard.press(key)
        expect(palette(page).get_by_role("combobox")).to_be_focused()
        page.keyboard.press("Escape")
        expect(palette(page)).to_be_hidden()


@pytest.mark.thorough
def test_it_is_accessible_and_fits_a_phone(reader: Page) -> None:
    page = reader
    page.goto("/records")
    page.keyboard.press("Control+k")
    expect(options(page).first).to_have_attribute("aria-selected", "true")
    expect(palette(page)).to_contain_text("kimi")
    assert violations(page, MODAL) == {}
    page.set_viewport_size({"width": 320, "height": 600})
    box = palette(page).bounding_box()
    assert box
    assert (box["x"] >= 0, box["x"] + box["width"] <= 320) == (True, True)
    assert box["y"] + box["height"] <= 600
    page.set_viewport_size({"width": 1280, "height": 720})


@pytest.mark.landing
def test_arrows_choose_and_enter_goes_there(page: Page) -> None:
    page.goto("/profile")
    page.keyboard.press("Control+k")
    page.keyboard.type("runs")
    expect(options(page).first).to_have_text("Runs")
    page.keyboard.press("ArrowDown")
    expect(options(page).first).to_have_attribute("aria-selected", "false")
    page.keyboard.press("ArrowUp")
    chosen = palette(page).get_by_role("combobox").get_attribute("aria-activedescendant")
    expect(page.locator(f"#{chosen}")).to_have_text("Runs")
    page.keyboard.press("Enter")
    arrived(page, "/runs")


@pytest.mark.landing
def test_names_that_come_later_leave_the_choice_alone(reader: Page) -> None:
    page = reader
    page.goto("/profile")
    held = HeldRequests(page, "**/api/dims*")
    page.keyboard.press("Control+k")
    asked_names = held.take()
    page.keyboard.type("k")
    page.keyboard.press("ArrowDown")
    chosen = options(page).nth(1)
    expect(chosen).to_have_attribute("aria-selected", "true")
    words = chosen.text_content() or ""
    asked_names.continue_()
    expect(palette(page)).to_contain_text("kimi")
    expect(palette(page).get_by_role("option", selected=True)).to_have_text(words)
    page.unroute("**/api/dims*")
    page.keyboard.press("Escape")


@pytest.mark.landing
def test_periods_and_names_change_the_filters_of_the_page(reader: Page) -> None:
    page = reader
    page.goto("/records?q=question&page=2&record=r-1&model=glm")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.keyboard.type("last month")
    page.keyboard.press("Enter")
    expect_asked(page, {"q": "question", "model": "glm", "period": "last-month"})
    page.goto("/runs")
    page.keyboard.press("Control+k")
    page.keyboard.type("models kim")
    expect(options(page).first).to_have_text("kimi")
    page.keyboard.press("Enter")
    arrived(page, "/?model=kimi")


@pytest.mark.landing
def test_a_record_is_found_by_its_id_and_prompts_by_their_text(reader: Page) -> None:
    page = reader
    page.goto("/runs")
    page.keyboard.press("Control+k")
    page.keyboard.type("模型/1?a=b#c")
    expect(options(page)).to_have_text(["Open the record “模型/1?a=b#c”", "Search the prompts for “模型/1?a=b#c”"])
    page.get_by_role("combobox").fill("r-7")
    options(page).filter(has_text="Open the record").click()
    expect(page.get_by_role("dialog", name=re.compile("^20"))).to_contain_text("Question 7 about")
    page.keyboard.press("Control+k")
    page.keyboard.type("about bread")
    options(page).filter(has_text="Search the prompts").click()
    expect(said(page)).to_have_text("1 to 50 of 118")


@pytest.mark.landing
@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("2026-02-28", "from=2026-02-28&to=2026-02-28"),
        ("2024-02", "from=2024-02-01&to=2024-02-29"),
        ("2026-01-30..2026-02-02", "from=2026-01-30&to=2026-02-02"),
    ],
)
def test_days_and_months_are_periods(page: Page, text: str, span: str) -> None:
    page.goto("/records")
    page.keyboard.press("Control+k")
    page.keyboard.type(text)
    expect(options(page).first).to_have_text(text)
    page.keyboard.press("Enter")
    arrived(page, f"/records?period=custom&{span}")


@pytest.mark.landing
def test_a_month_is_found_by_its_name(page: Page, today: date) -> None:
    page.goto("/")
    page.keyboard.press("Control+k")
    page.keyboard.type(f"{today:%B}")
    expect(options(page).first).to_have_text(f"{today:%B %Y}")


@pytest.mark.thorough_after(2)
@pytest.mark.landing
@pytest.mark.parametrize("text", ["2026-02-30", "2026-13", "2026-01-01..", "..2026-01-01"])
def test_what_is_no_day_is_no_period(page: Page, text: str) -> None:
    page.goto("/")
    page.keyboard.press("Control+k")
    page.keyboard.type(text)
    expect(options(page)).to_have_text([f"Search the prompts for “{text}”"])


@pytest.mark.landing
def test_a_record_is_offered_for_an_id_alone(reader: Page) -> None:
    page = reader
    page.goto("/records")
    page.keyboard.press("Control+k")
    field, record = palette(page).get_by_role("combobox"), options(page).filter(has_text="Open the record")
    expect(palette(page)).to_contain_text("kimi")
    for text in ("budget", "glm", "rare", "12", "2026-09", "1,234.5", "30days", "30天"):
        field.fill(text)
        expect(options(page).filter(has_text="Search the prompts")).to_have_count(1)
        expect(record).to_have_count(0)
    for text in ("5e1f0c2a9b7d4e36a1c8f0d2b4e69a73", "5e1f0c2a9b7d", "crb-abc", "r-7"):
        field.fill(text)
        expect(record).to_have_text(f"Open the record “{text}”")


@pytest.mark.landing
def test_each_page_is_there_once(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Control+k")
    page.keyboard.type("pages ")
    expect(options(page).filter(has_text="Overview")).to_have_count(1)
    expect(options(page).filter(has_text="Profile")).to_have_count(1)


@pytest.mark.thorough_after(4)
@pytest.mark.landing
@pytest.mark.parametrize(
    ("typed", "label", "path"),
    [
        ("budget", "Budgets", "/#budgets-title"), ("webhook", "Webhooks", "/notices#webhooks-title"),
        ("api key", "Tokens", "/profile#tokens-title"), ("dark", "Light or dark", "/profile#looks-title"),
        ("verify", "Prove days", "/runs#ledger-title"), ("download", "Export records", "/records"),
        ("forecast", "Forecast of the month", "/#month-title"),
        ("invitation", "Invite someone", "/users#invitations-title"),
        ("older calls", "Older calls", "/runs#ledger-title"), ("fetch older", "Older calls", "/runs#ledger-title"),
        ("timeout", "How calls are collected", "/config/instance#collection-part"),
        ("page_size", "How calls are collected", "/config/instance#collection-part"),
        ("email", "Email and name", "/profile#about-title"), ("delete", "Delete an account", "/users#people"),
        ("delete backup", "Delete a backup", "/backups#shelf"),
    ],
)  # fmt: skip
def test_a_task_is_found_by_its_words(typed: str, label: str, path: str, page: Page, instance: Instance) -> None:
    page.goto("/runs")
    page.keyboard.press("Control+k")
    page.keyboard.type(typed)
    expect(options(page).first).to_have_text(label)
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{instance.url}{path}")


@pytest.mark.landing
def test_each_setting_of_the_instance_is_found_by_its_key(page: Page) -> None:
    page.goto("/runs")
    page.keyboard.press("Control+k")
    for key in INSTANCE_KEYS:
        palette(page).get_by_role("combobox").fill(key)
        found = palette(page).get_by_role("group", name="Tasks and settings").get_by_role("option")
        expect(found.filter(has_text=SETTINGS)).to_have_count(1)


@pytest.mark.landing
def test_a_saved_view_and_an_action_are_found(reader: Page) -> None:
    page = reader
    page.goto("/records?client=cli")
    page.locator("#views summary").click()
    page.get_by_label("Save what is shown as").fill("Shell work")
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Shell work")).to_be_visible()
    page.goto("/config")
    page.keyboard.press("Control+k")
    page.keyboard.type("shell")
    expect(options(page).first).to_have_text("Shell work")
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("1 to 50 of 59")
    page.keyboard.press("Control+k")
    page.keyboard.type("actions keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()


@pytest.mark.landing
def test_what_is_beyond_the_first_of_a_group_is_counted_and_found_by_typing(page: Page, user_id: int) -> None:
    for number in range(1, 16):
        send(page, "/api/views", name=f"View {number:02}", query=f"q={number}")
    page.goto("/runs")
    page.keyboard.press("Control+k")
    views = palette(page).get_by_role("group", name="Saved views")
    expect(views.get_by_role("option")).to_have_count(12)
    expect(views.get_by_text("3 more; type to find them")).to_be_visible()
    expect(palette(page).get_by_role("status")).to_contain_text("Saved views: 3 more; type to find them")
    assert violations(page, MODAL) == {}
    page.keyboard.type("view 15")
    expect(views.get_by_role("option")).to_have_text(["View 15"])
    expect(views.get_by_text("more; type")).to_be_hidden()
    expect(palette(page).get_by_role("status")).not_to_contain_text("more")


@pytest.mark.thorough_after(2)
@pytest.mark.landing
@pytest.mark.parametrize("path", PAGES)
def test_every_page_lists_its_keys(page: Page, path: str) -> None:
    page.goto(path)
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys).to_contain_text("go to a page, period")
    assert ("next, previous record" in keys.inner_text()) == (path == "/records")
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()


@pytest.mark.landing
def test_two_keys_lead_to_a_page_and_are_text_in_a_field(reader: Page) -> None:
    page = reader
    page.goto("/records")
    page.keyboard.press("g")
    page.keyboard.press("u")
    arrived(page, "/runs")
    page.keyboard.press("g")
    page.keyboard.press("r")
    arrived(page, "/records")
    page.get_by_label("Text in the prompt").press_sequentially("gu?")
    expect(page.get_by_label("Text in the prompt")).to_have_value("gu?")
    expect(page.get_by_text("No records match")).to_be_visible()
    expect_asked(page, {"q": "gu?"})


@pytest.mark.landing
def test_the_menu_of_the_account_offers_both(page: Page) -> None:
    page.goto("/runs")
    summary = page.locator(".menu summary")
    summary.click()
    page.get_by_role("button", name="Go to…").click()
    expect(palette(page)).to_be_visible()
    page.keyboard.press("Escape")
    expect(summary).to_be_focused()


@pytest.mark.landing
def test_a_dialog_that_asks_comes_first(page: Page) -> None:
    page.goto("/users")
    page.locator("#new-user").click()
    expect(page.locator("dialog:modal")).to_have_count(1)
    page.keyboard.press("Control+k")
    expect(palette(page)).to_be_hidden()
