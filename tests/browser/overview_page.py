"""An archive for the overview, and its parts in the page."""

from playwright.sync_api import Locator, Page, expect

READER = "overview-reader"
# Twelve calls on each of the last 41 days and on some days of long ago, of eleven models; a quarter are free. Five of
# the twelve are for each of two purposes, two for none.
# About a year ago a few days were read that have no calls.
# And 700 days ago one call of each of four models that nobody has used since, which cost more than those.
ARCHIVE = f"""
from datetime import timedelta
from archive_site.lib import clock
from tests.factories import make_user
from tests.usage.record_factories import archive, call
from usage.models import CoverageDay

today, reader = clock.today(), make_user("{READER}")
archive(reader, *(
    call(f"r{{back}}-{{n}}", ts=f"{{today - timedelta(days=back)}} {{n:02}}:30:00", credits=n % 4,
         model=f"model-{{n % 11}}", client=("ide", "cli", "")[n % 3], prompt=f"Prompt {{n}} of {{back}} days ago",
         agent_purpose=("chat", "subagent:explore", "")[n // 5])
    for back in (*range(41), 150, 300, 800) for n in range(12)
), *(
    call(f"old-{{n}}", ts=f"{{today - timedelta(days=700)}} 09:30:00", credits=9 + n, model=f"old-{{n}}", client="ide",
         prompt="Prompt of long ago") for n in range(4)
))
for back in range(364, 369):
    CoverageDay.objects.create(
        archive_id=reader.pk, day=f"{{today - timedelta(days=back)}}", checked_at=clock.now(), empty=0, upstream=0,
    )
print(today)
"""
PER_DAY, DAYS_WITH_CALLS, OLD = 12, 44, 4


def calls(page: Page) -> Locator:
    return page.locator("[data-figure=calls]")


def part(page: Page, name: str) -> Locator:
    return page.locator(f"[data-part={name}]")


FIRST_TAB, SECOND_TAB = "Days and models", "Hours, year and purposes"


def open_tab(page: Page, name: str = SECOND_TAB) -> None:
    """Opens a tab, usually that with the hours, the year and the purposes."""
    page.get_by_role("tab", name=name).click()
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)


def open_period(page: Page) -> Locator:
    """The menu of the period, opened."""
    menu = page.locator("#period")
    if not menu.evaluate("menu => menu.open"):
        menu.locator("summary").click()
    return menu


def choose_period(page: Page, name: str) -> None:
    open_period(page).get_by_role("button", name=name, exact=True).click()


def open_table(card: Locator) -> Locator:
    """The table of a chart, opened by keyboard from the menu of its card."""
    card.locator(".card-menu summary").press("Enter")
    card.get_by_role("button", name="View as table").press("Enter")
    return card.locator(".as-table")


def shown(page: Page, query: str) -> Page:
    """The overview under these parameters, once it is complete."""
    page.goto(f"/?{query}")
    expect(page.locator("main [aria-busy=true]:visible")).to_have_count(0)
    return page
