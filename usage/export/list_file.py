"""A part of a list as a file, in one of the formats of exports (docs/api.md#formats)."""

from django.http import HttpResponseBase
from django.utils.translation import gettext

from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.whole_answers import whole_answer
from usage.export.pieces import Form, IncompleteExport, pieces_of
from usage.models import Record
from usage.reads.list_parts import ListPart


def answer(request: AccountRequest, archive_id: int, part: ListPart, content_type: str, form: Form) -> HttpResponseBase:
    """The records in their order; a header `Link` names the part that follows.

    Raises ApiError 503 where a record is removed meanwhile.
    """
    wanted = [record.request_id for record in part.records]
    keys = dict(Record.objects.filter(archive_id=archive_id, request_id__in=wanted).values_list("request_id", "pk"))
    ids = [keys[request_id] for request_id in wanted if request_id in keys]
    try:
        response = whole_answer(pieces_of(archive_id, [ids], form), content_type)
    except IncompleteExport:
        raise ApiError(503, "unavailable", gettext("The archive is being changed; try again."), retry_after=1) from None
    response.headers["Cache-Control"] = "no-store"
    if part.next_place:
        query = request.GET.copy()
        query.pop("page", None)
        query["after"] = part.next_place
        response.headers["Link"] = f'<{request.path}?{query.urlencode()}>; rel="next"'
    return response
