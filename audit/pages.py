"""Pages of the audit log and of the application's log (docs/api.md#audit-and-log)."""

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.http import require_safe

from archive_site.lib import rotated_log
from archive_site.lib.http import parameter_parsing
from archive_site.lib.http.account_request import (
    AccountRequest,
    admin_page,
    admins_only,
    login_required,
    signed_in_page,
)
from audit import words
from audit.application_log_tail import last_lines

LINES, MOST_LINES = 200, 2000
ELSEWHERE = gettext_noop(
    "This instance writes its log to standard output, not to a file. Read it where the service runs, for example with "
    "journalctl or in the log of its container."
)
LINE_CHOICES = (LINES, 500, 1000, MOST_LINES)


@signed_in_page
def audit(request: AccountRequest) -> HttpResponse:
    """The audit log, read through the API: all entries for administrators; others see only their own."""
    return render(request, "audit.html", {"words": {"actions": words.ACTIONS, "actors": words.ACTORS}})


@admin_page
def logs(request: AccountRequest) -> HttpResponse:
    """The application's log, followed live; for administrators."""
    elsewhere = gettext(ELSEWHERE) if settings.LOG_TO_STDOUT else ""
    context = {"choices": LINE_CHOICES, "elsewhere": elsewhere, "unwritable": rotated_log.failure()}
    return render(request, "logs.html", context)


@require_safe
@login_required
@admins_only
def log_tail(request: AccountRequest) -> HttpResponse:
    """GET /logs/tail: the log's last `lines` lines, as plain text (docs/api.md#log-tail)."""
    if settings.LOG_TO_STDOUT:
        return _plain(gettext(ELSEWHERE) + "\n", 404)
    lines = last_lines(settings.DATA_FOLDER.log, parameter_parsing.clamped(request.GET, "lines", LINES, MOST_LINES))
    return _plain("".join(f"{line}\n" for line in lines))


def _plain(text: str, status: int = 200) -> HttpResponse:
    headers = {"Cache-Control": "no-store"}
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8", headers=headers)
