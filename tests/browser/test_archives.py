"""The archives of an account in a real browser: their page, and the choice of the one that is shown."""

import itertools
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.litellm.simulator import Proxy, SpendCall
from tests.browser.accounts import enter, make_account
from tests.browser.held_requests import HeldRequests
from tests.browser.page_faults import MODAL, NARROW, faults, overflow, violations
from tests.browser.running_instance import Instance
from tests.browser.settled import quiet
from tests.browser.visits import Watch, send, token_of, watched
from tests.browser.waiting import until

pytestmark = pytest.mark.landing

COOKIE = "session=abcdefghijklmnop1234"
_numbers = itertools.count(1)


@pytest.fixture
def own(browser: Browser, instance: Instance, watch: Watch) -> Iterator[Page]:
    """An empty page of a new account."""
    name = f"holder{next(_numbers)}"
    make_account(instance, name)
    context = browser.new_context(base_url=instance.url)
    enter(context, instance, name)
    yield from watched(context, watch)
    context.close()


@pytest.fixture
def second(own: Page) -> int:
    """The id of a second archive of that account."""
    return int(send(own, "/api/archives", kind="codebuddy", label="At work", credential={"cookie": COOKIE})["id"])


def card(page: Page, label: str) -> Locator:
    return page.locator("[data-archive-card]").filter(has=page.get_by_role("heading", name=label))


def choose(page: Page, label: str) -> None:
    page.locator(".archives-menu summary").click()
    page.locator(".archives-menu").get_by_role("link", name=label).click()


def requests_of(page: Page) -> list[str]:
    """The reads of the API that the page has made, without those that are not about an archive."""
    asked: list[str] = page.evaluate("performance.getEntriesByType('resource').map(({name}) => name)")
    others = ("/api/views", "/api/settings")
    paths = [urlsplit(one) for one in asked]
    return [
        (parse_qs(one.query).get("archive") or [""])[0]
        for one in paths
        if one.path.startswith("/api/") and not one.path.startswith(others)
    ]


def test_an_archive_is_made_named_given_a_credential_and_deleted_by_keyboard(own: Page, upstream: Simulator) -> None:
    own.goto("/archives")
    expect(card(own, "CodeBuddy")).to_contain_text("no records yet")
    expect(card(own, "CodeBuddy")).to_contain_text("Nothing is collected until you set one.")
    expect(own.locator(".archives-menu")).to_have_count(0)
    own.get_by_role("button", name="New archive").press("Enter")
    expect(own.locator("#create-label")).to_be_focused()
    own.keyboard.type("At work")
    own.keyboard.press("Enter")
    expect(own.locator("#said")).to_have_text("The archive is made.")
    button = own.get_by_role("button", name="Set credential of At work")
    expect(button).to_be_focused()
    expect(own.locator(".archive-label")).to_have_text("CodeBuddy")

    own.keyboard.press("Enter")
    expect(own.locator("#cookie")).to_be_focused()
    own.keyboard.insert_text(upstream.cookie())
    own.get_by_role("button", name="Test").press("Enter")
    expect(own.locator(".tested[data-outcome=fine]")).to_be_visible()
    own.get_by_role("button", name="Save credential").press("Enter")
    expect(own.get_by_text("Credential saved.")).to_be_visible()
    assert own.locator("#cookie").input_value() == ""
    own.keyboard.press("Escape")
    expect(own.get_by_role("button", name="Replace credential of At work")).to_be_focused()
    expect(card(own, "At work").locator("[data-state=ready]")).to_contain_text("chars")
    assert upstream.cookie() not in own.content()

    own.get_by_role("button", name="Rename At work").press("Enter")
    own.keyboard.type("The office")
    own.keyboard.press("Enter")
    expect(own.get_by_role("button", name="Rename The office")).to_be_focused()

    own.get_by_role("button", name="Delete The office").press("Enter")
    own.keyboard.type("At work")
    own.keyboard.press("Enter")
    expect(own.get_by_text("Type The office to delete this archive.")).to_be_visible()
    own.keyboard.press("Control+A")
    own.keyboard.type("The office")
    own.keyboard.press("Enter")
    expect(own.locator("#said")).to_contain_text("deleted with its data")
    expect(own.get_by_role("button", name="New archive")).to_be_focused()
    expect(own.locator("[data-archive-card]")).to_have_count(1)
    expect(own.locator(".archives-menu")).to_have_count(0)


