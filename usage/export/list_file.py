"""A part of a list as a file, in one of the formats of exports (docs/api.md#formats)."""

from django.http import HttpResponseBase
from django.utils.translation import gettext

from accounts import archives
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.whole_answers import whole_answer
from usage.export.formats import Format
from usage.export.header import Contents, language_in
from usage.export.pieces import IncompleteExport, pieces_of
from usage.models import Record
from usage.record_lists.cursor import Cursor
from usage.record_payloads import Listed
from usage.unit_of_archive import unit_of


def answer(
    request: AccountRequest, records: list[Listed], following: Cursor | None, form: Format, *, purpose: bool, lang: str
) -> HttpResponseBase:
    """The records in their order; a header `Link` names the part that follows.

    Raises ApiError 400, and 503 where a record is removed meanwhile.
    """
    archive_id = archives.of_request(request)
    wanted = [record.request_id for record in records]
    keys = dict(Record.objects.filter(archive_id=archive_id, request_id__in=wanted).values_list("request_id", "pk"))
    ids = [keys[request_id] for request_id in wanted if request_id in keys]
    try:
        contents = Contents(purpose, archives.is_named(request))
        made = form.form(contents, language_in(lang), unit_of(archive_id))
        response = whole_answer(pieces_of(archive_id, [ids], made), form.content_type)
    except IncompleteExport:
        raise ApiError(503, "unavailable", gettext("The archive is being changed; try again."), retry_after=1) from None
    response.headers["Cache-Control"] = "no-store"
    if following:
        query = request.GET.copy()
        query.pop("page", None)
        query["after"] = following.as_text()
        response.headers["Link"] = f'<{request.path}?{query.urlencode()}>; rel="next"'
    return response
