"""What daily sums prove of days, in a real browser: the seal, and the ledger with what differs."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accounts import enter
from tests.browser.ledger_page import strip
from tests.browser.page_faults import faults, overflow
from tests.browser.running_instance import Instance
from tests.browser.settled import quiet

pytestmark = pytest.mark.landing

HOLDER = "holder-of-bills"
# As days ago: each of the last eight days has three calls and is read; the daily sums of all agree, but of the fifth.
BILLS = f"""
import json
from datetime import UTC, datetime, timedelta
from archive_site.lib import clock
from tests.factories import further_archive, make_user
from tests.usage.record_factories import archive, call
from usage.measures import Measures, Provenance, Tokens
from usage.models import BillRead, CoverageDay, DayProof

holder, now = make_user("{HOLDER}"), clock.now()
proxy = further_archive(holder, "Gateway", "USD", "litellm")
today = clock.local_day(now)
for back in range(1, 9):
    noon = clock.day_start(today - timedelta(days=back)) + timedelta(hours=12)
    measures = Measures(Provenance.ESTIMATED, Tokens(1000, 50, 900), noon)
    archive(proxy, *(
        call(f"c{{back}}-{{n}}", ts=clock.local_text(noon), model="openai/glm", measures=measures) for n in range(3)
    ))
    CoverageDay.objects.create(
        archive_id=proxy, day=str(today - timedelta(days=back)), upstream=3, empty=0, checked_at=now, settled_at=now
    )
for back in range(-1, 11):
    day = str(now.astimezone(UTC).date() - timedelta(days=back))
    differences = [["glm", "tokens_out", 150, 200], ["", "amount", 4500000, 5500000]] if back == 5 else []
    BillRead.objects.create(archive_id=proxy, day=day, read_at=now, is_complete=True)
    DayProof.objects.create(
        archive_id=proxy, day=day, bill_id=proxy, differences=json.dumps(differences), compared_at=now
    )
print(proxy)
"""


@pytest.fixture(scope="module")
def proxy(instance: Instance) -> int:
    """The id of the archive with bills."""
    return int(instance.manage("shell", "-c", BILLS).split()[-1])


@pytest.fixture
def runs(page: Page, instance: Instance, proxy: int) -> Page:
    """The page of its runs."""
    enter(page.context, instance, HOLDER)
    page.goto(f"/runs?archive={proxy}")
    expect(strip(page).locator("svg")).to_be_visible()
    return page


def test_the_seal_counts_the_days_that_differ_from_their_daily_sums(runs: Page, proxy: int) -> None:
    runs.goto(f"/?archive={proxy}&period=30d")
    expect(runs.locator("[data-seal]")).to_contain_text(
        re.compile(r"days? differs? from the daily sums of LiteLLM|days? not archived")
    )
    expect(runs.locator("[data-seal]")).to_have_attribute("data-seal", "lacking")


def test_the_ledger_names_proved_days_and_what_differs_on_another(runs: Page) -> None:
    legend = runs.locator("#ledger [data-legend]")
    expect(legend).to_contain_text(re.compile(r"proved by a second sum: [67]"))
    expect(legend).to_contain_text(re.compile(r"differs from a second sum: [12]"))
    strip(runs).focus()
    runs.keyboard.press("Home")
    said = []
    for _ in range(8):
        said.append(strip(runs).get_attribute("aria-valuetext") or "")
        runs.keyboard.press("ArrowRight")
    differing = [one for one in said if "daily sums" in one]
    assert len(differing) in (1, 2), said
    assert "Tokens out of glm: 150 here, 200 in the daily sums" in differing[0]
    assert differing[0].endswith("USD (estimated) of the whole day: 0.0000045 here, 0.0000055 in the daily sums")


@pytest.mark.thorough
def test_the_ledger_with_proofs_has_no_faults(runs: Page) -> None:
    quiet(runs)
    assert faults(runs) == {}
    assert [overflow(runs, width) for width in (320, 800)] == [0, 0]
