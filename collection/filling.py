"""Fetching prompts that came late, or were cut by the upstream (`fill-prompt`, specification 4.3)."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.db import connection, transaction

from accounts import config
from archive_site.lib import clock
from collection import lease
from collection.outcomes import BY_UPSTREAM_FAILURE, INTERRUPTED, CollectionEnded
from collection.reading import Reading, upstream_settings
from collection.upstream import Page, Upstream, UpstreamFailure, UpstreamStopped
from collection.windows import DAYS, Window, days_window, is_capped
from usage import ingest

# The upstream gives no prompt that is older.
PROMPTS_LAST = timedelta(days=31)
# Days with records whose prompt is missing, or came in part although more of it is kept.
_GAPS = """
    SELECT r.day, COUNT(*) FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s AND r.ts >= %s AND (p.record_id IS NULL OR (r.prompt_truncated AND LENGTH(p.text) < %s))
    GROUP BY r.day ORDER BY r.day"""


@dataclass(frozen=True)
class Filled:
    """What a filling found: records without a whole prompt before it, and how many prompts it filled."""

    missing: int
    filled: int


def fill(user_id: int) -> Filled:
    """Ask the upstream for the days that lack prompts, and only for them, under the lease.

    Raises CollectionEnded with the outcome that collecting would have; ApiError 409 `busy`.
    """
    settings = config.instance_settings()
    asked = upstream_settings(user_id, settings)
    gaps = gaps_of(user_id, settings.max_prompt)
    if not gaps:
        return Filled(0, 0)
    token = lease.take_or_refuse()
    with lease.kept(token) as lost:
        try:
            with Upstream(asked, should_stop=lost.is_set, now=clock.now) as upstream:
                filling = _Filling(user_id, token, upstream, settings.max_prompt)
                filled = sum(filling.read(window) for window in _windows(list(gaps)))
        except UpstreamFailure as failure:
            raise CollectionEnded(BY_UPSTREAM_FAILURE[failure.outcome], failure.message) from None
        except (lease.LeaseLost, UpstreamStopped):
            raise CollectionEnded(INTERRUPTED, "Another collection took over.") from None
    return Filled(sum(gaps.values()), filled)


@dataclass(frozen=True)
class _Filling:
    user_id: int
    token: str
    upstream: Upstream
    max_prompt: int

    def read(self, window: Window) -> int:
        """Store a window's pages, in halves where the upstream caps it; how many prompts that filled."""
        reading = Reading()
        filled = sum(self._store(page) for _, page in reading.pages(self.upstream, window))
        if is_capped(reading.total, reading.received):
            filled += sum(self.read(half) for half in window.halves() or ())
        return filled

    def _store(self, page: Page) -> int:
        with transaction.atomic():
            lease.require(self.token)
            stored = ingest.take_in(self.user_id, page.records, run_id=None, max_prompt=self.max_prompt)
        return stored.prompts_filled


def gaps_of(user_id: int, max_prompt: int) -> dict[date, int]:
    """The days of which the upstream may still have prompts that the archive lacks, with the number of them."""
    if not max_prompt:
        return {}
    since = clock.today() - PROMPTS_LAST
    with connection.cursor() as cursor:
        cursor.execute(_GAPS, [user_id, f"{since} 00:00:00", max_prompt])
        return {date.fromisoformat(day): missing for day, missing in cursor.fetchall()}


def _windows(days: list[date]) -> list[Window]:
    """Windows that cover these days and no others, of at most a week."""
    spans: list[list[date]] = []
    for day in days:
        if spans and day - spans[-1][-1] == timedelta(days=1) and len(spans[-1]) < DAYS:
            spans[-1].append(day)
        else:
            spans.append([day])
    return [days_window(span[0], span[-1]) for span in spans]
