"""The page of an account's notices (docs/api.md#pages)."""

from django.http import HttpResponse
from django.shortcuts import render

from accounts.delivery import addresses, choices
from accounts.delivery.events import NOTICE, SUMMARIES, TITLES, events_of
from accounts.delivery.sending.addresses import ALL_SCHEMES
from accounts.notices import sent
from accounts.notices.given_addresses import LONGEST_NAME
from accounts.notices.service_forms import FORMS, label_of
from accounts.webhooks import listed
from archive_site.lib.http.account_request import AccountRequest, signed_in_page


@signed_in_page
def notices_page(request: AccountRequest) -> HttpResponse:
    """Addresses, events and quiet hours, changed through the API; below them what was sent."""
    user, chosen = request.user, choices.of_account(request.user.pk)
    webhooks = listed.of_account(user.pk)
    events = [(event, TITLES[event], event not in chosen.off) for event in events_of(is_admin=user.is_admin)]
    return render(
        request,
        "notices.html",
        {
            "addresses": [(one, label_of(one.service)) for one in addresses.usable(user.pk)],
            "addresses_broken": addresses.are_broken(user.pk),
            "events": events,
            "summaries": [(period, title, period in chosen.summaries) for period, title in SUMMARIES.items()],
            "chosen": chosen,
            "notices": sent.of_account(user.pk),
            "services": FORMS.values(),
            "schemes": sorted(ALL_SCHEMES),
            "longest_name": LONGEST_NAME,
            "webhooks": webhooks,
            "webhooks_of_notices": [one.address for one in webhooks if NOTICE in one.events and not one.broken],
        },
    )
