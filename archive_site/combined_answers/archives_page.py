"""The page of an account's archives (docs/api.md#pages)."""

from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts import archives, credential
from accounts.models import Archive as StoredArchive
from archive_site.combined_answers import archives_api
from archive_site.lib.http.account_request import AccountRequest, signed_in_page
from archive_site.lib.http.answer_types import as_json
from collection.sources.kinds import KINDS

# What the page calls the fields of credentials.
FIELDS = {"key": _("API key"), "token": _("Access token"), "user_id": _("User id")}
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
    own = [_words(one) for one in archives_api.listed(request.user.pk)]
    kinds = [(name, kind.traits.name) for name, kind in KINDS.items()]
    fields = [_Field(name, str(label), _kinds_with(name)) for name, label in FIELDS.items() if _kinds_with(name)]
    addressed = " ".join(name for name, kind in KINDS.items() if kind.address == "")
    most = {"most": archives.MOST, "label_length": StoredArchive.LABEL_LENGTH}
    context = {"own": own, "kinds": kinds, "fields": fields, "addressed": addressed, **most}
    return render(request, "archives.html", {**context, "shown": archives.of_page(request)})


class _Field(NamedTuple):
    """A field of the credentials of some kinds."""

    name: str
    label: str
    kinds: str


def _kinds_with(field: str) -> str:
    return " ".join(name for name, kind in KINDS.items() if field in kind.fields)


def _words(one: archives_api.Archive) -> dict[str, object]:
    return {
        **as_json(one),
        "service": KINDS[one.kind].traits.name,
        "has_cookie": KINDS[one.kind].traits.credential == "cookie",
        "own_address": KINDS[one.kind].address == "",
        "unit": UNITS.get(one.unit, one.unit),
        # The thousands separator is that of the scripts.
        "calls": one.records,
        "records": f"{one.records:,}",
        "credential": credential.state(one.id),
    }
