"""The JSON read of what changed in an archive (docs/api.md#changes)."""

from typing import Annotated

from django.http import HttpResponseBase
from django.utils.translation import gettext

from accounts import archives
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import about
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.described import READS, described
from archive_site.lib.http.request_types import BAD, Query, clamped
from usage import data_version, etag
from usage.change_log.place import Place
from usage.change_log.reads import changes_since
from usage.change_log.writes import last_number
from usage.record_types import Changes


class Since(Query, frozen=True):
    since: Annotated[str, about("the `next` of an earlier answer; without it from the first record on")]
    size: Annotated[int, clamped(200, 500), about("records of an answer")]


@described(
    READS,
    "Changes",
    "What was added, changed and removed since a place in the archive's history",
    answer=Changes,
    errors={**BAD, "410 cursor_gone": "The place is of an archive that was replaced, or of another account."},
    is_conditional=True,
)
def changes(request: AccountRequest, query: Since) -> HttpResponseBase:
    """GET /api/changes: what was added, changed and removed since a place. Raises ApiError 400 and 410."""
    measured = archives.is_named(request)
    place, size = _place(archives.of_request(request), query.since.strip()), query.size
    return etag.answer(request, (place, size), lambda: changes_since(place, size, measured=measured))


def _place(archive_id: int, since: str) -> Place:
    store, *_ = data_version.state(archive_id)
    if not since:
        return Place(store, archive_id)
    place = Place.read(since)
    if place is None:
        raise ApiError(400, "bad_request", gettext("'since' must be the 'next' of an earlier answer."))
    if (place.store, place.archive_id) != (store, archive_id) or place.number > last_number(archive_id):
        message = gettext("The archive was replaced since then, or is another one: begin again without 'since'.")
        raise ApiError(410, "cursor_gone", message)
    return place