def test_a_button_that_is_drawn_anew_keeps_the_focus(own: Page, second: int) -> None:
    own.goto("/archives")
    button = own.get_by_role("button", name="Replace credential of At work")
    button.press("Enter")
    held = HeldRequests(own, re.compile(r"/archives(\?.*)?$"))
    own.get_by_role("button", name="Test").press("Enter")
    answer = held.take()
    own.keyboard.press("Escape")
    expect(button).to_be_focused()
    before = button.element_handle()
    answer.continue_()
    held.release()
    until(own, lambda: not before.evaluate("button => button.isConnected"), "the cards were not drawn anew")
    expect(button).to_be_focused()


def test_a_new_archive_with_a_cookie_is_tested_at_once(own: Page, upstream: Simulator) -> None:
    own.goto("/archives")
    own.get_by_role("button", name="New archive").click()
    own.locator("#create-label").fill("At work")
    own.locator("#create-cookie").fill(upstream.cookie())
    own.get_by_role("button", name="Create archive").click()
    dialog = own.get_by_role("dialog", name="Credential of At work")
    expect(dialog.locator(".tested[data-outcome=fine]")).to_be_visible()
    dialog.get_by_role("button", name="Close").click()
    expect(card(own, "At work").locator("[data-state=ready]")).to_be_visible()


def test_an_archive_of_a_gateway_is_made_tested_collected_and_shown_in_its_own_words(
    browser: Browser, private_instance: Instance
) -> None:
    name = f"holder{next(_numbers)}"
    make_account(private_instance, name, is_admin=True)
    context = browser.new_context(base_url=private_instance.url)
    enter(context, private_instance, name)
    own = context.new_page()
    with Proxy(lambda: datetime.now(UTC), days=3, per_day=5) as proxy:
        proxy.calls.append(SpendCall("an-hour-ago", datetime.now(UTC) - timedelta(hours=1), 0.5))
        own.goto("/archives")
        own.get_by_role("button", name="New archive").click()
        expect(own.locator("#create-address")).to_be_hidden()
        own.locator("#create-kind").select_option("LiteLLM")
        expect(own.locator("#create-cookie")).to_be_hidden()
        own.locator("#create-label").fill("Gateway")
        own.locator("#create-address").fill("proxy")
        own.locator("#create-key").fill(proxy.key)
        own.get_by_role("button", name="Create archive").click()
        expect(own.locator("#create-address-error")).to_contain_text("An address has the form")
        own.locator("#create-address").fill(f"{proxy.base_url}/v1")
        own.get_by_role("button", name="Create archive").click()
        dialog = own.get_by_role("dialog", name="Credential of Gateway")
        expect(dialog.locator("[data-tested-key]")).to_contain_text("The credential works. It belongs to the user me")
        assert proxy.key not in own.content()
        # A test that comes too soon says so, and counts down; the address and the key go together.
        dialog.locator("[data-test-key]").click()
        expect(dialog.locator("[data-tested-key]")).to_contain_text("Done a moment ago")
        expect(dialog.locator("[data-test-key]")).to_have_attribute("aria-disabled", "true")
        save = dialog.get_by_role("button", name="Save credential")
        save.click()
        expect(dialog.locator("[data-form-done]")).to_have_text("Nothing was changed.")
        dialog.locator("#key-address").fill("https://elsewhere.example.org")
        save.click()
        expect(dialog.locator("#key-key-error")).to_have_text("Another address needs the credential again.")
        expect(dialog.locator("#key-key")).to_be_focused()
        dialog.get_by_role("button", name="Close").click()
        expect(card(own, "Gateway").locator("[data-state=ready]")).to_contain_text("chars")
        expect(card(own, "Gateway")).to_contain_text(proxy.base_url)

        own.get_by_role("link", name="Overview of Gateway").click()
        expect(own.locator("html")).to_have_attribute("data-unit", "USD (estimated)")
        # A month takes a minute, since a proxy is asked once a second.
        archive_id = own.locator("html").get_attribute("data-archive")
        today = own.request.get("/api/status").json()["server_time"][:10]
        send(own, f"/api/collect?archive={archive_id}", **{"from": today, "to": today})
        own.reload()
        expect(own.locator("[data-figure=credits]")).to_be_visible()
        expect(own.locator("#content")).to_contain_text("USD (estimated) per call")
        expect(own.locator("#content")).not_to_contain_text("redits")
        own.goto("/runs")
        expect(own.locator("#runs tbody tr")).to_have_count(1)
        expect(own.locator("#content")).not_to_contain_text("CodeBuddy")
    context.close()


