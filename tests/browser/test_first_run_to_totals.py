"""The main job in a real browser, from the first-run link to the records, and what a person sees when it fails."""

import json
import re
import time

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.browser.accounts import enter, make_account
from tests.browser.running_instance import Instance
from tests.browser.settled import answered, arrived
from tests.browser.visits import Watch, make_administrator, sign_in
from tests.browser.waiting import until

AGENT = "Mozilla/5.0 (X11; Linux x86_64) Test/1.0"


def paste(page: Page, text: str) -> None:
    page.locator("#cookie").fill(text)
    page.get_by_role("button", name="Save cookie").click()


def collect(page: Page) -> None:
    """Press the button once the workers, which start beside the web server, are there."""
    running = "async () => (await (await fetch('/api/status')).json()).scheduler.running"
    until(page, lambda: page.evaluate(running), "the workers are not there", pause=0.5)
    page.get_by_role("button", name=re.compile("^Collect")).click()


def outcome(page: Page) -> Locator:
    """The progress panel, once the collection has ended."""
    expect(page.get_by_role("button", name="Close")).to_be_visible()
    return page.locator("#run")


@pytest.mark.landing
def test_a_stranger_gets_from_the_first_run_link_to_the_records(
    fresh_page: Page, fresh_instance: Instance, upstream: Simulator
) -> None:
    page = fresh_page
    make_administrator(page, fresh_instance)
    expect(page.get_by_role("heading", name="First steps")).to_be_visible()
    paste(page, f"curl '{upstream.base_url}{upstream.path}' -H 'Cookie: {upstream.cookie()}' -H 'User-Agent: {AGENT}'")
    expect(page.get_by_text("Your cookie is set")).to_be_visible()
    collect(page)
    expect(outcome(page)).to_contain_text(re.compile(r"Collected: \d+ new"))
    calls = f"{len(upstream.rows()):,}"
    expect(page.locator("[data-part=figures] [data-figure=calls]")).to_have_text(calls)
    expect(page.locator(".top li")).to_have_count(10)
    expect(page.get_by_role("heading", name="First steps")).to_be_hidden()


@pytest.mark.landing
def test_the_settings_page_takes_a_cookie_and_never_shows_it(page: Page, upstream: Simulator) -> None:
    page.goto("/config")
    cookie = upstream.cookie()
    paste(page, cookie)
    expect(page.locator("#cookie-state")).to_have_text(f"set, {len(cookie)} chars, ...{cookie[-4:]}")
    expect(page.locator("#cookie")).to_have_value("")
    page.reload()
    assert cookie not in page.content()


