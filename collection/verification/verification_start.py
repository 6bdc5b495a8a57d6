"""Starting a verification: the days, and the checks of a request (docs/api.md#verify)."""

from collections.abc import Mapping
from datetime import date, timedelta

from django.utils.translation import gettext

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http import parameter_parsing
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.minimum_interval import minimum_interval
from collection.models import Run
from collection.runs import run_start
from usage import horizon
from usage.coverage import ledger

INTERVAL = 60


def queue(archive_id: int, body: Mapping[str, object]) -> Run:
    """Check a request to verify, take the lease and create the run for a worker.

    Raises ApiError: 409 `busy`, 429 `too_frequent`, 400 `bad_request`, in this order.
    """
    run_start.require_free_lease(archive_id)
    with minimum_interval(f"verify:{archives.owner_of(archive_id)}", INTERVAL, failures_count=False):
        first, last = days_to_verify(archive_id, parameter_parsing.day(body, "from"), parameter_parsing.day(body, "to"))
        start, end = clock.day_start(first), min(clock.now(), clock.day_end(last)).replace(microsecond=0)
        run, _ = run_start.take_other_run(
            archive_id, Run.Kind.VERIFICATION, Run.Trigger.MANUAL, start, end, queued=True
        )
    return run


def days_to_verify(archive_id: int, first: date | None, last: date | None) -> tuple[date, date]:
    """The first and the last day to verify; by default all that the source may still give, up to yesterday. Days whose
    calls were erased are left out.

    Calls of today may still appear, so today is verified only where it is asked for. Raises ApiError 400.
    """
    run_start.require_days(first, last)
    today = clock.today()
    if first and first > today:
        raise ApiError(400, "bad_request", gettext("'from' is in the future."))
    first = first or ledger.first_reachable(archive_id)
    if first is None:
        raise ApiError(400, "bad_request", gettext("There is nothing to verify yet: collect first."))
    first = max(first, horizon.first_day(archive_id) or first)
    last = min(last or max(first, today - timedelta(days=1)), today)
    if last < first:
        raise ApiError(
            400, "bad_request", gettext("'to' is before %(start)s, the first day to verify.") % {"start": first}
        )
    return first, last
