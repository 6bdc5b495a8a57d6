"""All that a dashboard needs in one answer (specification 4.2)."""

from typing import Any

from accounts.models import User
from archive_site.cross_app.archive_manifest import Beyond, manifest
from archive_site.lib.http.parameters import Days
from usage import queries, short_key_form
from usage.daily import daily
from usage.dims import dims
from usage.filters import RecordFilters
from usage.rollups import sums

RECORDS_CAP = 20_000


def bundle(user: User, beyond: Beyond, days: Days, most: int) -> dict[str, Any]:
    """The archive's manifest, and the reads of a span: with its `most` expensive records and its newest ones.

    Records are in the short form, at most `RECORDS_CAP` of them.
    """
    filters = RecordFilters(days)
    figures = sums.figures(user.pk, filters)
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
