"""The page of an account's archives (docs/api.md#pages)."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import archives
from accounts.credentials import credential
from accounts.models import Archive as StoredArchive
from archive_site.combined_answers import archives_api
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from archive_site.lib.http.answer_types import as_json
from collection.sources.kinds import KINDS, Kind
from usage import rates
from usage.amounts.units import Unit
from usage.archive_sums import ArchiveSum, Converted, archive_sums, converted_sums, sums_of_units
from usage.coverage.span_proof import SpanProof
from usage.importing.service_files.forms import SERVICES
from usage.prompt_privacy import policy as privacy
from usage.proofs import stored_bills
from usage.record_payloads import exact
from usage.source_traits import traits_for
from usage.statements.period_summary import change_in_words
from usage.statements.shown_month import ShownMonth

# What the page calls the fields of credentials, the secrets last: a refusal is shown at the last one.
FIELDS = {"user_id": _("User id"), "key": _("API key"), "token": _("Access token")}
# What the page calls units; codes of money are words already.
UNITS: dict[str, str | Promise] = {
    "credits": _("Credits"),
    "ai-credits": _("AI credits"),
    "premium-requests": _("Premium requests"),
    "quota": _("Quota"),
}


@signed_in_page
def page(request: AccountRequest) -> HttpResponse:
    """What each archive holds, and its state; they are made and changed through the API."""
    listed = archives_api.listed(request.user.pk)
    labels: dict[int | None, str] = {one.id: one.label for one in listed}
    own = [_words(one, labels) for one in listed]
    kinds = [(name, _service(kind)) for name, kind in KINDS.items()]
    fields = [_Field(name, str(label), _kinds_with(name)) for name, label in FIELDS.items() if _kinds_with(name)]
    addressed = " ".join(name for name, kind in KINDS.items() if kind.has_own_address)
    most = {"most": archives.MOST, "label_length": StoredArchive.LABEL_LENGTH}
    context = {"own": own, "kinds": kinds, "fields": fields, "addressed": addressed, "money": rates.MONEY, **most}
    context["formats"] = SERVICES.items()
    # Those of files may hold reports of sums.
    context["of_bills_kinds"] = " ".join(
        name for name, kind in KINDS.items() if kind.traits.bills_others or not kind.way
    )
    # One archive without a rate has all of this on its overview.
    if len(own) > 1 or any(one["rate"] for one in own):
        context["sums"] = _sums(request.user.pk, ShownMonth.named(request.GET.get("month", "")))
    return render(request, "archives.html", {**context, "shown": archives.of_page(request)})


def _sums(user_id: int, month: ShownMonth) -> dict[str, object]:
    """What each archive came to in a month, and the sums of those that may be added."""
    found = archive_sums(archives.all_of(user_id), month.days, wants_prompts=privacy.wants_prompts(user_id))
    labels = {one.archive.pk: one.archive.label for one in found}
    converted = converted_sums(found)
    return {
        "month": month,
        "rows": [_row(one, {each.unit.code for each in converted}) for one in found],
        "units": [
            {
                "unit": _unit_name(one.figures.unit),
                "spent": _spent(one.figures.known_credits, one.figures.unit),
                "calls": f"{one.figures.calls:,}",
                "estimates": any(each.archive.pk in one.archives and each.estimates for each in found),
                "unknown": one.figures.without_amount,
            }
            for one in sums_of_units(found)
            if len(one.archives) > 1
        ],
        "converted": [
            {
                "unit": _unit_name(one.unit),
                "spent": _estimate(one.parts, one.unit),
                "without": [labels[archive_id] for archive_id in one.without],
            }
            for one in converted
        ],
    }


def _service(kind: Kind, file_format: str | None = None) -> str:
    """What the page calls the service of an archive."""
    if kind.way:
        return kind.traits.name
    words = gettext("Files of %(service)s") if file_format else gettext("Files")
    return words % {"service": SERVICES[file_format]} if file_format else words


def _row(one: ArchiveSum, currencies: Collection[str]) -> dict[str, object]:
    unit, traits, to = one.unit, traits_for(one.archive), one.converted
    # Beside converted amounts stand those that need no rate.
    if to is None and unit.code in currencies and one.parts is not None:
        to = Converted(one.parts, unit)
    return {
        "id": one.archive.pk,
        "label": one.archive.label,
        "service": _service(KINDS[one.archive.kind], one.archive.file_format),
        "of_files": not traits.is_asked,
        "of_bills": traits.bills_others,
        "unit": _unit_name(unit),
        "estimates": one.estimates,
        "spent": _spent(one.parts, unit),
        "calls": "–" if one.calls is None else f"{one.calls:,}",
        "unknown": one.figures.without_amount,
        "change": change_in_words(one.before, one.change),
        "seal": _seal(one.proof),
        "proof": one.proof,
        "converted": _estimate(to.parts, to.unit) if to else "",
        "to": to.unit.code if to else "",
        "is_converted": one.converted is not None,
    }


def _seal(proof: SpanProof) -> str:
    if not proof.over:
        return "open"
    if proof.lacking:
        return "lacking"
    if proof.differing:
        return "differing"
    return "whole" if proof.is_whole else "gone"


def _spent(parts: int | None, unit: Unit) -> str:
    """An amount to the last digit; empty for an unknown one."""
    return "" if parts is None else exact(parts, unit)


def _estimate(parts: int, unit: Unit) -> str:
    """An estimate as pages show it: more digits than cents would say more than the rate does."""
    return f"{unit.decimal(parts):,.2f}"


def _unit_name(unit: Unit) -> str:
    return str(UNITS.get(unit.code, unit.code))


class _Field(NamedTuple):
    """A field of the credentials of some kinds."""

    name: str
    label: str
    kinds: str


def _kinds_with(field: str) -> str:
    return " ".join(name for name, kind in KINDS.items() if field in kind.fields)


def _words(one: archives_api.Archive, labels: Mapping[int | None, str]) -> dict[str, object]:
    kind, traits = KINDS[one.kind], traits_for(archives.Holding(one.kind, one.format or "", one.unit))
    own, token = credential.states(one.id) if kind.way else (None, None)
    return {
        **as_json(one),
        "service": _service(kind, one.format),
        "has_cookie": kind.traits.credential == "cookie",
        "own_address": kind.has_own_address,
        "of_files": kind.way is None,
        "of_bills": traits.bills_others,
        "provable": not (one.primary or traits.bills_others),
        "proved": labels.get(one.proves),
        "billed_days": stored_bills.days_of(one.id) if traits.bills_others else 0,
        "unit": UNITS.get(one.unit, one.unit),
        "unit_code": one.unit,
        # The thousands separator is that of the scripts.
        "calls": one.records,
        "records": f"{one.records:,}",
        "credential": own,
        "token": token,
    }
