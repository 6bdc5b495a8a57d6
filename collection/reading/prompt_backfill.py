"""Fetching prompts that came late or were cut by the source (`fill-prompt`, docs/api.md#maintenance)."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from threading import Event

from django.db import transaction

from accounts import config
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection import account_guard, watermark
from collection.reading.window_failures import read_each
from collection.reading.window_reader import Reading
from collection.runs import lease
from collection.runs.run_outcomes import ACCOUNT_FULL, BY_SOURCE_FAILURE, INTERRUPTED, CollectionEnded
from collection.sources import kinds
from collection.sources.source import Page, ReadingStopped, Source, SourceFailure, UnusableAnswer, Work
from collection.windows import TimeWindow, days_window
from usage import horizon, ingest
from usage.prompt_privacy import policy as privacy
from usage.reads import queries
from usage.source_traits import traits_of
from usage.stored_size import AccountFull


@dataclass(frozen=True)
class Filled:
    """The result of a filling: the number of records that lacked a whole prompt, and of prompts filled.

    `met_others`: the source also gave calls that the archive lacks or has with other values; the next run reads them.
    """

    missing: int
    filled: int
    met_others: bool = False


def fill(archive_id: int) -> Filled:
    """Request only the days that lack prompts from the source, under the lease.

    Raises CollectionEnded with the outcome of a collection, and ApiError 409 `busy`.
    """
    settings, stops = config.instance_settings(), list[Event]()
    try:
        # A credential that cannot be read is said before anything else.
        with kinds.opened(archive_id, settings, Work(lambda: any(stop.is_set() for stop in stops))) as source:
            gaps = gaps_of(archive_id, settings.max_prompt)
            if not gaps:
                return Filled(0, 0)
            token = lease.take_or_refuse(archive_id=archive_id)
            with lease.kept(token) as lost:
                stops.append(lost)
                account_guard.require_same(archive_id, source, partial(lease.require, token))
                filling = _Filling(archive_id, token, source, settings.max_prompt)
                windows = _windows(list(gaps), source.traits.window_days)
                read_each((reading for window in windows for reading in filling.readings(window)), lambda line: None)
    except SourceFailure as failure:
        raise CollectionEnded(BY_SOURCE_FAILURE[failure.outcome], failure.message) from None
    except AccountFull as full:
        raise CollectionEnded(ACCOUNT_FULL, full.message) from None
    except (lease.LeaseLost, ReadingStopped):
        raise CollectionEnded(INTERRUPTED, Message("filling_taken_over")) from None
    return Filled(sum(gaps.values()), filling.filled, filling.met_others)


@dataclass
class _Filling:
    archive_id: int
    token: str
    source: Source
    max_prompt: int
    filled: int = 0
    met_others: bool = False

    def readings(self, window: TimeWindow) -> Iterator[Callable[[], None]]:
        """The reading of a window; if the source gives nothing usable, also those of its older and its newer days."""
        halves: list[TimeWindow] = []
        yield partial(self._read_or_split, window, halves)
        for half in halves:
            yield from self.readings(half)

    def _read_or_split(self, window: TimeWindow, halves: list[TimeWindow]) -> None:
        """Read a window, or add its halves; raises the failure of a single day."""
        try:
            self._read(window)
        except (UnusableAnswer, CollectionEnded):
            if window.only_day:
                raise
            halves += window.halves_at_midnight()

    def _read(self, window: TimeWindow) -> None:
        """Store the prompts of a window's pages, in halves if the source caps it."""
        reading = Reading()
        for _, page in reading.pages(self.source, window):
            self._store(page, window)
        if self.source.traits.is_capped(reading.total, reading.received):
            for half in window.halves() or ():
                self._read(half)

    def _store(self, page: Page, window: TimeWindow) -> None:
        with transaction.atomic():
            lease.require(self.token)
            stored = ingest.fill_prompts(self.archive_id, page.records, max_prompt=self.max_prompt)
            met_others = bool(stored.unknown or stored.conflicts)
            if met_others:
                self._leave_to_next_run(window)
        self.filled += stored.prompts_filled
        self.met_others |= met_others

    def _leave_to_next_run(self, window: TimeWindow) -> None:
        """Note the part of the window before the mark for the next run, which reads the rest anyway."""
        now = clock.now()
        mark = watermark.mark(self.archive_id)
        known = mark if mark and mark <= now else now
        end = min(window.end, known.replace(microsecond=0))
        if window.start <= end:
            watermark.begin_range(self.archive_id, window.start, end)


def gaps_of(archive_id: int, max_prompt: int) -> dict[date, int]:
    """The number of missing prompts by day, for the days whose prompts the source may still have."""
    traits, most = traits_of(archive_id), privacy.most_kept(archive_id, max_prompt)
    if not most or not traits.gives_texts:
        return {}
    since = max(clock.today() - traits.text_given, horizon.prompts_from(archive_id) or date.min)
    return queries.days_without_prompts(archive_id, since, most)


def _windows(days: list[date], most: int) -> list[TimeWindow]:
    """Windows that cover these days and no others, each of at most `most` days."""
    spans: list[list[date]] = []
    for day in days:
        if spans and day - spans[-1][-1] == timedelta(days=1) and len(spans[-1]) < most:
            spans[-1].append(day)
        else:
            spans.append([day])
    return [days_window(span[0], span[-1]) for span in spans]
