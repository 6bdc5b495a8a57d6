"""The page of a month's statement, and the same as a file (docs/api.md#pages)."""

import re
from base64 import b64encode
from datetime import date, timedelta
from functools import cache

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.http import content_disposition_header
from django.utils.translation import gettext_lazy as _

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from archive_site.lib.http.compression import compressed
from archive_site.lib.http.parameter_parsing import truth
from archive_site.lib.resources import RESOURCES
from usage.amounts.units import Unit
from usage.amounts.words_of_archive import SERVICE, words_of
from usage.coverage.ledger import State
from usage.coverage.span_proof import KnownDay
from usage.forecast.month_end import month_of
from usage.prompt_privacy import policy as privacy
from usage.record_payloads import exact
from usage.statements.statement import Amount, Statement, statement

STATES: dict[State, str | Promise] = {
    State.OPEN: _("not over yet"),
    State.UNASKED: _("not read"),
    State.UNREACHABLE: _("older than %(service)s still gives"),
    State.ERASED: _("calls erased, sums kept"),
    State.UNCONFIRMED: _("not confirmed by %(service)s"),
    State.SHORT: _("calls missing"),
    State.SURPLUS: _("more calls than at %(service)s"),
    State.STRIPPED: _("prompts missing"),
    State.PROVED: _("proved by a second sum"),
    State.SETTLED: _("settled"),
    State.CHECKED: _("read, may still change"),
}
PROMPTLESS = _("prompts no longer given")
_MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)


@compressed
@signed_in_page
def page(request: AccountRequest, month: str) -> HttpResponse:
    """The statement of a month; with `download=1` as a file that needs no other."""
    first = _month(month)
    archive_id = archives.of_page(request)
    found = statement(archive_id, first, wants_prompts=privacy.wants_prompts(request.user.pk))
    service = words_of(archive_id).get("service") or str(SERVICE)
    context = {"found": found, **_in_words(found, service), "month": month}
    if not truth(request.GET.get("download")):
        return render(request, "statement.html", {**context, **_neighbours(found)})
    name = f"statement-{request.user.username}-{month}.html"
    answer = render(request, "statement_file.html", {**context, "style": _style()})
    answer.headers["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    return answer


def _month(text: str) -> date:
    """The first day of a month as in 2026-11. Raises Http404 for anything else."""
    found = _MONTH.fullmatch(text)
    first = clock.parse_day(f"{text}-01") if found else None
    if first is None or first < clock.EARLIEST:
        raise Http404
    return first


def _neighbours(found: Statement) -> dict[str, date | None]:
    """The first days of the months before and after; no month after the present one."""
    today = clock.today()
    before = month_of(found.first - timedelta(days=1) if found.first <= today else today)[0]
    return {
        "preceding": before if before >= clock.EARLIEST else None,
        "following": found.last + timedelta(days=1) if found.last < today else None,
    }


def _in_words(found: Statement, service: object) -> dict[str, object]:
    """The amounts as texts, to the last digit: sums of a statement add up."""
    unit = found.unit
    return {
        "total": _row(found.total, unit),
        "listed": f"{found.proof.listed:,}",
        "here": f"{found.proof.here:,}",
        "models": [_row(one, unit) for one in found.models],
        "others": found.others and {**_row(found.others, unit), "names": int(found.others.name)},
        "days": [
            {
                **_row(day.amount, unit),
                "state": _state_words(day.known, service),
                "listed": "–" if day.known.listed is None else f"{day.known.listed:,}",
                "compared": (clock.local_text(day.known.compared_at) or "–")[:16],
            }
            for day in found.days
        ],
    }


def _state_words(day: KnownDay, service: object) -> str:
    """The state as the ledger of the pages names it (`static/js/charts/ledger_days.js`)."""
    words = PROMPTLESS if day.state is State.STRIPPED and day.is_final else STATES[day.state]
    return str(words) % {"service": service}


def _row(one: Amount, unit: Unit) -> dict[str, object]:
    known = one.known_credits
    return {
        "name": one.name,
        "spent": "–" if known is None else exact(known, unit),
        "calls": f"{one.calls:,}",
        "free": f"{one.free:,}",
        "unknown": one.unknown,
    }


@cache
def _style() -> str:
    """The styles as an address that holds them."""
    styles = (RESOURCES / "static" / "css" / "statement.css").read_bytes()
    return f"data:text/css;base64,{b64encode(styles).decode()}"
