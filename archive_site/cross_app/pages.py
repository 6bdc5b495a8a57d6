"""Pages that show data of several apps: the settings with the kept exports, the accounts with their records."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User
from accounts.pages import config_context
from accounts.user_changes import public_form
from accounts.user_pages import RULES
from usage import queries
from usage.export import kept_files


@never_cache
@require_safe
@login_required
def config(request: HttpRequest) -> HttpResponse:
    """The settings: cookie and user agent for everybody, the instance's for administrators."""
    user = request.user
    assert isinstance(user, User)
    return render(request, "config.html", {**config_context(user), "exports": kept_files.newest_first(user.pk)})


@never_cache
@require_safe
@login_required
def users(request: HttpRequest) -> HttpResponse:
    """All accounts, for administrators; changed through the API. Raises PermissionDenied for others."""
    assert isinstance(request.user, User)
    if not request.user.is_admin:
        raise PermissionDenied
    records = queries.records_by_account()
    people = [
        # Thousands are separated as the scripts write them.
        {**public_form(user), "records": f"{records.get(user.pk, 0):,}"}
        for user in User.objects.order_by("pk")
    ]
    return render(request, "users.html", {"people": people, **RULES})