def test_what_an_archive_of_bills_proves_is_chosen_on_its_card(own: Page) -> None:
    own.goto("/archives")
    for label, file_format in (("Calls", "cursor"), ("Bills", "openai")):
        send(own, "/api/archives", kind="file", label=label, format=file_format)
    own.reload()
    expect(card(own, "Bills")).to_contain_text("no archive")
    expect(card(own, "Calls").get_by_role("button", name="What Calls proves")).to_have_count(0)
    for chosen, shown in (("Calls", "Calls"), ("", "no archive")):
        own.get_by_role("button", name="What Bills proves").press("Enter")
        select = own.locator("#prove-proves")
        expect(select).to_be_focused()
        expect(select.locator("option")).to_have_text(["no archive", "Calls"])
        select.select_option(label=chosen or "no archive")
        own.get_by_role("dialog").get_by_role("button", name="Save").click()
        expect(own.locator("#said")).to_have_text("The archive is saved.")
        expect(card(own, "Bills").locator("dd", has_text=shown)).to_be_visible()
        expect(own.get_by_role("button", name="What Bills proves")).to_be_focused()


NAMES = (
    "Date,Kind,Model,Max Mode,Input (w/ Cache Write),Input (w/o Cache Write),Cache Read,Output Tokens,Total Tokens,Cost"
)
EVENTS = f"""{NAMES}
"2026-11-01T02:26:40.000Z","Usage-based","example-1","No","120","100","900","50","1070","0.50"
"2026-11-02T02:26:40.000Z","Usage-based","example-2","No","30","30","0","20","50","0.25"
"""


def test_a_list_with_tokens_has_them_and_is_narrowed_by_them(own: Page) -> None:
    own.goto("/records")
    files = send(own, "/api/archives", kind="file", label="Cursor")["id"]
    answer = own.request.post(
        f"/api/import?archive={files}",
        multipart={"file": {"name": "usage-events.csv", "mimeType": "text/csv", "buffer": EVENTS.encode()}},
        headers={"X-CSRF-Token": token_of(own.context)},
    )
    assert answer.ok, answer.text()
    own.goto(f"/records?archive={files}")
    expect(own.locator(".record-table td.tokens")).to_have_text(["50", "1,070"])
    own.locator("#more-filters summary").click()
    own.get_by_label("Tokens above").fill("100")
    own.get_by_label("Tokens above").press("Enter")
    expect(own.locator(".record-table td.tokens")).to_have_text(["1,070"])
    expect(own).to_have_url(re.compile("tokens_above=100"))
    own.goto(f"/records?archive={files}&tokens_above=2000")
    expect(own.locator("[data-empty]")).to_be_visible()


def test_what_is_refused_is_said_at_its_field_and_makes_nothing(own: Page, watch: Watch) -> None:
    watch.expect(400)
    own.goto("/archives")
    own.get_by_role("button", name="New archive").click()
    own.get_by_role("button", name="Create archive").click()
    expect(own.locator("#create-label")).to_be_focused()
    expect(own.locator("#create-label-error")).to_contain_text("An archive needs a name")
    own.locator("#create-label").fill("At work")
    own.locator("#create-agent").fill("\u00fc\u4e2d")
    own.get_by_role("button", name="Create archive").click()
    expect(own.locator("#create-cookie-error")).to_be_visible()
    own.keyboard.press("Escape")
    expect(own.locator("[data-archive-card]")).to_have_count(1)


