"""Keeps the notices of the live store through a restore, so that none is sent twice and none that waits is lost."""

from collections.abc import Callable

from accounts.models import Delivery, Notice
from archive_site.lib import clock
from backups.restore.both_stores import BothStores


def merge(stores: BothStores, same_person: Callable[[str], str]) -> None:
    """Put the notices of the live store in place of the same ones of the new store, and add those that it lacks.

    `same_person` gives SQL for the id of an account that both stores have; those of other accounts stay as they are.
    """
    notices, deliveries = Notice._meta.db_table, Delivery._meta.db_table
    known = f"SELECT kept.identity FROM {stores.live}.{notices} kept WHERE {same_person('kept.user_id')} IS NOT NULL"  # noqa: S608 - names of the models
    stores.execute(
        f"DELETE FROM {stores.new}.{deliveries} WHERE notice_id IN "  # noqa: S608 - names of the models
        f"(SELECT id FROM {stores.new}.{notices} WHERE identity IN ({known}))"
    )
    stores.execute(f"DELETE FROM {stores.new}.{notices} WHERE identity IN ({known})")  # noqa: S608 - names of the models
    # A cause has one open notice. Where a backup of another instance has one, too, that of the live store goes on.
    stores.execute(
        f"UPDATE {stores.new}.{notices} SET ended_at = %s WHERE ended_at IS NULL AND EXISTS ("  # noqa: S608 - names of the models
        f"SELECT 1 FROM {stores.live}.{notices} begun WHERE begun.ended_at IS NULL "
        f"AND begun.user_id = {notices}.user_id AND begun.event = {notices}.event AND begun.cause = {notices}.cause "
        f"AND {same_person('begun.user_id')} IS NOT NULL)",
        [stores.instant(clock.now())],
    )
    columns = ", ".join(_columns(Notice, "id", "user_id"))
    stores.execute(
        f"INSERT INTO {stores.new}.{notices} ({columns}, user_id) "  # noqa: S608 - names of the models
        f"SELECT {columns}, user_id FROM {stores.live}.{notices} kept "
        f"WHERE {same_person('kept.user_id')} IS NOT NULL ORDER BY id"
    )
    columns = ", ".join(_columns(Delivery, "id", "notice_id"))
    of_delivery = ", ".join(f"theirs.{name}" for name in _columns(Delivery, "id", "notice_id"))
    stores.execute(
        f"INSERT INTO {stores.new}.{deliveries} ({columns}, notice_id) "  # noqa: S608 - names of the models
        f"SELECT {of_delivery}, here.id FROM {stores.live}.{deliveries} theirs "
        f"JOIN {stores.live}.{notices} there ON there.id = theirs.notice_id "
        f"JOIN {stores.new}.{notices} here ON here.identity = there.identity "
        f"WHERE {same_person('there.user_id')} IS NOT NULL ORDER BY theirs.id"
    )


def _columns(model: type[Notice | Delivery], *besides: str) -> list[str]:
    return [field.column for field in model._meta.concrete_fields if field.column and field.column not in besides]
