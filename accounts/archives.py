"""The archives of an account (docs/decisions/accounts.md#archives-of-an-account)."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.db.models import F, QuerySet
from django.db.models.expressions import BaseExpression
from django.http import Http404, HttpRequest
from django.utils.translation import gettext

from accounts.models import FIRST_ARCHIVE, Archive, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import execute, fetch
from archive_site.lib.storage.transaction_locks import take_lock

# Archives that one account may have.
MOST = 20
# The ids of an account's archives, in a statement of another app; a deleted account may have its first one no more.
OF_ACCOUNT = f"SELECT id FROM {Archive._meta.db_table} WHERE user_id = %s"  # noqa: S608 - a constant


# The parameter of an address that names an archive, and its value for all of an account.
PARAMETER, ALL = "archive", "all"
# Where a request of a page keeps the archives of its account.
_OF_VISITOR = "archives_of_visitor"


def find(request: HttpRequest) -> None:
    """Look for the archive that the request of a signed-in account names with `archive=`, before all else is read.

    Raises ApiError 400 `bad_request`, and 404 `not_found` for one that is not the account's (docs/api.md#archives).
    """
    named, user_id = request.GET.get(PARAMETER), request.user.pk
    if named is None or user_id is None:
        return
    archive_id = _id_in(named)
    if archive_id is None:
        raise ApiError(400, "bad_request", gettext("'archive' must be the id of an archive."))
    request.named_archive = own(user_id, archive_id).pk  # type: ignore[attr-defined]


def _id_in(text: str) -> int | None:
    """The id that a text is; None for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def find_unless_all(request: HttpRequest) -> None:
    """The same, where all archives of the account may be asked for."""
    if not are_all_named(request):
        find(request)


def are_all_named(request: HttpRequest) -> bool:
    return request.GET.get(PARAMETER) == ALL


def of_request(request: HttpRequest) -> int:
    """The archive that a request is about: the one that was found, else the account's first one."""
    assert request.user.pk is not None
    return named_in(request) or first_of(request.user.pk)


def named_in(request: HttpRequest) -> int | None:
    """The archive that the request named, as it was found; None where it named none."""
    found: int | None = getattr(request, "named_archive", None)
    return found


def of_page(request: HttpRequest) -> int:
    """The archive that a page shows: the one of its address, else the one chosen in the browser, else the first one.

    It needs a query only where one is named or chosen. Raises Http404 where the address names none of the account's.
    """
    named = request.GET.get(PARAMETER)
    if named is None:
        return _chosen(request)
    archive_id = _id_in(named)
    if archive_id is None or archive_id not in _ids_of(request):
        raise Http404
    return archive_id


def of_frame(request: HttpRequest) -> int:
    """The archive that the frame of a page is about, also that of the page which says that there is no such archive,
    or that the address has more parameters than are read."""
    try:
        return of_page(request)
    except (Http404, SuspiciousOperation):
        return _chosen(request)


def kind_of_frame(request: HttpRequest) -> str:
    """The kind of the archive that the frame of a page is about, as it was read with those of the account."""
    archive_id = of_frame(request)
    found = of_visitor(request) if is_further(archive_id) else []
    return next((one.kind for one in found if one.pk == archive_id), FIRST_ARCHIVE["kind"])


def page_parameter(request: HttpRequest) -> str:
    """What an address of the shown archive ends with: its name, for any but the first one."""
    archive_id = of_frame(request)
    return f"?{PARAMETER}={archive_id}" if is_further(archive_id) else ""


def _chosen(request: HttpRequest) -> int:
    """The archive that was chosen in the browser; the first one where that is none of the account's."""
    assert request.user.pk is not None
    chosen = _id_in(request.COOKIES.get(settings.ARCHIVE_COOKIE_NAME, ""))
    first = first_of(request.user.pk)
    return chosen if chosen not in (None, first) and chosen in _ids_of(request) else first


def _ids_of(request: HttpRequest) -> set[int]:
    return {one.pk for one in of_visitor(request)}


def of_visitor(request: HttpRequest, **facts: BaseExpression) -> list[Archive]:
    """The archives of the signed-in account, the first one first; read once for a request.

    `facts` are read with them, unless they were read before.
    """
    known: list[Archive] | None = request.__dict__.get(_OF_VISITOR)
    if known is None:
        user_id = request.user.pk
        assert user_id is not None
        found = Archive.objects.filter(user_id=user_id, deleted_at=None).annotate(**facts).order_by("pk")
        known = request.__dict__[_OF_VISITOR] = list(found)
    return known


def own(user_id: int, archive_id: int) -> Archive:
    """An archive of an account. Raises ApiError 404 `not_found` for any other id."""
    found = Archive.objects.filter(pk=archive_id, user_id=user_id, deleted_at=None).first()
    if found is None:
        raise ApiError(404, "not_found", gettext("The account has no such archive."))
    return found


def is_named(request: HttpRequest) -> bool:
    """Whether the request named the archive that it is about, and it was found."""
    return named_in(request) is not None


def first_of(user_id: int) -> int:
    """The first archive of an account, which commands, notices and imports about the account are about."""
    return user_id


def of_account(user_id: int) -> list[int]:
    """The ids of an account's archives, also of a deleted account; the first one has the account's own id."""
    return [first_of(user_id), *(further.pk for further in further_of(user_id))]


def is_further(archive_id: int) -> bool:
    """Whether the archive is none of the first of accounts."""
    return archive_id >= Archive.FIRST_OF_FURTHER


