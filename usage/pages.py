"""Pages that show the archive."""

import json
from collections.abc import Mapping

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from accounts import archives
from accounts.config import instance_settings
from accounts.credentials import credential
from accounts.delivery import choices
from accounts.notices import receivers
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from archive_site.lib.http.compression import compressed
from archive_site.lib.http.parameter_parsing import truth
from usage import periods, rates
from usage.bills.bills_of_month import bills_of_month
from usage.budgets import stored_budgets
from usage.export import parquet_file
from usage.models import DayGroup
from usage.overview_reads import NAME_READS, READS, REPEATED_READS, Read, described, first_reads
from usage.packages import stored_packages
from usage.prompt_privacy import policy as privacy
from usage.record_payloads import amount, figure
from usage.retention.page import erased_before
from usage.source_traits import traits_of
from usage.statements.period_summary import PERIODS, Period, PeriodSummary, period_summary
from usage.sum_types import DimItem, OtherNames


@compressed
@signed_in_page
def overview(request: AccountRequest) -> HttpResponse:
    """Figures and charts, or the first steps while the archive is empty."""
    archive_id = archives.of_page(request)
    traits = traits_of(archive_id)
    usage_page = instance_settings().api_base + traits.usage_page
    first_steps = {"cookie": credential.state(archive_id), "usage_page": usage_page}
    first = {"first_reads": first_reads(request.GET, clock.today(), archive_id), "comparisons": periods.COMPARISONS}
    bills = {"bills": bills_of_month(archive_id, request.GET.get("month", ""))} if traits.bills_others else {}
    # The page keeps room for its budgets.
    packages = {
        "gives_packages": traits.packages,
        "has_packages": traits.packages and stored_packages.has_any(archive_id),
    }
    budgets = {"budgets": stored_budgets.budgets_of(archive_id), "budget_notices": _budget_notices(request.user.pk)}
    context = {
        **_list_of(archive_id, READS),
        **_without(request),
        "rate": rates.rates_of([archive_id]).get(archive_id),
        **first_steps,
        **first,
        **budgets,
        **bills,
        **packages,
    }
    return render(request, "overview.html", context)


def _budget_notices(user_id: int) -> dict[str, object]:
    """Where notices of budgets go, and whether they are off."""
    names = [one.shown for one in receivers.of_account(user_id)]
    return {"off": "budget" in choices.of_account(user_id).off, "names": names}


@compressed
@signed_in_page
def records(request: AccountRequest) -> HttpResponse:
    """The records, with filters, search, and a panel that shows one record."""
    archive_id = archives.of_page(request)
    choices = {"hours": [(hour, f"{hour:02}") for hour in range(24)], "has_parquet": parquet_file.is_available()}
    choices["finds_words"] = privacy.of_account(request.user.pk).mode == privacy.HASH
    context = _list_of(archive_id, NAME_READS)
    return render(request, "records.html", {**context, **_without(request), **choices})


@compressed
@signed_in_page
def repeated(request: AccountRequest) -> HttpResponse:
    """Groups of calls with the same or nearly the same prompt."""
    context = {**_list_of(archives.of_page(request), REPEATED_READS), **_without(request)}
    return render(request, "repeated.html", context)


@signed_in_page
def summary(request: AccountRequest, kind: str, day: str = "") -> HttpResponse:
    """What a week or a month came to; of a day within it, the page is that of its first day."""
    asked = clock.parse_day(day) if day else Period.of(kind, clock.today()).before.first
    if kind not in PERIODS or asked is None or not clock.EARLIEST <= asked <= clock.today():
        raise Http404
    period = Period.of(kind, asked)
    archive_id = archives.of_page(request)
    if day != str(period.first):
        return redirect(period.path + archives.page_parameter(request))
    found = period_summary(archive_id, period)
    others = {
        "preceding": period.before if period.before.first >= clock.EARLIEST else None,
        "following": period.after if period.last < clock.today() else None,
    }
    return render(request, "summary.html", {"found": found, **others, **_in_words(found)})


def _in_words(found: PeriodSummary) -> dict[str, object]:
    """The figures of a summary as texts."""
    unit = found.figures.unit

    def spent(parts: int | None) -> str:
        return "–" if parts is None else figure(unit.number(parts), unit)

    def spent_on(one: DimItem | OtherNames) -> str:
        return "–" if one.amount is None else figure(one.credits, unit)

    low, high = (found.forecast.low, found.forecast.high) if found.forecast else (None, None)
    return {
        "spent": spent(found.figures.known_credits if found.is_archived else None),
        "calls": f"{found.figures.calls:,}" if found.is_archived else "–",
        "unknown": found.figures.without_amount,
        "before": spent(found.before.known_credits if found.before else None),
        "change": found.change_in_words,
        "models": [
            {"name": model.name, "spent": spent_on(model), "calls": f"{model.calls:,}"} for model in found.models
        ],
        "others": found.others
        and {
            "names": found.others.names,
            "spent": spent_on(found.others),
            "calls": f"{found.others.calls:,}",
        },
        "dearest": [{**call._asdict(), "spent": spent(call.known_credits)} for call in found.dearest],
        "forecast": None if low is None or high is None else {"low": amount(low, unit), "high": amount(high, unit)},
    }


def _without(request: HttpRequest) -> dict[str, bool]:
    """Whether the address asks for the calls without a model, a client, or a purpose."""
    return {name: truth(request.GET.get(name)) for name in ("no_model", "no_client", "no_purpose")}


def _list_of(archive_id: int, reads: Mapping[str, Read]) -> dict[str, object]:
    """The context of a page that lists calls: also which of them were erased."""
    context = _archive_of(archive_id, reads)
    return {**context, "erased_before": erased_before(archive_id, str(context["first_day"]))}


def _archive_of(archive_id: int, reads: Mapping[str, Read]) -> dict[str, object]:
    """The context of a page with filters: the server's day, the periods, the reads, and the archive's first day."""
    first_day = DayGroup.objects.filter(archive_id=archive_id).order_by("day").values_list("day", flat=True).first()
    today = clock.today()
    return {
        "today": today.isoformat(),
        "periods": periods.offered(today),
        "year": periods.calendar_year(today).bounds()["from"],
        "reads": json.dumps(described(reads), separators=(",", ":")),
        "has_records": first_day is not None,
        "first_day": first_day or "",
    }
