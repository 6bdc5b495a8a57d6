"""The page of backups, for administrators only."""

import shutil

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.models import User
from backups import catalog
from backups.backup_manifest import NOTE_LENGTH


@never_cache
@require_safe
@login_required
def page(request: HttpRequest) -> HttpResponse:
    """The backups, to create, download, restore and delete through the API. Raises PermissionDenied."""
    assert isinstance(request.user, User)
    if not request.user.is_admin:
        raise PermissionDenied
    context = {
        "note_length": NOTE_LENGTH,
        "free": catalog.human(shutil.disk_usage(settings.DATA_FOLDER.backups).free),
        "pre_restore_kept": catalog.PRE_RESTORE_KEPT,
    }
    return render(request, "backups.html", context)
