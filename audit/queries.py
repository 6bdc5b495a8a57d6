"""Queries on the audit log: a page of entries, the actions that occur, and when an account did something."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, ClassVar

from django.db.models import Max, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import get_language
from msgspec import Meta

from archive_site.lib import clock, stored_message
from archive_site.lib.http.answer_types import Answer, Timestamp, about
from archive_site.lib.http.parameter_parsing import Paging
from archive_site.lib.storage.sql import fetch
from audit.models import Entry

# Jumps from each action to the next: a few lookups in an index, whatever the size of the log.
_ACTIONS = """
    WITH RECURSIVE found(action) AS (
        SELECT MIN(action) FROM audit_entry WHERE {scope}
        UNION ALL
        SELECT (SELECT MIN(action) FROM audit_entry WHERE {scope} AND action > found.action)
        FROM found WHERE found.action IS NOT NULL)
    SELECT action FROM found WHERE action IS NOT NULL"""


class AuditEntry(Answer, frozen=True):
    heading: ClassVar[str] = "Audit entry"

    id: int
    at: Timestamp
    actor: Annotated[str, about("a user name, `command line`, `scheduler` or `notices`")]
    action: Annotated[str, about("one of the audit actions")]
    detail: Annotated[str, Meta(description="at most 2,000 characters, no secrets", max_length=2000)]
    ip: str
    user_id: Annotated[int | None, about("of the actor; null for the command line, the scheduler and unknown names")]


@dataclass(frozen=True)
class EntryFilters:
    """Which entries: those of one account, or all if `user_id` is None, except those with an action of `without`.

    `action` and `actor` match exactly, `text` anywhere in actor or detail: in the English text, or in the wording of
    the detail in the reader's language. An empty one is no filter.
    """

    user_id: int | None
    action: str = ""
    actor: str = ""
    text: str = ""
    without: tuple[str, ...] = ()


def count_entries(filters: EntryFilters) -> int:
    return _matching(filters).count()


def page_of_entries(filters: EntryFilters, paging: Paging, total: int) -> list[Entry]:
    """One page of the `total` entries that match the filters, newest first.

    An index alone gives their ids, counted from its nearer end; only the rows of the page are read.
    """
    first, last = paging.offset, min(paging.offset + paging.size, total)
    if first >= total:
        return []
    matching = _matching(filters)
    if first <= total - last:
        ids = matching.order_by("-pk")[first:last]
    else:
        ids = matching.order_by("pk")[total - last : total - first]
    return list(Entry.objects.filter(pk__in=ids.values("pk")).order_by("-pk"))


def actions(user_id: int | None) -> list[str]:
    """The actions that occur in an account's entries, or in all entries if `user_id` is None; sorted."""
    scope, values = ("TRUE", []) if user_id is None else ("user_id = %s", [user_id, user_id])
    # Sorted here, since databases differ in how they compare texts.
    return sorted(action for (action,) in fetch(_ACTIONS.format(scope=scope), values))


def entries_after(
    user_id: int, actions: Sequence[str], endings: Sequence[str], *, since: datetime, after: int
) -> dict[int, datetime]:
    """The entries of an account with one of `actions`, by id: when each was written.

    After the last entry with any of `endings`, `since` a moment and `after` an id. At most 1,000, so that every page
    can ask.
    """
    own = Entry.objects.filter(user_id=user_id)
    last = (Subquery(own.filter(action=ending).order_by("-pk").values("pk")[:1]) for ending in endings)
    recent = own.filter(*(Q(pk__gt=Coalesce(ended, 0)) for ended in last), pk__gt=after, at__gte=since)
    # Each part reads the index of an action; with IN, SQLite would read all entries of the account.
    first, *others = (recent.filter(action=action).values_list("pk", "at") for action in actions)
    return dict(first.union(*others, all=True)[:1000])


def newest_id(user_id: int, actions: Sequence[str]) -> int:
    """The id of an account's newest entry with one of some actions, 0 if there is none."""
    return Entry.objects.filter(user_id=user_id, action__in=actions).aggregate(newest=Max("pk"))["newest"] or 0


def payload(entry: Entry) -> AuditEntry:
    """An entry as the API shows it."""
    return AuditEntry(
        id=entry.pk,
        at=clock.local_text(entry.at),
        actor=entry.actor,
        action=entry.action,
        detail=entry.detail,
        ip=entry.ip,
        user_id=entry.user_id,
    )


def _matching(filters: EntryFilters) -> QuerySet[Entry]:
    found = Entry.objects.all()
    if filters.user_id is not None:
        found = found.filter(user_id=filters.user_id)
    if filters.without:
        found = found.exclude(action__in=filters.without)
    if filters.action:
        found = found.filter(action=filters.action)
    if filters.actor:
        found = found.filter(actor=filters.actor)
    if filters.text:
        found = found.filter(Q(actor__icontains=filters.text) | in_detail(filters.text))
    return found


def in_detail(text: str) -> Q:
    """Entries with a text in their detail: in its English text, or in its template in the reader's language."""
    found = Q(search_text__icontains=text)
    if not (get_language() or "en").startswith("en"):
        for code in stored_message.codes_with(text):
            found |= Q(stored_detail__contains=f'"code":"{code}"')
    return found
