"""Archives for the records, and their parts in the page."""

import re

from playwright.sync_api import Locator, Page

# 120 calls, two hours apart; a model, a client and a price in turn. One is odd and long, one has next to nothing, and
# the newest cost as much as a call can.
MAKE = """
from tests.factories import make_user
from tests.usage.record_factories import archive, call
reader, _ = make_user("reader"), make_user("newcomer")
archive(reader, *[
    call(f"r-{n}", ts=f"2026-09-{1 + n // 12:02} {n % 12 * 2:02}:30:15", model=["glm", "kimi", "claude"][n % 3],
         client=["ide", "cli"][n % 2], agent_purpose=["conversation", "subagent:explore", ""][n % 3],
         credits=n % 7 / 4 if n < 117 else 999_999_999.25,
         prompt=f"Question {n} about bread")
    for n in range(118)
])
archive(reader,
    call("模型/1?a=b#c d", ts="2026-08-31 10:00:00", model="rare model", client="odd & even", credits=12.5,
         prompt="First line\\n    second <b>line</b>\\n" + "hay " * 400 + "one NeeDLe.*", agent_purpose="chat"),
    call("bare", ts="2026-08-30 10:00:00", model="", client="", credits=0),
)
"""


def rows_of(page: Page) -> Locator:
    return page.locator("#records tbody tr")


def said(page: Page) -> Locator:
    return page.locator("#records [data-said]")


def panel_of(page: Page) -> Locator:
    return page.get_by_role("dialog", name=re.compile("^(Record|20)"))
