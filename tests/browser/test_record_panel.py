"""The panel of one record in a real browser: opened by link and by key, its fields, and what it leads to."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Page, expect

from tests.browser.records_page import panel_of, rows_of, said
from tests.browser.settled import arrived, expect_asked
from tests.browser.waiting import until

pytestmark = pytest.mark.landing

OF_RECORD = re.compile("record=")
ODD = "/records?record=%E6%A8%A1%E5%9E%8B%2F1%3Fa%3Db%23c+d"

# A step after this many milliseconds is read at once.
REST = 1000
# The content of the panel and the address after a key is held down for a number of steps.
HOLD = """async ([key, steps]) => {
  for (let step = 0; step < steps; step += 1) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, repeat: step > 0, bubbles: true }));
    await Promise.resolve();
  }
  const record = new URLSearchParams(location.search).get("record");
  return { title: document.getElementById("record-title").textContent, record };
}"""


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
    field = page.get_by_label("Text in the prompt")
    expect(field).to_have_value("jnk?")
    # The list follows what is typed.
    arrived(page, "/records?q=jnk%3F")
    field.fill("")
    expect(rows_of(page)).to_have_count(50)
    rows_of(page).first.get_by_role("link").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("n")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_hidden()
    expect_asked(page, {})


@pytest.mark.own_context
def test_a_key_held_down_reads_only_the_record_where_it_rests(reader: Page) -> None:
    page = reader
    page.clock.install()
    page.goto("/records?record=r-117")
    expect(panel_of(page)).to_contain_text("Question 117 about bread")
    expect(rows_of(page)).to_have_count(50)
    page.clock.pause_at(datetime.now(UTC) + timedelta(minutes=10))
    read: list[str] = []
    page.on("request", lambda request: read.append(request.url) if "/api/records/" in request.url else None)
    # All of them at once, and what stands there before anything is read.
    passed = page.evaluate(HOLD, ["j", 30])
    assert passed == {"title": "2026-09-08 06:30:15", "record": "r-87"}
    page.clock.run_for(REST)
    expect(panel_of(page)).to_contain_text("Question 87 about bread")
    assert [url.rpartition("/")[2] for url in read] == ["r-116", "r-87"]
    page.clock.run_for(REST)
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
    expect_asked(page, {
        "period": "custom", "from": "2026-09-09", "to": "2026-09-09", "model": "claude", "client": "ide",
        "size": "20", "record": "r-98",
    })  # fmt: skip
    panel.get_by_role("button", name="Close").click()
    expect(panel).to_be_hidden()
    # The address follows in an event of its own.
    expect(page).not_to_have_url(OF_RECORD)
    page.go_back()
    expect(panel).to_contain_text("Question 98 about")


def test_on_a_phone_rows_are_cards_and_a_record_covers_the_page(reader: Page) -> None:
    page = reader
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto("/records?q=needle")
    row = rows_of(page).first
    tops = "row => ['model', 'prompt'].map((name) => row.querySelector(`.${name}`).getBoundingClientRect().top)"
    model, prompt = row.evaluate(tops)
    assert prompt > model
    period = page.locator("#period").bounding_box()
    assert period
    assert period["width"] > 140
    row.click()
    panel = panel_of(page)
    expect(panel).to_contain_text("Copy prompt")
    until(
        page,
        lambda: panel.bounding_box() == {"x": 0, "y": 0, "width": 360, "height": 740},
        "the panel does not cover the page",
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    panel.get_by_role("button", name="This client").click()
    expect(panel).to_be_hidden()
    expect(page).not_to_have_url(OF_RECORD)
    expect_asked(page, {"client": "odd & even", "q": "needle"})
    page.go_back()
    expect(panel).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(page).not_to_have_url(OF_RECORD)
    expect_asked(page, {"q": "needle"})
