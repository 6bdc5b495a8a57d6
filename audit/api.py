"""The JSON view of the audit log (docs/api.md#audit)."""

from typing import Annotated

from django.utils.translation import gettext

from archive_site.lib.http import parameters
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Paged, about, one_of
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.common_parameters import PAGING
from archive_site.lib.http.described import AUDIT, Parameter, described
from archive_site.lib.http.schemas import text
from audit import queries
from audit.queries import AuditEntry, EntryFilters

SEARCH_LIMIT = 1000


class AuditPage(Paged, frozen=True):
    scope: Annotated[str, one_of(("all", "self"), "`all` for administrators; others see their own entries")]
    actions: Annotated[list[str], about("all that occur in the scope, whatever the filter")]
    items: list[AuditEntry]


@described(
    AUDIT,
    "Audit",
    "The audit log, newest first",
    parameters=(
        Parameter("action", text(maxLength=SEARCH_LIMIT), "exactly this action"),
        Parameter("actor", text(maxLength=SEARCH_LIMIT), "exactly this actor"),
        Parameter("q", text(maxLength=SEARCH_LIMIT), "a part of actor or detail"),
        *PAGING,
    ),
    answer=AuditPage,
    errors={"400 bad_request": "A text has more than 1,000 characters."},
)
def entries(request: AccountRequest) -> AuditPage:
    """GET /api/audit: all entries for administrators; others see only their own.

    Filters: `action` and `actor` (exact), `q` (a part of actor or detail). Raises ApiError 400.
    """
    user_id = None if request.user.is_admin else request.user.pk
    actions = queries.actions(user_id)
    # Backups are hidden from others, even from accounts that were administrators and created some.
    hidden = () if user_id is None else tuple(action for action in actions if action.startswith("backup_"))
    action, actor, text = (_text(request, name) for name in ("action", "actor", "q"))
    filters = EntryFilters(user_id, action, actor, text, hidden)
    paging = parameters.paging(request.GET)
    total = queries.count_entries(filters)
    return AuditPage(
        **paging.payload(total),
        scope="all" if user_id is None else "self",
        actions=[action for action in actions if action not in hidden],
        items=[queries.payload(entry) for entry in queries.page_of_entries(filters, paging, total)],
    )


def _text(request: AccountRequest, name: str) -> str:
    text = request.GET.get(name, "")
    if len(text) > SEARCH_LIMIT:
        message = gettext("'%(name)s' may have at most %(most)s characters.")
        raise ApiError(400, "bad_request", message % {"name": name, "most": SEARCH_LIMIT})
    # Databases refuse NUL, or end the text there.
    return text.replace("\0", "\ufffd")
