"""Pages that show the archive."""

import json
from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts import credential
from accounts.config import instance_settings
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from archive_site.lib.http.compression import compressed
from archive_site.lib.http.parameters import truth
from usage import periods
from usage.budgets import stored_budgets
from usage.models import DayGroup
from usage.overview_reads import NAME_READS, READS, Read, described, first_reads

# The upstream's page that shows people their usage.
USAGE_PAGE = "/profile/plans-usage"


@compressed
@signed_in_page
def overview(request: AccountRequest) -> HttpResponse:
    """Figures and charts, or the first steps while the archive is empty."""
    user = request.user
    first_steps = {"cookie": credential.state(user.pk), "usage_page": instance_settings().api_base + USAGE_PAGE}
    first = {"first_reads": first_reads(request.GET, clock.today()), "comparisons": periods.COMPARISONS}
    # The page keeps room for its budgets.
    budgets = {"budgets": stored_budgets.budgets_of(user.pk)}
    context = {**_archive_of(user, READS), **_without(request), **first_steps, **first, **budgets}
    return render(request, "overview.html", context)


@compressed
@signed_in_page
def records(request: AccountRequest) -> HttpResponse:
    """The records, with filters, search, and a panel that shows one record."""
    user = request.user
    hours = [(hour, f"{hour:02}") for hour in range(24)]
    return render(request, "records.html", {**_archive_of(user, NAME_READS), **_without(request), "hours": hours})


def _without(request: HttpRequest) -> dict[str, bool]:
    """Whether the address asks for the calls without a model, a client, or a purpose."""
    return {name: truth(request.GET.get(name)) for name in ("no_model", "no_client", "no_purpose")}


def _archive_of(user: User, reads: Mapping[str, Read]) -> dict[str, object]:
    """The context of a page with filters: the server's day, the periods, the reads, and the archive's first day."""
    first_day = DayGroup.objects.filter(user_id=user.pk).order_by("day").values_list("day", flat=True).first()
    today = clock.today()
    return {
        "today": today.isoformat(),
        "periods": periods.offered(today),
        "year": periods.calendar_year(today).bounds()["from"],
        "reads": json.dumps(described(reads), separators=(",", ":")),
        "has_records": first_day is not None,
        "first_day": first_day or "",
    }
