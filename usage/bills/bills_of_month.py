"""The bills of a month, as the page of an archive shows them that has no calls (docs/api.md#pages)."""

import json
from collections import defaultdict
from collections.abc import Sequence

from django.utils.translation import gettext_lazy as _

from accounts import archives
from accounts.models import Archive
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.measures import What
from usage.models import DayProof
from usage.proofs import billed_days, stored_bills
from usage.proofs.billed_days import BilledDay, Counted, added, dearest_first
from usage.proofs.comparison import Difference
from usage.proofs.stored_bills import AGREED
from usage.record_payloads import exact
from usage.source_traits import traits_of
from usage.statements.shown_month import ShownMonth

# Models that a day and a month name; the others are counted.
_OF_DAY, _OF_MONTH = 3, 20
# Differences of a day that are named, and what pages call what is counted.
_DIFFERENCES = 3
COUNTED = {
    What.AMOUNT: _("Amount"),
    What.CALLS: _("Calls"),
    What.TOKENS_IN: _("Tokens in"),
    What.TOKENS_OUT: _("Tokens out"),
    What.CACHE_READ: _("Tokens read from a cache"),
    What.CACHE_WRITE: _("Tokens written into a cache"),
}


def bills_of_month(archive_id: int, text: str) -> dict[str, object]:
    """The bills of the month that a text names, newest first, their sum, and that of each model; empty where no day has
    a bill."""
    if not stored_bills.days_of(archive_id):
        return {}
    month, unit, proved = ShownMonth.named(text), unit_of(archive_id), archives.proved_by(archive_id)
    found = billed_days.billed_days(archive_id, month.days)
    compared = DayProof.objects.filter(bill_id=archive_id, day__in=[one.day for one in found])
    proofs = dict(compared.values_list("day", "differences"))
    whole = added(one.whole for one in found)
    # Bills without amounts have bars of their calls or tokens.
    drawn = next((what for what in (What.AMOUNT, What.CALLS, *billed_days.TOKENS) if what in whole), What.AMOUNT)
    models = _models(found)
    shown, others = models[:_OF_MONTH], models[_OF_MONTH:]
    of_days, of_models = [one.whole for one in found], [counted for name, counted in shown]
    days, parts = ([each.get(drawn, 0) for each in sums] for sums in (of_days, of_models))
    return {
        "month": month,
        "days": [
            {**_day(one, unit, proofs.get(one.day)), "bar": bar} for one, bar in zip(found, _bars(days), strict=True)
        ],
        "whole": _words(whole, unit),
        "models": [
            {"name": name, "bar": bar, **_words(counted, unit)}
            for (name, counted), bar in zip(shown, _bars(parts), strict=True)
        ],
        "others": {"names": len(others), **_words(added(each for name, each in others), unit)} if others else None,
        "unit": unit.code,
        "proved": Archive.objects.filter(pk=proved or 0).first() if proofs else None,
        # The page of runs shows the days of an archive that is asked.
        "has_ledger": proved is not None and traits_of(proved).is_asked,
    }


def _models(found: Sequence[BilledDay]) -> list[tuple[str, Counted]]:
    """The sums of each model over these days, the largest amount first."""
    by_model: dict[str, list[Counted]] = defaultdict(list)
    for day in found:
        for model, counted in day.models:
            by_model[model].append(counted)
    return dearest_first((model, added(several)) for model, several in by_model.items())


def _state(is_complete: bool, differences: str | None) -> str:
    """How a day compares with the calls that it is to prove, and whether it may change."""
    if not is_complete:
        return "open"
    if differences is None:
        return ""
    return "agrees" if differences == AGREED else "differs"


def _bars(amounts: Sequence[int]) -> list[str]:
    """The lengths of bars, in hundredths of the longest one."""
    most = max(amounts, default=0)
    return [f"{max(amount, 0) / most * 100 if most > 0 else 0:.1f}" for amount in amounts]


def _day(one: BilledDay, unit: Unit, differences: str | None) -> dict[str, object]:
    state = _state(one.is_complete, differences)
    if state != "differs" and one.whole.keys() == {What.AMOUNT}:
        # Amounts alone prove nothing.
        state = "none"
    found = [Difference(*each) for each in json.loads(differences or "[]")] if state == "differs" else []
    models = [{"name": model, **_words(counted, unit)} for model, counted in one.models[:_OF_DAY]]
    return {
        "day": one.day,
        "state": state,
        "models": models,
        "others": len(one.models) - len(models),
        "differences": [_difference(each, unit) for each in found[:_DIFFERENCES]],
        **_words(one.whole, unit),
    }


def _difference(one: Difference, unit: Unit) -> dict[str, object]:
    here, there = (
        amount if amount is None or one.what != What.AMOUNT else exact(amount, unit) for amount in (one.here, one.there)
    )
    return {"model": one.model, "what": COUNTED[What(one.what)], "here": here, "there": there}


def _words(counted: Counted, unit: Unit) -> dict[str, str]:
    """Sums as texts, empty where a bill does not say them."""
    spent, calls = counted.get(What.AMOUNT), counted.get(What.CALLS)
    tokens = [counted[what] for what in billed_days.TOKENS if what in counted]
    return {
        "spent": "" if spent is None else exact(spent, unit),
        "calls": "" if calls is None else f"{calls:,}",
        "tokens": f"{sum(tokens):,}" if tokens else "",
    }
