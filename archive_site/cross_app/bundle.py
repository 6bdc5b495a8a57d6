"""All data of a dashboard in one answer: docs/api.md#bundle."""

from typing import Any

from accounts.models import User
from archive_site.cross_app.archive_manifest import Beyond, manifest
from archive_site.lib.http.parameters import Days
from usage import queries, short_key_form
from usage.daily_series import daily
from usage.dimensions import dims
from usage.filters import RecordFilters
from usage.rollups import read_sums

RECORDS_CAP = 20_000


def bundle(user: User, beyond: Beyond, days: Days, most: int) -> dict[str, Any]:
    """The manifest, and the reads of a period: sums, the `most` most expensive records and the newest ones.

    Records are in the short form; the newest are at most `RECORDS_CAP`.
    """
    filters = RecordFilters(days)
    figures = read_sums.figures(user.pk, filters)
    return {
        "manifest": manifest(user, beyond),
        "daily": daily(user.pk, filters),
        "dims": dims(user.pk, filters),
        "top": short_key_form.top(user.pk, filters, most),
        "records": short_key_form.newest(user.pk, filters, RECORDS_CAP),
        "recordsTotal": figures.calls,
        "recordsCap": RECORDS_CAP,
        "recordsTruncated": figures.calls > RECORDS_CAP,
        "totals": figures.totals(),
        "window": queries.window(user.pk, days).payload(),
    }
