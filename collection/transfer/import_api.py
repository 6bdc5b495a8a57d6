"""Importing a file into an account, and exporting the whole account (docs/api.md#import)."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext

from accounts import archives
from accounts.api_types import REAUTHENTICATE_WITH_CODE
from accounts.models import User
from accounts.signin.reauthentication_page import recent_factor_required
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.described import COLLECTION, FORM, FileAnswer, described
from archive_site.lib.http.download_places import NO_PLACE, require_place
from archive_site.lib.http.request_types import read
from archive_site.lib.stored_message import Message
from audit import log
from collection.api_types import (
    ACCOUNT_FULL,
    FAILED,
    IMPORT,
    IMPORT_BODY,
    INTERRUPTED,
    NO_SPACE,
    UNREADABLE,
    DryRun,
    ImportedFile,
    ImportForm,
)
from collection.models import Run
from collection.runs import runs
from collection.transfer import account_export
from collection.transfer.import_run import Importer, import_file, preview
from usage.export import concurrency_limit as export_places
from usage.export.pieces import begun
from usage.importing.columns import mapping_of
from usage.importing.file_format import Options, zone_named
from usage.importing.file_source import Source, source_at
from usage.source_traits import traits_of

ZIP = "application/zip"


@described(
    COLLECTION,
    "Import",
    "Import a file of calls, or say what it holds",
    body=IMPORT_BODY,
    body_type=FORM,
    answer=IMPORT,
    errors={
        "400 bad_request": "No file or several, wrong `columns` or `zone`.",
        **UNREADABLE,
        "409 busy": "A collection runs, or another file of the account is read.",
        **INTERRUPTED,
        **FAILED,
        **ACCOUNT_FULL,
        **NO_SPACE,
        "429 too_frequent": "Too many files are received at once.",
    },
)
def import_calls(request: AccountRequest) -> tuple[DryRun, ImportedFile] | dict[str, Any]:
    source = _source_of(request)
    form = read(ImportForm, request.POST)
    options = Options(_columns(form.columns), zone_named(form.zone.strip()), form.encoding.strip())
    named = archives.named_in(request)
    if named is not None and (traits := traits_of(named)).is_asked and traits.bills_others:
        raise ApiError(400, "bad_request", gettext("An archive of bills has no calls."))
    if form.dry_run:
        return DryRun(True, True), preview(request.user, source, options, named)
    importer = Importer(request.user, Run.Trigger.MANUAL, request.user.username, client_address(request), named)
    run, found = import_file(importer, source, options)
    return {"ok": True, "result": as_json((runs.payload(run), found))}


@described(
    COLLECTION,
    "Export of the account",
    "The whole account as a ZIP file",
    answers={
        200: FileAnswer((ZIP,), "The file, streamed."),
        302: FileAnswer((), "A browser that has to give its second factor again is led to `/reauthenticate`."),
    },
    errors={**NO_PLACE, "429 too_frequent": "Too many exports run at once.", **REAUTHENTICATE_WITH_CODE},
)
@recent_factor_required
def export_account(request: AccountRequest) -> HttpResponseBase:
    """GET /api/account/export: the whole account as one file."""
    user = request.user
    name = account_export.file_name(user.username, clock.now())
    headers = {
        "Content-Disposition": content_disposition_header(True, name) or "attachment",
        "Cache-Control": "no-store",
    }
    if request.method == "HEAD":
        return HttpResponse(content_type=ZIP, headers=headers)
    require_place(request)
    stream = begun(_account_stream(user, client_address(request)))
    return StreamingHttpResponse(stream, content_type=ZIP, headers=headers)


def _account_stream(user: User, ip: str) -> Generator[bytes]:
    """The file. Once its first piece is taken, its place is freed, however it ends."""
    with export_places.place(user.pk):
        log.record_if_room("export", actor=user.username, user_id=user.pk, ip=ip, detail=Message("account_exported"))
        # A file that breaks off lacks its directory, so no reader takes it for a whole one.
        yield from account_export.pieces(user)


def _source_of(request: AccountRequest) -> Source:
    """The one file of the form. Raises ApiError 400."""
    files = request.FILES.getlist("file")
    if len(files) != 1 or len(request.FILES) != 1 or not isinstance(files[0], TemporaryUploadedFile):
        message = gettext("Send one file, in the field 'file' of a form (multipart/form-data).")
        raise ApiError(400, "bad_request", message)
    return source_at(Path(files[0].temporary_file_path()), files[0].name or "")


def _columns(text: str) -> dict[str, str]:
    try:
        given = json.loads(text or "{}")
        json.dumps(given, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise ApiError(400, "bad_request", gettext("'columns' is not a JSON object."))
    return mapping_of(given)
