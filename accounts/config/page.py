"""This app's part of the pages of settings: cookie and User-Agent, and the settings of the instance
(docs/api.md#pages)."""

from django.http import HttpResponse
from django.shortcuts import render

from accounts.config import instance_values, user_agent
from accounts.config.form import setting_groups
from accounts.credentials import cookie_lifetimes, credential
from archive_site.lib import clock
from archive_site.lib.clock import local_text
from archive_site.lib.http.account_request import AccountRequest, admin_page


def config_context(archive_id: int) -> dict[str, object]:
    """This app's part of the settings page: cookie and User-Agent."""
    cookie = credential.state(archive_id)
    return {
        "cookie": cookie,
        # A named end is more than a guess from earlier cookies.
        "cookie_lasted": cookie_lifetimes.lasted(archive_id) if not cookie.ends_at else None,
        "cookie_set_at": local_text(credential.set_at(archive_id)),
        "user_agent": user_agent(archive_id),
        "now": clock.now(),
    }


@admin_page
def instance_settings_page(request: AccountRequest) -> HttpResponse:
    """The settings of the instance, in groups; changed through the API (docs/api.md#pages)."""
    return render(request, "instance_settings.html", {"groups": setting_groups(instance_values())})
