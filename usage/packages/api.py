"""`GET /api/packages` and `GET /api/orders` (docs/api.md#packages)."""

from django.http import HttpResponseBase

from accounts import archives
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.described import READS, described
from usage import etag
from usage.packages.api_types import HEADING, OrdersOfArchive, PackagesOfArchive
from usage.packages.orders_now import orders_now
from usage.packages.packages_now import packages_now


@described(
    READS,
    HEADING,
    "What is left of packages of credits, when they expire, and what was lost",
    answer=PackagesOfArchive,
    is_conditional=True,
)
def packages(request: AccountRequest) -> HttpResponseBase:
    return etag.answer(request, etag.minute(), lambda: packages_now(archives.of_request(request)))


@described(
    READS,
    "Orders",
    "What was paid for packages of credits",
    answer=OrdersOfArchive,
    is_conditional=True,
)
def orders(request: AccountRequest) -> HttpResponseBase:
    return etag.answer(request, None, lambda: orders_now(archives.of_request(request)))
