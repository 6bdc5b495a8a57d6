"""Pages of the audit log and of the application's log (docs/api.md#audit-and-log)."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from archive_site.lib.http import parameters
from archive_site.lib.http.account_request import AccountRequest, admin_page, admins_only, signed_in_page
from audit.application_log_tail import last_lines

LINES, MOST_LINES = 200, 2000
LINE_CHOICES = (LINES, 500, 1000, MOST_LINES)


@signed_in_page
def audit(request: AccountRequest) -> HttpResponse:
    """The audit log, read through the API: all entries for administrators; others see only their own."""
    return render(request, "audit.html")


@admin_page
def logs(request: AccountRequest) -> HttpResponse:
    """The application's log, followed live; for administrators."""
    return render(request, "logs.html", {"choices": LINE_CHOICES})


@require_safe
@login_required
@admins_only
def log_tail(request: AccountRequest) -> HttpResponse:
    """GET /logs/tail: the log's last `lines` lines, as plain text (docs/api.md#log-tail)."""
    lines = last_lines(settings.DATA_FOLDER.log, parameters.clamped(request.GET, "lines", LINES, MOST_LINES))
    text = "".join(f"{line}\n" for line in lines)
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})
