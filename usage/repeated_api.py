"""`GET /api/repeated` (docs/api.md#repeated)."""

from archive_site.lib.http.common_parameters import BAD, clamped
from django.http import HttpResponseBase
from msgspec import UNSET

from archive_site.lib.http import parameters
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.described import READS, described
from usage import etag, queries
from usage.api import filters_of
from usage.api_parameters import OF_SUMS
from usage.repeated import groups, key_filling
from usage.repeated.api_types import Repeated


@described(
    READS,
    "Repeated",
    "Groups of calls with the same or nearly the same prompt",
    parameters=(*OF_SUMS, clamped("n", 50, 1000, "how many")),
    answer=Repeated,
    errors=BAD,
    is_conditional=True,
)
def repeated(request: AccountRequest) -> HttpResponseBase:
    filters, n, user_id = filters_of(request), parameters.clamped(request.GET, "n", 50, 1000), request.user.pk
    left = key_filling.missing(user_id)

    def found() -> Repeated:
        prepared = key_filling.percent_filled(user_id, left) if left else UNSET
        return Repeated(groups.repeated(user_id, filters, n), queries.window(user_id, filters.days).payload(), prepared)

    return etag.answer(request, (filters, n, left), found)
