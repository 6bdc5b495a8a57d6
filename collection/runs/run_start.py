"""Starting a collection on demand: the checks in their order, and the span (docs/api.md#collect)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext

from accounts import archives, config
from accounts.config import InstanceSettings
from accounts.credentials import credential
from archive_site.lib import clock
from archive_site.lib.http import parameter_parsing
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from collection import watermark
from collection.models import Heartbeat, Run
from collection.runs import lease, runs
from usage import horizon
from usage.source_traits import traits_of

HEARTBEAT = "scheduler"
HEARTBEAT_SILENT_AFTER = timedelta(minutes=3)


@dataclass(frozen=True)
class Span:
    """The span of a run; `is_ranged` if its first day was given. `kept_from` is the first day whose calls are kept,
    where earlier ones were asked for."""

    start: datetime
    end: datetime
    is_ranged: bool
    kept_from: date | None = None


def on_demand(archive_id: int, body: Mapping[str, object], *, queued: bool = False) -> tuple[Run, str]:
    """Check a request to collect and take the lease; gives the run and the lease's token.

    Raises ApiError: 409 `busy`, 429 `too_frequent`, 400 `bad_request`, in this order.
    """
    settings = config.instance_settings()
    require_free_lease(archive_id)
    _require_interval(archive_id, settings.collect_min_interval_seconds)
    first, last = parameter_parsing.day(body, "from"), parameter_parsing.day(body, "to")
    span = span_of(archive_id, settings, first, last)
    _require_range(first, last, settings.collect_max_range_days)
    return take_run(archive_id, Run.Trigger.MANUAL, span, queued=queued)


def in_turn(archive_id: int, body: Mapping[str, object], *, queued: bool = False) -> tuple[Run, str]:
    """The same for a further archive, right after another one of the account. Raises ApiError 409 and 400."""
    first, last = parameter_parsing.day(body, "from"), parameter_parsing.day(body, "to")
    span = span_of(archive_id, config.instance_settings(), first, last)
    return take_run(archive_id, Run.Trigger.MANUAL, span, queued=queued)


def queue_older(archive_id: int) -> Run:
    """Check a request to fetch older calls, take the lease and create the run for a worker.

    Raises ApiError: 409 `busy`, 429 `too_frequent`, in this order.
    """
    require_free_lease(archive_id)
    _require_interval(archive_id, config.instance_settings().collect_min_interval_seconds)
    run, _ = take_other_run(archive_id, Run.Kind.OLDER, Run.Trigger.MANUAL, queued=True)
    return run


def span_of(archive_id: int, settings: InstanceSettings, first: date | None, last: date | None) -> Span:
    """The span from `first` (or a little before the mark) to the end of `last` (or now). Raises ApiError 400."""
    require_days(first, last)
    now = clock.now()
    start = clock.day_start(first) if first else min(now, _default_start(archive_id, settings))
    end = min(now, clock.day_end(last)) if last else now
    traits = traits_of(archive_id)
    reached = traits.reached(clock.local_day(now))
    if reached and last and last < reached:
        words = gettext("%(service)s gives the calls of the last %(days)s days only.")
        raise ApiError(400, "bad_request", words % {"service": traits.name, "days": traits.reach_days})
    kept_from = horizon.first_day(archive_id)
    if kept_from and last and last < kept_from:
        words = gettext("Calls before %(day)s were erased, and are not collected again.")
        raise ApiError(400, "bad_request", words % {"day": kept_from})
    for bound in filter(None, (reached, kept_from)):
        start = max(start, clock.day_start(bound))
    if start > end:
        late = gettext("'from' is in the future.")
        early = gettext("'to' is before %(start)s, where this run would start.") % {"start": clock.local_text(start)}
        raise ApiError(400, "bad_request", late if first else early)
    is_cut = first is not None and kept_from is not None and first < kept_from
    return Span(
        start.replace(microsecond=0), end.replace(microsecond=0), first is not None, kept_from if is_cut else None
    )


def take_run(archive_id: int, trigger: Run.Trigger, span: Span, *, queued: bool = False) -> tuple[Run, str]:
    """Take the lease and create the run in one transaction. Raises ApiError 409 `busy`."""
    with transaction.atomic():
        token = _take_lease(archive_id, queued)
        if span.is_ranged:
            # Without a cookie nothing is read, so nothing stays unfinished.
            if credential.is_usable(archive_id):
                watermark.begin_range(archive_id, span.start, span.end)
        else:
            go_on_from(archive_id, span)
        run = runs.begin(archive_id, trigger, span.start, span.end, is_ranged=span.is_ranged, queued=queued)
        lease.assign(token, run.pk)
        if span.kept_from:
            journal = runs.Journal(run.pk)
            journal.note(Message("erased_days_left_out", day=span.kept_from.isoformat()))
            journal.write()
    return run, token


def go_on_from(archive_id: int, span: Span) -> None:
    """Let the mark be where a run without a first day begins, in the caller's transaction."""
    watermark.ensure_mark(archive_id, span.start)
    if traits_of(archive_id).reach_days:
        # What lies before it cannot be read any more, and holds the mark no longer.
        watermark.move_mark(archive_id, span.start)


