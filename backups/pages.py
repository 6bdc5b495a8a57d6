"""The page of backups, for administrators only."""

import shutil

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import render

from archive_site.lib.http.account_request import AccountRequest, admin_page
from archive_site.lib.storage.data_folder import made
from backups import catalog, pruning
from backups.backup_manifest import NOTE_LENGTH


@admin_page
def page(request: AccountRequest) -> HttpResponse:
    """The backups, to create, download, restore and delete through the API."""
    context = {
        "note_length": NOTE_LENGTH,
        "free": catalog.human(shutil.disk_usage(made(settings.DATA_FOLDER.backups)).free),
        "pre_restore_kept": pruning.PRE_RESTORE_KEPT,
    }
    return render(request, "backups.html", context)
