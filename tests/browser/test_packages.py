"""What is left of packages of credits: the card of the overview, and their page."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accounts import enter
from tests.browser.page_faults import faults
from tests.browser.running_instance import Instance
from tests.browser.settled import answered
from tests.browser.visits import Watch

pytestmark = pytest.mark.landing

HOLDER = "holder-of-packages"
# Ten credits on each of the last 30 days. Of the packages one ends unused soon, one was changed, and one has ended.
PACKAGES = f"""
from datetime import timedelta
from archive_site.lib import clock
from tests.factories import make_user
from tests.usage.record_factories import archive, call
from usage.models import Order
from usage.packages import stored_packages
from usage.packages.package import Key, Kind, Packages, SeenPackage, State

holder, now = make_user("{HOLDER}"), clock.now()
today = clock.local_day(now)
archive(holder, *[call(f"c{{n}}", ts=f"{{today - timedelta(days=n)}} 12:00:00", credits=10) for n in range(1, 31)])

def package(name, kind, size, left, days):
    ends = now + timedelta(days=days)
    parts = [credits * 10**6 for credits in (size, left, size - left)]
    return SeenPackage(Key(name), name, name, kind, *parts, now - timedelta(days=9), ends, State.VALID)

for left, size in ((300, 400), (270, 400), (240, 340)):
    at = now - timedelta(minutes=left)
    packages = [
        package("Welcome gift", Kind.GIFT, 200, 190, 5),
        package("Extra credits", Kind.ADD_ON, size, left, 200),
        package("Spring gift", Kind.GIFT, 50, 20, -3),
    ]
    stored_packages.store(holder.pk, Packages(packages, (), 0, at))
Order.objects.create(
    archive_id=holder.pk, order_id="o1", paid_at=now - timedelta(days=9, minutes=3), amount=40_500_000, currency="CNY",
    what="sp_sim_pack",
)
"""


@pytest.fixture(scope="module")
def holder(instance: Instance) -> str:
    instance.manage("shell", "-c", PACKAGES)
    return HOLDER


@pytest.fixture
def own(page: Page, instance: Instance, holder: str) -> Page:
    enter(page.context, instance, holder)
    return page


def test_the_overview_says_what_is_left_and_leads_to_the_packages(own: Page) -> None:
    own.goto("/")
    card = own.locator("[data-part=packages]")
    expect(card.locator("[data-left]")).to_have_text("430.00")
    words = card.locator("[data-words]")
    expect(words).to_contain_text("190.00 of them end on ")
    expect(words).to_contain_text("will be unused on ")
    card.get_by_role("link", name="Packages").click()
    expect(own.get_by_role("heading", level=1)).to_have_text("Packages")


def test_the_page_has_each_package_with_its_course(own: Page) -> None:
    own.goto("/packages")
    rows = own.locator("table.packages").first.locator("tbody > tr")
    expect(rows.locator("th > [translate=no]")).to_have_text(["Welcome gift", "Extra credits"])
    expect(rows.first).to_contain_text("will probably be unused")
    expect(rows.nth(1)).to_contain_text("CodeBuddy changed it itself")
    rows.nth(1).locator("summary").click()
    expect(rows.nth(1).locator(".readings tbody tr")).to_have_count(3)
    expect(own.get_by_text("Spring gift")).to_be_visible()
    expect(rows.nth(1).locator("th").first).to_contain_text("40.50 CNY · 0.1191 CNY for one credit")
    expect(own.locator("section", has=own.get_by_role("heading", name="Orders"))).to_contain_text("40.50 CNY")
    expect(own.locator("section", has=own.get_by_role("heading", name="Price of a credit"))).to_contain_text("0.1191")
    expect(own.locator("section", has=own.get_by_role("heading", name="Lost")).locator("tbody tr")).to_have_count(1)
    expect(rows.nth(1).locator("polyline")).to_have_attribute("points", re.compile(r"^0\.0,6\.0 .*100\.0,"))
    assert faults(own) == {}


def test_without_packages_there_is_no_card(reader: Page) -> None:
    answered_by = []
    reader.on("response", lambda response: answered_by.append(response.url))
    reader.goto("/")
    answered(reader)
    assert any("/api/packages" in url for url in answered_by)
    expect(reader.locator("[data-part=packages]")).to_be_hidden()


def test_a_failure_can_be_tried_again(own: Page, watch: Watch) -> None:
    watch.allowed = {503}
    own.route("**/api/packages", lambda route: route.fulfill(status=503, json={"message": "Not now."}))
    own.goto("/")
    card = own.locator("[data-part=packages]")
    expect(card.locator("[data-failed-text]")).to_have_text("Not now.")
    own.unroute_all(behavior="ignoreErrors")
    card.get_by_role("button", name="Try again").click()
    expect(card.locator("[data-left]")).to_have_text("430.00")
    expect(card.locator("[data-failed]")).to_be_hidden()


def test_the_newest_price_of_a_credit_may_be_the_rate_of_the_archive(own: Page) -> None:
    own.goto("/packages")
    prices = own.locator("section", has=own.get_by_role("heading", name="Price of a credit"))
    take = prices.get_by_role("button", name="Take the newest price as rate")
    take.click()
    expect(prices.get_by_text("The overview shows amounts by this rate, too.")).to_be_visible()
    own.goto("/?period=30")
    expect(own.locator("[data-figure=credits]")).to_have_text("290.00")
    expect(own.locator("[data-worth]")).to_have_text("≈ 34.54 CNY, estimated")
    own.goto("/packages")
    expect(prices).to_contain_text("at 0.119118 CNY")
    expect(take).to_have_count(0)
