"""The page of an account's archives (docs/api.md#pages)."""

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
    kinds = [(name, kind.traits.name or name) for name, kind in KINDS.items()]
    most = {"most": archives.MOST, "label_length": StoredArchive.LABEL_LENGTH}
    return render(request, "archives.html", {"own": own, "kinds": kinds, "shown": archives.of_page(request), **most})


def _words(one: archives_api.Archive) -> dict[str, object]:
    return {
        **as_json(one),
        "service": KINDS[one.kind].traits.name or one.kind,
        "unit": UNITS.get(one.unit, one.unit),
        # The thousands separator is that of the scripts.
        "calls": one.records,
        "records": f"{one.records:,}",
        "credential": credential.state(one.id),
    }
