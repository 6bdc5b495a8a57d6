"""Pages of the audit log and of the application's log (design 10)."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from archive_site.lib.http import parameters
from audit.log_tail import last_lines

LINES, MOST_LINES = 200, 2000
LINE_CHOICES = (LINES, 500, 1000, MOST_LINES)


@never_cache
@require_safe
@login_required
def audit(request: HttpRequest) -> HttpResponse:
    """The audit log: everybody's for administrators, the own entries for others; read through the API."""
    return render(request, "audit.html")


@never_cache
@require_safe
@login_required
def logs(request: HttpRequest) -> HttpResponse:
    """The application's log, followed; for administrators. Raises PermissionDenied for others."""
    _require_admin(request)
    return render(request, "logs.html", {"choices": LINE_CHOICES})


@require_safe
@login_required
def log_tail(request: HttpRequest) -> HttpResponse:
    """GET /logs/tail: the log's last `lines` lines, as plain text (specification 4.2). Raises PermissionDenied."""
    _require_admin(request)
    lines = last_lines(settings.DATA_FOLDER.log, parameters.clamped(request.GET, "lines", LINES, MOST_LINES))
    text = "".join(f"{line}\n" for line in lines)
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers={"Cache-Control": "no-store"})


def _require_admin(request: HttpRequest) -> None:
    if not getattr(request.user, "is_admin", False):
        raise PermissionDenied