def take_other_run(
    archive_id: int,
    kind: Run.Kind,
    trigger: Run.Trigger,
    start: datetime | None = None,
    end: datetime | None = None,
    *,
    queued: bool = False,
    lasts: timedelta = lease.LASTS,
) -> tuple[Run, str]:
    """Take the lease, which `lasts` unless it is renewed, and create a run that leaves the mark unchanged.

    Raises ApiError 409 `busy`.
    """
    with transaction.atomic():
        token = _take_lease(archive_id, queued, lasts)
        run = runs.begin(archive_id, trigger, start, end, kind=kind, queued=queued)
        lease.assign(token, run.pk)
    return run, token


def _take_lease(archive_id: int, queued: bool, lasts: timedelta = lease.LASTS) -> str:
    lasts, holder = (lease.WAITS_FOR_WORKER, "") if queued else (lasts, None)
    return lease.take_or_refuse(lasts, holder, archive_id=archive_id)


def require_free_lease(archive_id: int) -> None:
    """Raises ApiError 409 `busy` while the account, or as many as may at once, or what excludes them, has a lease."""
    if not lease.has_room(archive_id):
        raise ApiError(409, "busy", gettext(lease.BUSY))


def require_days(first: date | None, last: date | None) -> None:
    """Raises ApiError 400 for days before 1970 and for a first day after the last one."""
    for name, day in (("from", first), ("to", last)):
        if day and day < clock.EARLIEST:
            words = gettext("'%(name)s' is before %(year)s.")
            raise ApiError(400, "bad_request", words % {"name": name, "year": clock.EARLIEST.year})
    if first and last and first > last:
        raise ApiError(400, "bad_request", gettext("'from' is later than 'to'."))


def _default_start(archive_id: int, settings: InstanceSettings) -> datetime:
    return watermark.default_start(
        archive_id, rewind_minutes=settings.rewind_minutes, range_days=settings.collect_max_range_days
    )


def workers_are_alive() -> bool:
    """Whether the workers' last heartbeat is recent; one in the future comes from a wrong clock and does not count."""
    now = clock.now()
    return Heartbeat.objects.filter(
        name=HEARTBEAT, at__gt=now - HEARTBEAT_SILENT_AFTER, at__lt=now + HEARTBEAT_SILENT_AFTER
    ).exists()


def _require_interval(archive_id: int, seconds: int) -> None:
    own = archives.of_account(archives.owner_of(archive_id))
    begun = [last.started_at or last.created_at for one in own if (last := runs.collections(one).first())]
    if not begun:
        return
    wait = seconds - (clock.now() - max(begun)).total_seconds()
    if 0 < wait <= seconds:
        whole = math.ceil(wait)
        message = gettext("The last collection was a moment ago. Wait %(seconds)s seconds.") % {"seconds": whole}
        raise ApiError(429, "too_frequent", message, retry_after=whole)


def _require_range(first: date | None, last: date | None, most: int) -> None:
    """Check the length of a ranged run. Without a first day a run may be longer: it continues from the mark."""
    length = clock.days_between(first, last or clock.today()) if first else 0
    if length > most:
        words = gettext("A collection may span at most %(most)s days; this one spans %(length)s.")
        raise ApiError(400, "bad_request", words % {"most": most, "length": length})
