"""The archives of an account (docs/decisions/accounts.md#archives-of-an-account)."""

from collections import Counter
from collections.abc import Iterable

from django.http import HttpRequest

from accounts.models import FIRST_ARCHIVE, Archive
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import execute

# Archives that one account may have.
MOST = 20
# The ids of an account's archives, in a statement of another app; a deleted account may have its first one no more.
OF_ACCOUNT = f"SELECT id FROM {Archive._meta.db_table} WHERE user_id = %s"  # noqa: S608 - a constant


def of_request(request: HttpRequest) -> int:
    """The archive that the request of a signed-in account is about: the account's first one."""
    assert request.user.pk is not None
    return first_of(request.user.pk)


def is_named(request: HttpRequest) -> bool:
    """Whether the request names the archive that it is about."""
    return "archive" in request.GET


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
    return list(Archive.objects.filter(user_id=user_id).exclude(pk=user_id).order_by("pk"))


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


def forget(user_id: int) -> None:
    """Delete the archives of an account, whose data is gone."""
    Archive.objects.filter(user_id=user_id).delete()


def keep_ids_apart(**_: object) -> None:
    """Let the ids of further archives begin where they should, after migrations and `flush`.

    PostgreSQL's sequence begins there by itself; SQLite's counter is lost with a table that is made again, and begins
    at 0 after a `flush`.
    """
    if engine.IS_SQLITE:
        last, table = Archive.FIRST_OF_FURTHER - 1, Archive._meta.db_table
        execute("UPDATE sqlite_sequence SET seq = MAX(seq, %s) WHERE name = %s", [last, table])
        execute(
            "INSERT INTO sqlite_sequence (name, seq) "
            "SELECT %s, %s WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = %s)",
            [table, last, table],
        )


def unit_code_of(archive_id: int) -> str:
    """The code of the unit in which an archive counts; that of a first archive needs no query."""
    if not is_further(archive_id):
        return FIRST_ARCHIVE["unit"]
    return Archive.objects.values_list("unit", flat=True).get(pk=archive_id)


def kind_of(archive_id: int) -> str:
    """The kind of an archive's source; that of a first archive needs no query."""
    if not is_further(archive_id):
        return FIRST_ARCHIVE["kind"]
    return Archive.objects.values_list("kind", flat=True).get(pk=archive_id)