def test_the_first_archive_cannot_be_deleted_and_says_why(own: Page, second: int) -> None:
    own.goto("/archives")
    expect(card(own, "CodeBuddy")).to_contain_text("It cannot be deleted")
    expect(card(own, "CodeBuddy").get_by_role("button", name="Delete")).to_have_count(0)
    expect(card(own, "At work").get_by_role("button", name="Delete")).to_be_visible()


def test_a_credential_is_cleared_after_a_question(own: Page, second: int) -> None:
    own.goto("/archives")
    clear = own.locator("#credential").get_by_role("button", name="Clear credential")
    question = own.get_by_role("dialog", name="Clear the credential of At work?")
    for answer in ("Cancel", "Clear credential"):
        expect(card(own, "At work").locator("[data-state=ready]")).to_be_attached()
        own.get_by_role("button", name="Replace credential of At work").click()
        clear.click()
        question.get_by_role("button", name=answer).click()
    expect(own.locator("#said")).to_have_text("Credential cleared.")
    expect(card(own, "At work")).to_contain_text("Nothing is collected until you set one.")
    button = own.get_by_role("button", name="Set credential of At work")
    expect(button).to_be_focused()
    button.click()
    expect(own.locator("#cookie")).to_be_visible()
    expect(clear).to_be_hidden()


def test_states_say_what_to_do(own: Page, second: int, instance: Instance) -> None:
    instance.sql("UPDATE accounts_setting SET value = 'x' WHERE user_id = ? AND key = 'cookie'", second)
    own.goto("/archives")
    expect(card(own, "At work").locator("[data-state=broken]")).to_contain_text("Set it again")
    own.get_by_role("button", name="Replace credential of At work").click()
    own.locator("#cookie").fill(COOKIE)
    own.get_by_role("button", name="Save credential").click()
    expect(card(own, "At work").locator("[data-state=ready]")).to_be_attached()


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("path", ["/", "/records?period=7", "/runs", "/import", "/statements/2026-09"])
def test_a_choice_keeps_the_page_and_names_the_archive_in_its_requests(path: str, own: Page, second: int) -> None:
    own.goto(path)
    quiet(own)
    assert set(requests_of(own)) == {""}
    before = own.url
    choose(own, "At work")
    expect(own.locator("html")).to_have_attribute("data-archive", str(second))
    expect(own.locator(".archive-label")).to_have_text("At work")
    quiet(own)
    assert own.url == before
    assert set(requests_of(own)) == {str(second)}

    own.reload()
    expect(own.locator(".archive-label")).to_have_text("At work")
    choose(own, "CodeBuddy")
    expect(own.locator(".archive-label")).to_have_text("CodeBuddy")
    quiet(own)
    assert set(requests_of(own)) == {""}
    assert [cookie for cookie in own.context.cookies() if cookie.get("name") == "archive"] == []


def test_all_archives_leads_to_their_page(own: Page, second: int) -> None:
    own.goto("/records")
    choose(own, "All archives")
    expect(own.get_by_role("heading", level=1)).to_have_text("Archives")
    card(own, "At work").get_by_role("link", name="Overview of At work").click()
    expect(own.locator(".archive-label")).to_have_text("At work")
    # The scripts keep the choice, and the label is there before them.
    quiet(own)
    own.goto("/runs")
    expect(own.locator(".archive-label")).to_have_text("At work")


def test_two_tabs_stay_with_their_archives(own: Page, second: int) -> None:
    own.goto("/archives")
    other = own.context.new_page()
    other.goto(f"/runs?archive={second}")
    expect(other.locator(".archive-label")).to_have_text("At work")
    # What the first tab reads again is of its own archive, whatever was chosen since.
    own.get_by_role("button", name="Rename CodeBuddy").click()
    own.locator("#rename-label").fill("Mine")
    own.keyboard.press("Enter")
    expect(card(own, "Mine")).to_have_attribute("data-shown", "")
    expect(own.locator(".archive-label")).to_have_text("Mine")
    own.evaluate("window.dispatchEvent(new Event('focus'))")
    own.get_by_role("link", name="Records").first.click()
    expect(own.locator(".archive-label")).to_have_text("Mine")
    quiet(own)
    other.evaluate("window.dispatchEvent(new Event('focus'))")
    # A tab may be loaded only after another one came to the front.
    own.evaluate("window.dispatchEvent(new Event('pageshow'))")
    other.get_by_role("link", name="Records").first.click()
    expect(other.locator(".archive-label")).to_have_text("At work")
    other.close()