def owner_of(archive_id: int) -> int:
    """The id of the account whose archive it is, also of a deleted one; that of a first archive needs no query."""
    if not is_further(archive_id):
        return archive_id
    return Archive.objects.values_list("user_id", flat=True).get(pk=archive_id)


def further_of(user_id: int) -> list[Archive]:
    """The archives of an account beside its first one, oldest first."""
    return list(Archive.objects.filter(user_id=user_id, deleted_at=None).exclude(pk=user_id).order_by("pk"))


def all_of(user_id: int) -> list[Archive]:
    """The archives of an account that exists, the first one first."""
    return [Archive.objects.get(pk=first_of(user_id)), *further_of(user_id)]


def further_of_active() -> QuerySet[Archive]:
    """The archives of accounts that are not disabled, beside the first ones, oldest first."""
    active = User.objects.filter(status=User.ACTIVE).values("pk")
    further = Archive.objects.filter(user_id__in=active, deleted_at=None).exclude(pk=F("user_id"))
    return further.order_by("pk")


def further_of_each(user_ids: Collection[int]) -> QuerySet[Archive]:
    """The archives of these accounts beside their first ones."""
    return Archive.objects.filter(user_id__in=user_ids).exclude(pk=F("user_id"))


def owners_of_further() -> dict[int, int]:
    """The id of the account of each archive that is not the first of one."""
    return dict(Archive.objects.filter(pk__gte=Archive.FIRST_OF_FURTHER).values_list("pk", "user_id"))


def by_account(amounts: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The sums of amounts that each archive has, by the id of the account, also of a deleted one. One query."""
    owners, sums = owners_of_further(), Counter[int]()
    for archive_id, amount in amounts:
        sums[owners.get(archive_id, archive_id)] += amount
    return sums


def hand_over(old_id: int, heir_id: int) -> None:
    """Give the further archives of a deleted account to the heir, whose first one has taken the first in."""
    Archive.objects.filter(pk=old_id).delete()
    Archive.objects.filter(user_id=old_id).update(user_id=heir_id)


def begin_deletion(archive: Archive) -> None:
    """Let nobody find an archive any more, in the caller's transaction; its row stays until its data is erased."""
    Archive.objects.filter(pk=archive.pk).update(deleted_at=clock.now())


def end_deletion(archive_id: int) -> None:
    Archive.objects.filter(pk=archive_id).delete()


def forget(user_id: int) -> None:
    """Delete the archives of an account, whose data is gone."""
    Archive.objects.filter(user_id=user_id).delete()


def keep_ids_apart(instance: Archive, **_: object) -> None:
    """Raise the counter before a further archive is made, where it would give the id of an account.

    SQLite's begins at 0 after a `flush` and is lost with a table that is made again. That of PostgreSQL is the highest
    id in the table after Django's `loaddata`.
    """
    if instance.pk is not None:
        return
    table, first = Archive._meta.db_table, Archive.FIRST_OF_FURTHER
    if engine.IS_SQLITE:
        execute("UPDATE sqlite_sequence SET seq = MAX(seq, %s) WHERE name = %s", [first - 1, table])
        execute(
            "INSERT INTO sqlite_sequence (name, seq) "
            "SELECT %s, %s WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = %s)",
            [table, first - 1, table],
        )
        return
    # Two at once would set it to the same id.
    take_lock("further archives")
    [(counter,)] = fetch("SELECT pg_get_serial_sequence(%s, 'id')", [table])
    fetch(f"SELECT setval(%s, %s, false) FROM {counter} WHERE last_value < %s", [counter, first, first])  # noqa: S608 - a name of the database


def address_of(archive_id: int) -> str:
    """Where the source of an archive is asked; empty where its kind or the instance says so."""
    if not is_further(archive_id):
        return ""
    return Archive.objects.values_list("address", flat=True).get(pk=archive_id)


def unit_code_of(archive_id: int) -> str:
    """The code of the unit in which an archive counts; that of a first archive needs no query."""
    if not is_further(archive_id):
        return FIRST_ARCHIVE["unit"]
    return Archive.objects.values_list("unit", flat=True).get(pk=archive_id)


class Holding(NamedTuple):
    """What says what an archive holds: its kind, whose files it has, and its unit."""

    kind: str
    file_format: str
    unit: str


def holding_of(archive_id: int) -> Holding:
    """What an archive holds; that of a first archive needs no query."""
    if not is_further(archive_id):
        return Holding(FIRST_ARCHIVE["kind"], "", FIRST_ARCHIVE["unit"])
    return Holding(*Archive.objects.values_list(*Holding._fields).get(pk=archive_id))


def kind_of(archive_id: int) -> str:
    """The kind of an archive's source; that of a first archive needs no query."""
    return holding_of(archive_id).kind


def file_format_of(archive_id: int) -> str:
    """Whose files an archive of files holds; empty where its first file says so."""
    if not is_further(archive_id):
        return ""
    return Archive.objects.values_list("file_format", flat=True).get(pk=archive_id)


def bills_of(archive_id: int) -> list[int]:
    """The archives whose bills prove the days of an archive; a first one needs no query, since none proves it."""
    if not is_further(archive_id):
        return []
    found = Archive.objects.filter(proves_id=archive_id, deleted_at=None).order_by("pk")
    return list(found.values_list("pk", flat=True))


def proved_by(bill_id: int) -> int | None:
    """The archive whose days the bills of this one prove, if it is still there; a first one needs no query, since its
    bills are of its own days."""
    if not is_further(bill_id):
        return None
    proved = Archive.objects.filter(pk=bill_id).values("proves_id")
    return Archive.objects.filter(pk__in=proved, deleted_at=None).values_list("pk", flat=True).first()
