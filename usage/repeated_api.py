"""`GET /api/repeated` (docs/api.md#repeated)."""

from django.http import HttpResponseBase
from msgspec import UNSET

from accounts import archives
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.described import READS, described
from archive_site.lib.http.request_types import BAD
from usage import etag
from usage.api import OfTop
from usage.reads import queries
from usage.repeated import groups, key_filling
from usage.repeated.api_types import Repeated


@described(
    READS,
    "Repeated",
    "Groups of calls with the same or nearly the same prompt",
    answer=Repeated,
    errors=BAD,
    is_conditional=True,
)
def repeated(request: AccountRequest, query: OfTop) -> HttpResponseBase:
    filters, n, archive_id = query.filters, query.n, archives.of_request(request)
    left = key_filling.missing(archive_id)

    def found() -> Repeated:
        prepared = key_filling.percent_filled(archive_id, left) if left else UNSET
        return Repeated(
            groups.repeated(archive_id, filters, n), queries.window(archive_id, filters.days).payload(), prepared
        )

    return etag.answer(request, (filters, n, left), found)
