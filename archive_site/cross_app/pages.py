"""Pages that show data of several apps: the settings with the kept exports, the accounts with their records."""

from django.http import HttpResponse
from django.shortcuts import render

from accounts.models import User
from accounts.pages import config_context
from accounts.user_changes import public_form
from accounts.user_pages import RULES
from archive_site.lib.http.account_request import AccountRequest, admin_page, signed_in_page
from usage import queries
from usage.export import kept_files


@signed_in_page
def config(request: AccountRequest) -> HttpResponse:
    """The settings: cookie and user agent for everybody, the instance's for administrators."""
    user = request.user
    return render(request, "config.html", {**config_context(user), "exports": kept_files.newest_first(user.pk)})


@admin_page
def users(request: AccountRequest) -> HttpResponse:
    """All accounts, for administrators; changed through the API."""
    records = queries.records_by_account()
    people = [
        # Thousands are separated as the scripts write them.
        {**public_form(user), "records": f"{records.get(user.pk, 0):,}"}
        for user in User.objects.order_by("pk")
    ]
    return render(request, "users.html", {"people": people, **RULES})