def test_the_credential_of_a_further_archive_is_set_on_the_page(own: Page, second: int) -> None:
    send(own, f"/api/archives/{second}", credential=None)
    own.goto(f"/?archive={second}")
    expect(own.get_by_role("link", name="Set cookie")).to_have_attribute("href", f"/archives#archive-{second}")
    expect(own.locator("#first-steps")).to_contain_text("This archive is empty.")
    own.locator("#first-steps").get_by_role("link").click()
    expect(own.locator(f"#archive-{second}")).to_be_in_viewport()
    own.goto("/config")
    expect(own.get_by_role("link", name="Open archives").last).to_have_attribute("href", f"/archives#archive-{second}")
    expect(own.locator("#cookie-form")).to_have_count(0)
    own.get_by_role("button", name="Recount").click()
    expect(own.locator("#maintenance [data-said][data-kind=done]")).to_be_visible()


def test_the_collection_is_of_all_archives_and_the_export_of_the_shown_one(
    own: Page, second: int, upstream: Simulator, instance: Instance
) -> None:
    send(own, f"/api/archives/{second}", credential={"cookie": upstream.cookie()})
    [(first,)] = instance.sql("SELECT user_id FROM accounts_archive WHERE id = ?", second)
    send(own, f"/api/archives/{first}", credential={"cookie": upstream.cookie()})
    own.goto(f"/records?archive={second}")
    own.get_by_role("button", name="Collect", exact=True).click()
    expect(own.locator("#run")).to_have_attribute("data-outcome", "ok")
    query = "SELECT user_id FROM collection_run WHERE user_id IN (?, ?) AND status = 'ok' ORDER BY id"
    until(own, lambda: instance.sql(query, first, second) == [(second,), (first,)], "the runs of both archives")
    own.reload()
    own.locator("#export summary").click()
    expect(own.locator("#export [data-save]")).to_have_attribute(
        "href", re.compile(rf"^/records/export\?.*archive={second}$")
    )
    own.goto("/runs")
    own.locator("main a[href*='/runs/']").first.click()
    expect(own.locator("[data-fact=outcome]")).not_to_be_empty()
    # The page of a run is left for the runs of the other archive.
    choose(own, "CodeBuddy")
    expect(own).to_have_url(re.compile("/runs$"))


def test_a_deleted_archive_that_was_shown_leads_to_the_first(own: Page, second: int) -> None:
    own.goto(f"/archives?archive={second}")
    own.get_by_role("button", name="Delete At work").click()
    own.locator("#delete-label").fill("At work")
    own.get_by_role("button", name="Delete archive").click()
    expect(own.locator("[data-archive-card]")).to_have_count(1)
    expect(own).to_have_url(re.compile("/archives$"))


