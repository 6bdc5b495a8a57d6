"""Pages with data of several apps: the settings with the kept exports, the profile and the accounts with what they
store."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from accounts import archives
from accounts.config.page import config_context
from accounts.models import User
from accounts.openid import identities
from accounts.profile_page import RULES, profile_context
from accounts.signin import invitations
from accounts.user_changes import public_form
from archive_site.lib.http.account_request import AccountRequest, admin_page, signed_in_page
from archive_site.lib.http.answer_types import as_json
from usage import stored_size
from usage.export import kept_files
from usage.privacy_page import privacy_context
from usage.reads import queries
from usage.retention.page import retention_context


@signed_in_page
def config(request: AccountRequest) -> HttpResponse:
    """The settings of the account: cookie, User-Agent and maintenance.

    Where a further archive is shown, the maintenance is of that one, and the page leads on to its credential.
    """
    archive_id = archives.of_page(request)
    exports = kept_files.newest_first(archive_id)
    user_id = request.user.pk
    of_account = {**privacy_context(user_id), **retention_context(user_id)}
    context = {**config_context(archive_id), **of_account, "exports": exports}
    return render(request, "config.html", context)


@signed_in_page
def profile(request: AccountRequest) -> HttpResponse:
    """Name shown, email, password, sessions, tokens and size of the caller's account; changed through the API."""
    stored = stored_size.of_account(request.user.pk)
    return render(request, "profile.html", {**profile_context(request), "stored": stored.words})


@admin_page
def users(request: AccountRequest) -> HttpResponse:
    """All accounts, for administrators; the page changes them through the API."""
    records, stored = queries.records_by_account(), stored_size.of_all()
    elsewhere = (
        {"elsewhere_name": settings.OPENID.name, "subject_length": identities.SUBJECT_LENGTH} if settings.OPENID else {}
    )
    subjects = identities.subjects() if settings.OPENID else {}
    people = [
        # The thousands separator is that of the scripts.
        {
            **as_json(public_form(user)),
            "records": f"{records.get(user.pk, 0):,}",
            "stored": stored_size.megabytes(stored[user.pk]) if stored.get(user.pk) else "",
            "has_factor": user.second_factor == User.HAS_FACTOR,
            "subject": subjects.get(user.pk, ""),
        }
        for user in User.objects.order_by("pk")
    ]
    context = {"people": people, "invitations": invitations.open_ones(), **elsewhere, **RULES}
    return render(request, "users.html", context)
