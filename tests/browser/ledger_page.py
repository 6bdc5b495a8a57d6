"""An archive with a ledger of days, and the parts of the ledger in the pages."""

from playwright.sync_api import Locator, Page

READER = "ledger-reader"
# As days ago: 0 is today; 2 lacks a call; 4 and 5 were skipped; 7 was read and has no calls; 9 lies before the reach of
# the upstream; nobody has read 10 and older days.
LEDGER = f"""
from datetime import timedelta
from archive_site.lib import clock
from tests.factories import make_user
from tests.usage.record_factories import archive, call
from usage.models import CoverageDay, Reach

today, reader = clock.today(), make_user("{READER}")
archive(reader, *(
    call(f"r{{back}}-{{n}}", ts=f"{{today - timedelta(days=back)}} {{n:02}}:30:00", credits=2, prompt="why")
    for back in (0, 1, 2, 3, 6, 8) for n in range(3)
))
for back in (1, 2, 3, 6, 7, 8, 9):
    CoverageDay.objects.create(
        archive_id=reader.pk, day=(today - timedelta(days=back)).isoformat(), checked_at=clock.now(), empty=0,
        upstream={{2: 4, 7: 0, 9: 0}}.get(back, 3), settled_at=clock.now() if back in (6, 8) else None,
    )
Reach.objects.create(archive_id=reader.pk, first_day=(today - timedelta(days=8)).isoformat())
print(today)
"""


def strip(page: Page) -> Locator:
    return page.get_by_role("slider", name="Ledger of days")


def dialog(page: Page, name: str = "Fetch these days?") -> Locator:
    return page.get_by_role("dialog", name=name)


def days_in(asking: Locator) -> list[str]:
    return [asking.get_by_label(label, exact=True).input_value() for label in ("From", "To")]
