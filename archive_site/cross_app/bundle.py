"""All data of a dashboard in one answer: docs/api.md#bundle."""

from accounts.models import User
from archive_site.cross_app.archive_manifest import Beyond, manifest
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.http.json_views import JsonPieces
from archive_site.lib.http.parameters import Days
from usage import queries, short_key_form
from usage.daily_series import daily_json
from usage.dimensions import dims
from usage.filters import RecordFilters
from usage.record_payloads import json_text
from usage.rollups.figures import figures as figures_of

RECORDS_CAP = 20_000


def bundle(user: User, beyond: Beyond, days: Days, most: int) -> JsonPieces:
    """The manifest, and the reads of a period: sums, the `most` most expensive records and the newest ones.

    Records are in the short form; the newest are at most `RECORDS_CAP`.
    """
    filters = RecordFilters(days)
    figures = figures_of(user.pk, filters)
    before = {
        "manifest": json_text(manifest(user, beyond)),
        "daily": daily_json(user.pk, filters),
        "dims": json_text(as_json(dims(user.pk, filters).payload())),
        "top": short_key_form.top(user.pk, filters, most),
    }
    after = {
        "recordsTotal": figures.calls,
        "recordsCap": RECORDS_CAP,
        "recordsTruncated": figures.calls > RECORDS_CAP,
        "totals": as_json(figures.totals()),
        "window": as_json(queries.window(user.pk, days).payload()),
    }
    # The records are nearly all of it.
    head = "{" + "".join(f'"{name}":{part},' for name, part in before.items()) + '"records":'
    rest = "," + json_text(after)[1:]
    return JsonPieces([head.encode(), *short_key_form.newest(user.pk, filters, RECORDS_CAP), rest.encode()])
