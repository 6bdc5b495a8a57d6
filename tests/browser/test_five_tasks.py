"""What people come for, in as few clicks as it may take, and with the keyboard alone."""

import re
from collections.abc import Callable
from datetime import date, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.accounts import enter
from tests.browser.overview_page import part
from tests.browser.running_instance import Instance
from tests.browser.test_cookie_end import cookie
from tests.browser.visits import send

pytestmark = pytest.mark.landing
NAME = "busy-reader"
# Four calls on each of a hundred days, of two models; the last one is the most expensive. A day of last week was read
# and lacks a call.
ARCHIVE = f"""
from datetime import timedelta
from archive_site.lib import clock
from tests.factories import make_user
from tests.usage.record_factories import archive, call
from usage.models import CoverageDay

today, reader = clock.today(), make_user("{NAME}")
archive(reader, *(
    call(f"t{{back}}-{{n}}", ts=f"{{today - timedelta(days=back)}} {{n:02}}:30:00", credits=1 + n + (back % 7) / 4,
         model=("glm", "kimi")[n % 2], prompt=f"Question {{n}} of {{today - timedelta(days=back)}}")
    for back in range(100) for n in range(4)
))
for back in range(1, 100):
    CoverageDay.objects.create(
        archive_id=reader.pk, day=f"{{today - timedelta(days=back)}}", checked_at=clock.now(), empty=0,
        upstream=5 if back == 5 else 4, settled_at=None if back == 5 else clock.now(),
    )
print(today)
"""
# The page counts clicks and presses of Enter itself, over all pages of the tab.
COUNT = """
for (const name of ["pointerdown", "keydown"]) addEventListener(name, ({ key = "Enter" }) => {
  if (key === "Enter") sessionStorage.setItem("clicks", String(1 + Number(sessionStorage.getItem("clicks") ?? 0)));
}, true);
"""
# From one press to the next; the way to the budgets takes 38.
MOST_TABS = 45

Use = Callable[[Locator], None]


@pytest.fixture(scope="module")
def today(instance: Instance) -> date:
    return date.fromisoformat(instance.manage("shell", "-c", ARCHIVE).split()[-1])


@pytest.fixture
def overview(page: Page, instance: Instance, today: date) -> Page:
    page.add_init_script(COUNT)
    enter(page.context, instance, NAME)
    page.goto("/")
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    return page


@pytest.fixture(params=[False, True], ids=["pointer", "keyboard"])
def by_keyboard(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture
def reach(by_keyboard: bool, page: Page) -> Use:
    """How the focus comes to a field, button or link: by a click, which also presses it, or by the key Tab."""

    def by_tab(element: Locator) -> None:
        expect(element).to_be_visible()
        for _ in range(MOST_TABS):
            page.keyboard.press("Tab")
            if element.evaluate("(element) => element === document.activeElement"):
                return
        raise AssertionError(f"{element} is not reached by the key Tab")

    return by_tab if by_keyboard else lambda element: element.click()


@pytest.fixture
def use(by_keyboard: bool, page: Page, reach: Use) -> Use:
    """How a button or link is pressed."""

    def press(element: Locator) -> None:
        reach(element)
        if by_keyboard:
            page.keyboard.press("Enter")

    return press


def clicks(page: Page) -> int:
    """How often something was clicked, or pressed with the key Enter."""
    return int(page.evaluate("sessionStorage.getItem('clicks') ?? 0"))


def choose(page: Page, use: Use, period: str) -> None:
    use(page.locator("#period summary"))
    use(page.locator("#period").get_by_role("button", name=period, exact=True))
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)


def test_the_dearest_prompt_of_yesterday(overview: Page, use: Use, today: date) -> None:
    choose(overview, use, "Yesterday")
    expect(part(overview, "top").locator("li").first).to_contain_text(f"Question 3 of {today - timedelta(days=1)}")
    assert clicks(overview) == 2


def test_a_model_in_the_last_month_and_in_the_month_before(overview: Page, use: Use, today: date) -> None:
    use(part(overview, "models").get_by_role("button", name="kimi", exact=True))
    choose(overview, use, "Last month")
    end = today.replace(day=1) - timedelta(days=1)
    for figure, last in (
        ("[data-figure=credits]", end),
        ("[data-was=credits]", end.replace(day=1) - timedelta(days=1)),
    ):
        asked: dict[str, str | float | bool] = {"model": "kimi", "from": f"{last.replace(day=1)}", "to": f"{last}"}
        credits = overview.request.get("/api/summary", params=asked).json()["credits"]
        assert credits > 0
        expect(part(overview, "figures").locator(figure)).to_contain_text(f"{credits:,.2f}")
    assert clicks(overview) == 3


def test_whether_a_day_is_missing(overview: Page, today: date) -> None:
    expect(part(overview, "figures").locator("[data-seal]")).to_have_text("1 day is not complete")
    assert clicks(overview) == 0


def test_when_the_cookie_ends(overview: Page, use: Use) -> None:
    send(overview, "/api/settings", cookie=cookie(timedelta(days=9)))
    overview.reload()
    use(overview.locator(".bar .menu summary"))
    expect(overview.get_by_role("link", name="Cookie ends on")).to_have_text(
        re.compile(r"Cookie\s+ends on \d{4}-\d\d-\d\d \d\d:\d\d")
    )
    assert clicks(overview) == 1


def test_a_budget_of_a_month_with_a_notice_to_an_address(
    overview: Page, use: Use, reach: Use, by_keyboard: bool
) -> None:
    try:
        use(part(overview, "budgets").get_by_role("button", name="Set a budget"))
        dialog = overview.get_by_role("dialog")
        expect(dialog.get_by_label("Credits")).to_be_focused()
        overview.keyboard.type("6000")
        use(dialog.get_by_role("button", name="Save"))
        expect(part(overview, "budgets").locator("li.budget")).to_contain_text("This month")
        use(part(overview, "budgets").get_by_role("link", name="Add an address"))
        reach(overview.get_by_label("Address", exact=True))
        overview.keyboard.insert_text("https://1.1.1.1/hook")
        use(overview.get_by_role("button", name="Add", exact=True))
        expect(overview.locator(".receivers li")).to_contain_text("https://1.1.1.1/…")
        # A click into the field of the address is none with the keyboard.
        assert clicks(overview) == (4 if by_keyboard else 5)
        assert overview.request.get("/api/notices").json()["events"]["budget"] is True
    finally:
        send(overview, "/api/notices", addresses=[])
        for item in overview.request.get("/api/budgets").json()["items"]:
            send(overview, f"/api/budgets/{item['id']}/delete")