@pytest.mark.landing
def test_a_cookie_is_cleared_only_after_a_question(page: Page, upstream: Simulator) -> None:
    page.goto("/config")
    paste(page, upstream.cookie())
    page.get_by_role("button", name="Clear", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#cookie-state")).to_contain_text("set,")
    page.get_by_role("button", name="Clear", exact=True).click()
    page.get_by_role("button", name="Clear cookie").click()
    expect(page.locator("#cookie-state")).to_have_text("not set")


@pytest.mark.landing
def test_a_paste_without_a_cookie_is_said_beside_the_field(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/config")
    paste(page, "curl 'https://www.example.com/' -A agent")
    expect(page.locator("#cookie-error")).to_contain_text("The cookie is missing in the pasted text")
    expect(page.locator("#cookie-error")).to_contain_text("cookies.txt")


@pytest.mark.landing
def test_a_stored_cookie_is_said_to_be_stored_where_the_settings_cannot_be_read(
    page: Page, upstream: Simulator, watch: Watch
) -> None:
    watch.expect(500)
    page.goto("/config")
    page.route(
        "**/api/settings",
        lambda route: route.fallback() if route.request.method == "POST" else route.fulfill(status=500, body="{}"),
    )
    paste(page, upstream.cookie())
    expect(page.locator("[data-cookie-done]")).to_contain_text("saved")
    expect(page.locator("#cookie-error")).to_contain_text("500")


@pytest.mark.thorough_after(2)
@pytest.mark.landing
@pytest.mark.parametrize(
    ("slip", "words"),
    [
        ('fetch("https://www.example.com/?a=1")', "The cookie is missing in the pasted text"),
        ('{"code": 0}', "The cookie is missing in the pasted text"),
        ("https://x.example/?a=b", "This is not a cookie"),
        ("<title>a=b</title>", "This is not a cookie"),
        ("hello", "This is not a cookie"),
    ],
)
def test_what_cannot_be_a_cookie_takes_the_place_of_none(
    page: Page, upstream: Simulator, watch: Watch, slip: str, words: str
) -> None:
    watch.expect(400)
    page.goto("/config")
    paste(page, upstream.cookie())
    # Settings are saved one after the other.
    expect(page.locator("[data-cookie-done]")).to_contain_text("saved")
    paste(page, slip)
    expect(page.locator("#cookie-error")).to_contain_text(words)
    page.reload()
    expect(page.locator("#cookie-state")).to_contain_text(upstream.cookie()[-4:])


@pytest.mark.landing
def test_a_doubtful_cookie_is_stored_and_warned_about_until_a_good_one_follows(page: Page, upstream: Simulator) -> None:
    page.goto("/config")
    warnings = page.locator("[data-cookie-warnings]")
    # The value alone, as the table of cookies in the developer tools shows it.
    paste(page, "5f2|1790000000|0123abcd")
    expect(warnings).to_contain_text("The cookie has no session=")
    expect(page.locator("[data-cookie-done]")).to_contain_text("saved")
    paste(page, json.dumps([{"name": name, "value": "5f2"} for name in ("session", "session_2")]))
    expect(page.locator("#cookie-state")).to_contain_text("26 chars, ...=5f2")
    expect(warnings).to_be_empty()


@pytest.mark.landing
def test_a_bad_setting_is_said_at_its_field_and_the_good_one_is_kept(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/config/instance")
    group = page.locator("form", has=page.locator("[name=page_size]"))
    group.locator("[name=page_size]").fill("5")
    group.locator("[name=timeout]").fill("045")
    group.get_by_role("button", name="Save").click()
    expect(page.locator("#page_size-error")).to_have_text("Must be a whole number from 20 to 1000.")
    expect(group.locator("[name=timeout]")).to_have_value("45")
    page.reload()
    expect(page.locator("[name=timeout]")).to_have_value("45")
    expect(page.locator("[name=page_size]")).to_have_value("200")


@pytest.mark.landing
@pytest.mark.own_context
def test_the_times_of_the_schedule_are_added_and_taken_away_by_keyboard(page: Page) -> None:
    page.clock.install()
    page.goto("/config/instance")
    form = page.locator("form", has=page.locator("[name=schedule_times]"))
    chips, field, next_runs = (
        form.locator("[data-time] span"),
        form.get_by_role("textbox", name="Times", exact=True),
        page.locator("#next-runs"),
    )
    expect(chips).to_have_text(["08:00", "12:30", "18:00", "23:50"])
    expect(next_runs).to_contain_text("Next runs: ")
    assert len(re.findall(r"\d\d:\d\d", next_runs.inner_text())) == 3
    field.fill("12:30")
    page.keyboard.press("Enter")
    expect(page.locator("#schedule_times-error")).to_have_text("12:30 is already in the list.")
    field.fill("07:05")
    page.keyboard.press("Enter")
    expect(chips).to_have_text(["07:05", "08:00", "12:30", "18:00", "23:50"])
    expect(page.locator("#schedule_times-error")).to_be_hidden()
    for gone in ("08:00", "12:30", "18:00", "23:50"):
        form.get_by_role("button", name=f"Remove {gone}").press("Enter")
    expect(next_runs).to_have_text(re.compile(r"Next runs: \S+ 07:05, \S+ 07:05, \d{4}-\d\d-\d\d 07:05\."))
    form.get_by_label("Collect by schedule").uncheck()
    expect(next_runs).to_contain_text("Off: nothing is collected")
    form.get_by_label("Collect by schedule").check()
    # The text in the field counts, too.
    field.fill("21:30")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_text("Saved.")).to_be_visible()
    expect(chips).to_have_text(["07:05", "21:30"])
    for gone in ("07:05", "21:30"):
        form.get_by_role("button", name=f"Remove {gone}").click()
    expect(next_runs).to_contain_text("returns to the default times")
    form.get_by_role("button", name="Save").click()
    expect(chips).to_have_text(["08:00", "12:30", "18:00", "23:50"])


@pytest.mark.landing
def test_a_refused_cookie_is_said_in_words_with_what_to_do(page: Page, instance: Instance, watch: Watch) -> None:
    make_account(instance, "refused")
    enter(page.context, instance, "refused")
    page.goto("/")
    paste(page, "session=nobody|1|2")
    collect(page)
    expect(outcome(page)).to_contain_text("Collection failed")
    expect(page.locator("#run").get_by_role("link")).to_have_attribute("href", "/config")
    # The banner has the message once the panel does not.
    expect(page.locator("#banner")).to_be_hidden()
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#banner")).to_contain_text("The last collection failed")
    watch.expect(429)
    collect(page)
    # The wait is counted on the button; that is no failure.
    expect(page.get_by_role("button", name=re.compile(r"^Collect now \(\d+ s\)$"))).to_be_visible()
    expect(page.locator("#run")).to_be_hidden()


def edit_agent(page: Page) -> Locator:
    """The form of the User-Agent, with something new typed into it."""
    page.goto("/config")
    page.locator("[name=user_agent]").fill(f"{AGENT} {time.time()}")
    return page.locator("form", has=page.locator("[name=user_agent]"))


@pytest.mark.landing
@pytest.mark.own_context
def test_a_page_that_stays_open_shows_a_run_that_the_schedule_began(page: Page) -> None:
    failed = {
        "id": 999, "trigger": "schedule", "status": "failed", "exit_code": 4, "message": "",
        "started_at": "2026-09-08 23:50:00", "finished_at": "2026-09-08 23:50:01", "fetched": 0, "added": 0, "dup": 0,
    }  # fmt: skip

    def answer(route: Route) -> None:
        route.fulfill(json={**route.fetch().json(), "cookie_set": True, "cookie_broken": False, "last_run": failed})

    page.clock.install()
    page.goto("/records")
    answered(page)
    page.route("**/api/status", answer)
    page.clock.fast_forward(61_000)
    expect(page.locator("#last-run")).to_contain_text("Collection failed")
    expect(page.locator("#banner")).to_contain_text("your cookie has expired")


@pytest.mark.thorough
@pytest.mark.parametrize("lost", ["archive_session", re.compile("archive_.*")])
def test_a_session_that_ended_meanwhile_is_taken_up_again(
    lost: str | re.Pattern[str], page: Page, instance: Instance, watch: Watch
) -> None:
    watch.expect(400, 401)
    form = edit_agent(page)
    page.context.clear_cookies(name=lost)
    form.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", name="You are signed out")).to_be_visible()
    with page.expect_popup() as popup:
        page.get_by_role("link", name="Sign in").click()
    sign_in(popup.value, instance)
    page.get_by_role("button", name="I am signed in again").click()
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_text("Saved.")).to_be_visible()


@pytest.mark.landing
def test_a_token_of_an_earlier_session_is_renewed_unseen(page: Page, watch: Watch) -> None:
    watch.expect(400)
    form = edit_agent(page)
    page.context.clear_cookies(name="archive_csrf")
    form.get_by_role("button", name="Save").click()
    expect(form.get_by_text("Saved.")).to_be_visible()


@pytest.mark.landing
def test_a_form_that_is_refused_for_what_it_says_is_sent_once(page: Page, watch: Watch) -> None:
    watch.expect(400)
    page.goto("/profile")
    form = page.locator("form#about")
    form.locator("#email").fill("not an address")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    form.get_by_role("button", name="Save").click()
    expect(form.locator("[role=alert]:visible")).not_to_be_empty()
    assert sent == ["POST"]


@pytest.mark.thorough
@pytest.mark.parametrize("path", ["/", "/config", "/config/instance", "/profile", "/users", "/nowhere"])
def test_no_page_scrolls_sideways(path: str, page: Page, watch: Watch) -> None:
    watch.expect(404)
    for width in (320, 710, 2560):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.landing
def test_signing_out_leads_to_the_sign_in_page(page: Page, instance: Instance) -> None:
    page.goto("/users")
    page.locator(".menu summary").click()
    page.get_by_role("button", name="Sign out").click()
    arrived(page, instance.url + "/login")
