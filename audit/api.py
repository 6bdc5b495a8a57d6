"""The JSON view of the audit log (docs/api.md#audit)."""

from typing import Annotated

from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.answer_types import Paged, about, one_of
from archive_site.lib.http.described import AUDIT, described
from archive_site.lib.http.parameter_parsing import Paging
from archive_site.lib.http.request_types import Page, Query, Size, short_text
from audit import queries
from audit.queries import AuditEntry, EntryFilters

SEARCH_LIMIT = 1000


class OfAudit(Query, frozen=True):
    action: Annotated[str, short_text(SEARCH_LIMIT), about("exactly this action")]
    actor: Annotated[str, short_text(SEARCH_LIMIT), about("exactly this actor")]
    q: Annotated[str, short_text(SEARCH_LIMIT), about("a part of actor or detail")]
    page: Page
    size: Size


class AuditPage(Paged, frozen=True):
    scope: Annotated[str, one_of(("all", "self"), "`all` for administrators; others see their own entries")]
    actions: Annotated[list[str], about("all that occur in the scope, whatever the filter")]
    items: list[AuditEntry]


@described(
    AUDIT,
    "Audit",
    "The audit log, newest first",
    errors={"400 bad_request": "A text has more than 1,000 characters."},
)
def entries(request: AccountRequest, query: OfAudit) -> AuditPage:
    """GET /api/audit: all entries for administrators; others see only their own.

    Filters: `action` and `actor` (exact), `q` (a part of actor or detail). Raises ApiError 400.
    """
    user_id = None if request.user.is_admin else request.user.pk
    actions = queries.actions(user_id)
    # Backups are hidden from others, even from accounts that were administrators and created some.
    hidden = () if user_id is None else tuple(action for action in actions if action.startswith("backup_"))
    filters, paging = EntryFilters(user_id, query.action, query.actor, query.q, hidden), Paging(query.page, query.size)
    total = queries.count_entries(filters)
    return AuditPage(
        **paging.payload(total),
        scope="all" if user_id is None else "self",
        actions=[action for action in actions if action not in hidden],
        items=[queries.payload(entry) for entry in queries.page_of_entries(filters, paging, total)],
    )