@pytest.mark.thorough
def test_a_rate_converts_what_an_archive_came_to_and_can_be_removed(own: Page, second: int, watch: Watch) -> None:
    watch.expect(400)
    own.goto("/archives")
    month = own.locator("#sums-title").inner_text().removeprefix("Month ")
    file = f"request_id,credits,model,client,time,prompt\na,125,glm,ide,{month}-01 00:00:01,x\n"
    answer = own.request.post(
        f"/api/import?archive={second}",
        multipart={"file": {"name": "calls.csv", "mimeType": "text/csv", "buffer": file.encode()}},
        headers={"X-CSRF-Token": token_of(own.context)},
    )
    assert answer.ok, answer.text()
    own.goto("/archives")
    row = own.locator(".sums tbody:not(.of-all) tr").filter(has_text="At work")
    expect(row).to_contain_text("125.00")
    expect(own.locator(".sums .of-all tr")).to_have_count(1)
    own.get_by_role("button", name="Rate of At work").click()
    own.locator("#rate-amount").fill("nothing")
    own.keyboard.press("Enter")
    expect(own.locator("#rate-amount-error")).to_contain_text("has at most 12 decimals")
    own.locator("#rate-amount").fill("0.01")
    own.keyboard.press("Enter")
    expect(own.get_by_role("button", name="Rate of At work")).to_be_focused()
    expect(row).to_contain_text("≈ 1.25 USD")
    expect(card(own, "At work")).to_contain_text("1 is about 0.01 USD")
    expect(own.locator(".sums .of-all tr").last).to_contain_text("without CodeBuddy")
    assert faults(own) == {}
    assert [overflow(own, width) for width in (320, 740, 900)] == [0] * 3
    own.get_by_role("button", name="Rate of At work").click()
    expect(own.locator("#rate-amount")).to_have_value("0.01")
    own.locator("#rate-amount").fill("")
    own.keyboard.press("Enter")
    expect(row).not_to_contain_text("USD")
    own.get_by_role("link", name="Before").click()
    expect(row).not_to_contain_text("125.00")


def test_a_choice_that_is_left_behind_is_forgotten(own: Page, watch: Watch) -> None:
    own.context.add_cookies([{"name": "archive", "value": "4294999999", "url": watch.origin}])
    own.goto("/records")
    expect(own.locator("html")).not_to_have_attribute("data-archive", re.compile(""))
    assert [cookie for cookie in own.context.cookies() if cookie.get("name") == "archive"] == []


def test_the_palette_finds_archives_and_their_page(own: Page, second: int) -> None:
    own.goto("/")
    own.keyboard.press("Control+K")
    own.keyboard.type("At work")
    own.keyboard.press("Enter")
    expect(own.locator(".archive-label")).to_have_text("At work")


@pytest.mark.thorough
def test_one_and_many_archives_have_no_faults(own: Page, second: int) -> None:
    for number in range(3):
        send(own, "/api/archives", kind="codebuddy", label=f"{number} {'A very long name of an archive ' * 2}"[:60])
    own.goto(f"/archives?archive={second}")
    assert faults(own) == {}
    assert [overflow(own, width) for width in (320, 740, 800, 900)] == [0] * 4
    own.set_viewport_size({"width": 1280, "height": 900})
    own.locator(".archives-menu summary").click()
    assert violations(own, "header") == {}
    own.keyboard.press("Escape")
    for opener in (
        "#new-archive",
        *(f"#archive-{second} [data-act={act}]" for act in ("credential", "rate", "delete")),
    ):
        own.locator(opener).click()
        assert violations(own, MODAL) == {}
        own.set_viewport_size({"width": NARROW, "height": 900})
        box = own.locator(MODAL).bounding_box()
        assert box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= NARROW
        own.set_viewport_size({"width": 1280, "height": 900})
        own.keyboard.press("Escape")


def test_a_token_is_saved_beside_the_cookie_and_removed(own: Page, watch: Watch) -> None:
    watch.expect(400)
    own.goto("/archives")
    expect(own.locator("#banner")).to_contain_text("No cookie is set")
    button = own.get_by_role("button", name="Token of CodeBuddy")
    button.click()
    own.locator("#token-token").fill("short")
    own.get_by_role("button", name="Save token").click()
    expect(own.locator("#token-token-error")).to_contain_text("16 to 8,000 letters")
    own.locator("#token-user").fill("somebody")
    own.locator("#token-token").fill("x" * 40)
    own.get_by_role("button", name="Save token").click()
    expect(own.locator("#said")).to_have_text("Token saved.")
    expect(card(own, "CodeBuddy")).to_contain_text("a token")
    own.reload()
    expect(own.locator("#banner")).to_be_hidden()
    expect(own.locator("#collect")).to_be_visible()
    button.click()
    expect(own.locator("#token-token")).to_have_value("")
    own.get_by_role("button", name="Save token").click()
    expect(own.locator("#said")).to_have_text("Token removed.")
    expect(card(own, "CodeBuddy").locator("[data-state=no_credential]")).to_be_visible()
