"""Shared by tests of what lists of records cost: orders, filters, and the plans that are expected of them."""

import re
from datetime import date

from archive_site.lib.http.parameter_parsing import Days
from usage.filters import RecordFilters

BY_TIME = "SEARCH usage_record USING COVERING INDEX record_by_time (user_id=?"
BY_CREDITS = "SEARCH usage_record USING COVERING INDEX record_by_credits (user_id=?"
TIMES, CREDITS = ["ts_desc", "ts_asc"], ["credits_desc", "credits_asc"]
SPAN = RecordFilters(days=Days(date(2026, 9, 1), date(2026, 9, 30)))
NAMED = [
    RecordFilters(model="glm"),
    RecordFilters(client="ide"),
    RecordFilters(model="glm", client="ide"),
    RecordFilters(SPAN.days, model="glm"),
    RecordFilters(SPAN.days, client="ide"),
    RecordFilters(SPAN.days, model="glm", client="ide"),
    RecordFilters(purpose="chat"),
    RecordFilters(SPAN.days, purpose="chat"),
    RecordFilters(model="glm", purpose="chat"),
    RecordFilters(SPAN.days, client="ide", purpose="chat"),
]
EVERY = [RecordFilters(), SPAN, *NAMED]


def by_group(filters: RecordFilters) -> str:
    """The end of a plan that reads the records of groups; a purpose is part of their key only under its filter."""
    purpose = "" if filters.purpose is None else " AND agent_purpose=?"
    # The hour comes after the purpose in the key.
    hour = " AND hour=?" if purpose and filters.hour is not None else ""
    return f"SEARCH r USING INDEX record_by_group (user_id=? AND day=? AND model=? AND client=?{purpose}{hour})"


def is_sound(plan: str) -> bool:
    """No sort, and no scan but of the buckets in the query or of its own parts."""
    scans = re.findall(r"SCAN ([^;]*)", plan)
    return "TEMP B-TREE" not in plan and all(re.fullmatch(r"part|bucket|(\d+ )?CONSTANT ROWS?", scan) for scan in scans)
