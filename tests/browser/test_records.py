"""The records in a real browser: filters, search, order, pages, keys, the panel of one record, and the export."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.conftest import Instance, Watch, enter

# 120 calls, two hours apart; a model, a client and a price in turn. One is odd and long, one has next to nothing, and
# the newest cost as much as a call can.
MAKE = """
from tests.factories import make_user
from tests.usage.record_factories import archive, call
reader, _ = make_user("reader"), make_user("newcomer")
archive(reader, *[
    call(f"r-{n}", ts=f"2026-09-{1 + n // 12:02} {n % 12 * 2:02}:30:15", model=["glm", "kimi", "claude"][n % 3],
         client=["ide", "cli"][n % 2], credits=n % 7 / 4 if n < 117 else 999_999_999.25,
         prompt=f"Question {n} about bread")
    for n in range(118)
])
archive(reader,
    call("模型/1?a=b#c d", ts="2026-08-31 10:00:00", model="rare model", client="odd & even", credits=12.5,
         prompt="First line\\n    second <b>line</b>\\n" + "hay " * 400 + "one NeeDLe.*", agent_purpose="chat"),
    call("bare", ts="2026-08-30 10:00:00", model="", client="", credits=0),
)
"""
ODD = "/records?record=%E6%A8%A1%E5%9E%8B%2F1%3Fa%3Db%23c+d"
LIST = "**/api/records?*"
# Each cell of credits that is cut or overlaps its neighbour.
CUT = """() => [...document.querySelectorAll("td.cost")].filter((cell) => {
  const text = document.createRange();
  text.selectNodeContents(cell);
  const [inner, outer] = [text, cell].map((node) => node.getBoundingClientRect());
  return inner.left < outer.left || inner.right > outer.right || outer.right > innerWidth;
}).map((cell) => cell.textContent)"""

# The content of the panel and the address after a key is held down for a number of steps.
HOLD = """async ([key, steps]) => {
  for (let step = 0; step < steps; step += 1) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, repeat: step > 0, bubbles: true }));
    await Promise.resolve();
  }
  const record = new URLSearchParams(location.search).get("record");
  return { title: document.getElementById("record-title").textContent, record };
}"""


@pytest.fixture(scope="module")
def archives(instance: Instance) -> Instance:
    """An instance with an account that has records, and another that has none."""
    instance.manage("shell", "-c", MAKE)
    return instance


@pytest.fixture
def reader(page: Page, archives: Instance) -> Page:
    """The page, of the account with records."""
    enter(page.context, archives, "reader")
    return page


@pytest.fixture
def clipboard(page: Page) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])


def rows_of(page: Page) -> Locator:
    return page.locator("#records tbody tr")


def said(page: Page) -> Locator:
    return page.locator("#records [data-said]")


def panel_of(page: Page) -> Locator:
    return page.get_by_role("dialog", name=re.compile("^(Record|20)"))


def asked(page: Page) -> dict[str, str]:
    """What the address asks for."""
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def head(page: Page, name: str) -> Locator:
    return page.get_by_role("columnheader", name=name)


def test_the_address_holds_filters_search_order_and_size(reader: Page) -> None:
    page = reader
    page.goto("/records")
    expect(said(page)).to_have_text("1 to 50 of 120")
    expect(head(page, "Time")).to_have_attribute("aria-sort", "descending")
    page.get_by_label("Model", exact=True).select_option("glm")
    expect(said(page)).to_have_text("1 to 40 of 40")
    page.get_by_label("Text in the prompt").fill("question 1")
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("1 to 9 of 9")
    expect(rows_of(page).first.locator("mark")).to_have_text("Question 1")
    head(page, "Credits").get_by_role("button").click()
    expect(head(page, "Credits")).to_have_attribute("aria-sort", "descending")
    head(page, "Credits").get_by_role("button").click()
    expect(head(page, "Credits")).to_have_attribute("aria-sort", "ascending")
    expect(rows_of(page).first).to_contain_text("free")
    page.get_by_label("Per page").select_option("20")
    assert asked(page) == {"model": "glm", "q": "question 1", "order": "credits_asc", "size": "20"}
    page.reload()
    expect(said(page)).to_have_text("1 to 9 of 9")
    expect(page.get_by_label("Text in the prompt")).to_have_value("question 1")
    for _ in range(4):
        page.go_back()
    expect(said(page)).to_have_text("1 to 40 of 40")
    expect(page.get_by_label("Text in the prompt")).to_have_value("")
    page.go_forward()
    expect(said(page)).to_have_text("1 to 9 of 9")


def test_pages_turn_by_links_by_number_and_by_keys(reader: Page) -> None:
    page = reader
    page.goto("/records?size=20&order=ts_asc")
    page.get_by_role("link", name="Next").click()
    expect(said(page)).to_have_text("21 to 40 of 120")
    page.keyboard.press("n")
    expect(said(page)).to_have_text("41 to 60 of 120")
    page.keyboard.press("[")
    expect(said(page)).to_have_text("21 to 40 of 120")
    page.get_by_label("Page", exact=True).fill("99")
    page.keyboard.press("Enter")
    expect(said(page)).to_have_text("101 to 120 of 120")
    expect(page.get_by_label("Page", exact=True)).to_have_value("6")
    # A new filter begins at its first page; a page beyond the end leads to the last one.
    page.get_by_label("Client", exact=True).select_option("ide")
    expect(said(page)).to_have_text("1 to 20 of 59")
    page.goto("/records?page=9")
    expect(said(page)).to_have_text("101 to 120 of 120")
    assert asked(page) == {"page": "3"}


def test_keys_move_open_and_close_and_are_silent_in_a_field(reader: Page) -> None:
    page = reader
    page.goto("/records")
    expect(rows_of(page)).to_have_count(50)
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(rows_of(page).nth(1).get_by_role("link")).to_be_focused()
    page.keyboard.press("Enter")
    expect(panel_of(page)).to_contain_text("Question 116 about bread")
    page.keyboard.press("j")
    expect(panel_of(page)).to_contain_text("Question 115 about bread")
    page.keyboard.press("Escape")
    expect(panel_of(page)).to_be_hidden()
    expect(rows_of(page).nth(2).get_by_role("link")).to_be_focused()
    page.keyboard.press("/")
    page.keyboard.type("jnk?")
    expect(page.get_by_label("Text in the prompt")).to_have_value("jnk?")
    assert asked(page) == {}
    rows_of(page).first.get_by_role("link").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    assert asked(page) == {}


def test_a_key_held_down_reads_only_the_record_where_it_rests(reader: Page) -> None:
    page = reader
    page.goto("/records?record=r-117")
    expect(panel_of(page)).to_contain_text("Question 117 about bread")
    expect(rows_of(page)).to_have_count(50)
    read: list[str] = []
    page.on("request", lambda request: read.append(request.url) if "/api/records/" in request.url else None)
    # All of them at once, and what stands there before anything is read.
    passed = page.evaluate(HOLD, ["j", 30])
    assert passed == {"title": "2026-09-08 06:30:15", "record": "r-87"}
    expect(panel_of(page)).to_contain_text("Question 87 about bread")
    # The first, and where a slow machine rests in between: far from one for each of the thirty.
    assert len(read) < 10
    page.keyboard.press("k")
    expect(panel_of(page)).to_contain_text("Question 88 about bread")


def test_a_link_opens_a_record_with_every_field_and_its_whole_prompt(reader: Page, clipboard: None) -> None:
    page = reader
    page.goto(f"{ODD}&q=question&size=20")
    panel = panel_of(page)
    for text in ("2026-08-31 10:00:00", "12.5", "rare model", "odd & even", "chat", "模型/1?a=b#c d", "1,646 char"):
        expect(panel).to_contain_text(text)
    prompt = panel.locator("pre").text_content()
    assert prompt == "First line\n    second <b>line</b>\n" + "hay " * 400 + "one NeeDLe.*"
    # It is not among the results.
    expect(panel.get_by_role("button", name="Next record")).to_be_disabled()
    panel.get_by_role("button", name="Copy prompt").click()
    expect(panel.get_by_role("status")).to_have_text("Copied.")
    assert page.evaluate("navigator.clipboard.readText()") == prompt
    # As where the archive is not served over HTTPS: browsers then offer no clipboard to scripts.
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    panel.get_by_role("button", name="Copy link").click()
    expect(panel.get_by_role("status")).to_have_text("Copied.")
    page.get_by_label("Text in the prompt").fill("")
    page.keyboard.press("ControlOrMeta+V")
    page.goto(page.get_by_label("Text in the prompt").input_value())
    expect(panel).to_contain_text("模型/1?a=b#c d")
    page.get_by_label("Text in the prompt").fill("needle.*")
    page.keyboard.press("Enter")
    expect(rows_of(page)).to_have_count(1)
    expect(rows_of(page).locator("mark")).to_have_text("NeeDLe.*")
    expect(panel.locator("pre mark")).to_be_in_viewport()


def test_a_record_leads_to_those_of_its_day_model_and_client_and_to_the_next(reader: Page) -> None:
    page = reader
    page.goto("/records?size=20")
    rows_of(page).last.click()
    panel = panel_of(page)
    expect(panel).to_contain_text("Question 98 about")
    panel.get_by_role("button", name="Next record").click()
    expect(panel).to_contain_text("Question 97 about")
    expect(said(page)).to_have_text("21 to 40 of 120")
    panel.get_by_role("button", name="Previous record").click()
    expect(panel).to_contain_text("Question 98 about")
    expect(said(page)).to_have_text("1 to 20 of 120")
    panel.get_by_role("button", name="This day").click()
    expect(said(page)).to_have_text("1 to 12 of 12")
    panel.get_by_role("button", name="This model").click()
    expect(said(page)).to_have_text("1 to 4 of 4")
    panel.get_by_role("button", name="This client").click()
    expect(said(page)).to_have_text("1 to 2 of 2")
    assert asked(page) == {
        "period": "custom", "from": "2026-09-09", "to": "2026-09-09", "model": "claude", "client": "ide",
        "size": "20", "record": "r-98",
    }  # fmt: skip
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    assert "record" not in asked(page)
    page.go_back()
    expect(panel).to_contain_text("Question 98 about")


def test_what_is_not_there_is_said(reader: Page, archives: Instance, watch: Watch) -> None:
    watch.expect(404)
    page = reader
    page.goto("/records?record=nobody's&q=nowhere&model=glm")
    expect(panel_of(page)).to_contain_text("There is no such record")
    expect(page.get_by_text("No record fits")).to_be_visible()
    expect(page.locator("#export")).to_be_hidden()
    page.get_by_role("button", name="Show all records").click()
    expect(said(page)).to_have_text("1 to 50 of 120")
    page.goto("/records?record=bare")
    for text in ("free", "no model", "no client", "This record has no prompt."):
        expect(panel_of(page)).to_contain_text(text)
    panel_of(page).get_by_role("button", name="This model").click()
    panel_of(page).get_by_role("button", name="This client").click()
    expect(said(page)).to_have_text("1 to 1 of 1")
    assert asked(page) == {"no_model": "1", "no_client": "1", "record": "bare"}
    expect(page.locator("#client option:checked")).to_have_text("no client")
    expect(page.get_by_role("link", name="Export 1 record")).to_have_attribute(
        "href", re.compile(r"\?no_model=1&no_client=1&order=ts_desc$")
    )
    page.goto("about:blank")
    enter(page.context, archives, "newcomer")
    page.goto("/records?record=r-1")
    expect(page.get_by_role("heading", name="Nothing is archived yet")).to_be_visible()
    expect(page.get_by_role("link", name="Go to the first steps")).to_have_attribute("href", "/")
    expect(page.locator("#archived")).to_be_hidden()


def test_a_list_that_fails_is_tried_again_and_a_long_search_says_so(reader: Page, watch: Watch) -> None:
    watch.expect(503)
    page = reader
    page.route(LIST, lambda route: route.fulfill(status=503, json={"ok": False, "message": "Away."}))
    page.goto("/records?q=bread")
    expect(page.locator("#records [data-failed]")).to_contain_text("Away.")
    held: list[Route] = []
    page.unroute(LIST)
    page.route(LIST, lambda route: held.append(route))
    page.get_by_role("button", name="Try again").click()
    expect(said(page)).to_have_text("Searching the prompts…")
    held.pop().continue_()
    expect(said(page)).to_have_text("1 to 50 of 118")
    expect(page.locator("#records [data-failed]")).to_be_hidden()


def test_the_export_has_what_is_filtered_and_sorted(reader: Page) -> None:
    page = reader
    page.goto("/records?period=custom&from=2026-09-02&to=2026-09-02&client=cli&q=QUESTION&order=credits_desc&size=20")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export 6 records").click()
    lines = download.value.path().read_text("utf-8-sig").splitlines()[1:]
    shown = [row.get_attribute("data-id") for row in rows_of(page).all()]
    assert [line.split(",")[0].strip('"') for line in lines] == shown
    assert len(shown) == 6


def test_on_a_phone_rows_are_cards_and_a_record_covers_the_page(reader: Page) -> None:
    page = reader
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/records?q=needle")
    row = rows_of(page).first
    tops = "row => ['model', 'prompt'].map((name) => row.querySelector(`.${name}`).getBoundingClientRect().top)"
    model, prompt = row.evaluate(tops)
    assert prompt > model
    period = page.get_by_label("Period").bounding_box()
    assert period
    assert period["width"] > 140
    row.click()
    panel = panel_of(page)
    expect(panel).to_contain_text("Copy prompt")
    assert panel.bounding_box() == {"x": 0, "y": 0, "width": 360, "height": 740}
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    panel.get_by_role("button", name="This client").click()
    expect(panel).to_be_hidden()
    assert asked(page) == {"client": "odd & even", "q": "needle"}
    page.go_back()
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    assert asked(page) == {"q": "needle"}


def test_credits_are_never_cut(reader: Page) -> None:
    page = reader
    cut = {}
    for path in ("/records", "/records?record=r-117"):
        page.goto(path)
        expect(rows_of(page).first.locator(".cost")).to_have_text("999,999,999.25")
        for width in (360, 480, 600, 768, 960, 1100, 1200, 1280, 1440, 1920, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            cut[path, width] = page.evaluate(CUT)
    assert {where: cells for where, cells in cut.items() if cells} == {}
