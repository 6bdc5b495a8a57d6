"""GET /records/export: the records as a file (docs/api.md#export)."""

import logging
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Annotated

from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_safe

from accounts import archives
from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.http.account_request import AccountRequest, login_required
from archive_site.lib.http.answer_types import about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.bearer import EXPORT
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.described import READS, FileAnswer, described
from archive_site.lib.http.download_places import NO_PLACE, require_place
from archive_site.lib.http.json_views import error_response, opened_by_token
from archive_site.lib.http.request_types import BAD, read
from archive_site.lib.stored_message import Message, Value
from audit import log as audit_log
from usage.amounts.unit_of_archive import unit_of
from usage.export import concurrency_limit as export_places
from usage.export.formats import FILE_TYPES, FORMATS, Format, format_in
from usage.export.header import Contents, language_in
from usage.export.kept_files import find_export
from usage.export.pieces import begun, file_name, pieces
from usage.filters import RecordFilters
from usage.parameters_of_reads import FORMAT, Columns, Lang, OfLists, file_format

log = logging.getLogger(__name__)


class Exported(OfLists, frozen=True):
    columns: Columns
    lang: Lang
    format: Annotated[str, file_format("csv"), about(FORMAT % "csv")]


@described(
    READS,
    "Export",
    "The records as a file",
    query=Exported,
    answer=FileAnswer(FILE_TYPES, "The file, streamed."),
    errors={**BAD, **NO_PLACE, "429 too_frequent": "Too many exports run at once."},
    names_archive=True,
)
@opened_by_token(EXPORT)
@require_safe
@login_required
def export_records(request: AccountRequest) -> HttpResponseBase:
    """Stream the records that the filters find. A wrong parameter is a 400, no free place a 429, both in JSON."""
    user = request.user
    try:
        archives.find(request)
        query = read(Exported, request.GET)
        language, form = language_in(query.lang), FORMATS[format_in(request, query.format, "csv")]
        name = file_name(user.username, clock.now(), form.ending)
        headers = {
            "Content-Disposition": content_disposition_header(True, name) or "attachment",
            "Cache-Control": "no-store",
        }
        if request.method == "HEAD":
            return HttpResponse(content_type=form.content_type, headers=headers)
        require_place(request)
        archive_id = archives.of_request(request)
        unit = unit_of(archive_id)
        filters = query.filters_in(archive_id, unit)
        contents = Contents(query.columns, archives.is_named(request))
        found = pieces(archive_id, filters, query.order, form.form(contents, language, unit))
        stream = _stream(user, found, form, client_address(request), _detail(filters, query.order))
        answered = begun(stream)
    except ApiError as error:
        return error_response(error)
    return StreamingHttpResponse(answered, content_type=form.content_type, headers=headers)


@described(
    READS,
    "Kept exports",
    "A file that the maintenance action `export-csv` wrote",
    answers={
        200: FileAnswer((FORMATS["csv"].content_type,), "The file."),
        404: FileAnswer(("text/html",), "The account has no such file."),
    },
    errors={
        "404 not_found": "The account has no such file.",
        "409 elsewhere": "Only another node has the file.",
        **NO_PLACE,
    },
    names_archive=True,
)
@opened_by_token(EXPORT)
@require_GET
@login_required
def kept_export(request: AccountRequest, name: str) -> HttpResponseBase:
    """An export that `export-csv` wrote, for its owner only. Raises Http404 for any other name."""
    try:
        archives.find(request)
        path = find_export(archives.of_request(request), name)
        if path is None:
            raise Http404
        require_place(request)
    except ApiError as error:
        return error_response(error)
    # `find_export` returns only names that this service generates, so the name needs no escaping.
    return FileResponse(
        path.open("rb"),
        as_attachment=True,
        filename=name,
        content_type=FORMATS["csv"].content_type,
        headers={"Cache-Control": "no-store"},
    )


def _stream(user: User, pieces: Iterator[bytes], form: Format, ip: str, detail: Message) -> Generator[bytes]:
    """The file. Once its first piece is taken, its place is freed, however it ends."""
    with export_places.place(user.pk):
        audit_log.record_if_room("export", actor=user.username, user_id=user.pk, ip=ip, detail=detail)
        # What comes before the first record, and some records.
        yield b"".join(islice(pieces, 2))
        try:
            yield from pieces
        except Exception:
            # The web server ends the answer as if it were complete, so the file itself has to contain the warning.
            log.exception("an export of account %s broke off", user.pk)
            yield form.broken_off
            raise


def _detail(filters: RecordFilters, order: str) -> Message:
    """What was exported, without the texts of the filters, because others also read the audit log."""
    first, last = filters.days.first, filters.days.last
    span: dict[str, Value] = {
        "first": str(first) if first else Message("export_from_start"),
        "last": str(last) if last else Message("export_to_end"),
    }
    named = {
        "model": filters.model,
        "client": filters.client,
        "purpose": filters.purpose,
        "q": filters.text or None,
        "free": filters.is_free,
        "with_prompt": filters.has_prompt,
        "credits_above": filters.credits_above,
        "tokens_above": filters.tokens_above,
        "hour": filters.hour,
    }
    by = [Message("export_filter", name=name) for name, value in named.items() if value is not None]
    if not by:
        return Message("records_exported", order=order, **span)
    return Message("records_exported_by", order=order, filters=by, **span)
