"""Pages that show the archive."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts import credential
from accounts.config import instance_settings
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from archive_site.lib.http.parameters import truth
from usage.first_reads import first_reads
from usage.models import DayGroup

# Where on the upstream service a person sees the own usage.
USAGE_PAGE = "/profile/plans-usage"


@signed_in_page
def overview(request: AccountRequest) -> HttpResponse:
    """Figures and charts; the first steps while nothing is archived."""
    user = request.user
    first_steps = {"cookie": credential.state(user.pk), "usage_page": instance_settings().api_base + USAGE_PAGE}
    reads = {"first_reads": first_reads(request.GET.dict(), clock.today())}
    return render(request, "overview.html", {**_archive_of(user), **_without(request), **first_steps, **reads})


@signed_in_page
def records(request: AccountRequest) -> HttpResponse:
    """The records, with filters, search, and one of them in a panel beside."""
    user = request.user
    return render(request, "records.html", {**_archive_of(user), **_without(request)})


def _without(request: HttpRequest) -> dict[str, bool]:
    """Whether the address asks for the calls without a model, or without a client."""
    return {name: truth(request.GET.get(name)) for name in ("no_model", "no_client")}


def _archive_of(user: User) -> dict[str, object]:
    """What a page has to know before it asks: the server's day, and since when there is anything to ask for."""
    first_day = DayGroup.objects.filter(user_id=user.pk).order_by("day").values_list("day", flat=True).first()
    return {
        "today": clock.today().isoformat(),
        "has_records": first_day is not None,
        "first_day": first_day or "",
    }
