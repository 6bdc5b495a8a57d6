"""The switch on PostgreSQL: the new store is loaded into a schema of its own; one transaction drops the tables of the
live store and moves the new ones to their place (docs/decisions/backups.md#the-restore-moves-tables).

A session lock shows that the process of a schema lives.
"""

import logging
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import UUID

import psycopg
from django.db import DatabaseError, InternalError, OperationalError, transaction
from django.utils.translation import gettext

from accounts import store_identity
from accounts.models import Store
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.storage.sql import execute, fetch
from backups import backup_manifest, postgres_store
from backups.restore import schema_load
from backups.restore.both_stores import BothStores
from backups.restore.postgres_stores import PostgresStores
from backups.restore.store_switch import follow_up
from backups.restore.store_switch.follow_up import sync

log = logging.getLogger(__name__)

# Seconds to wait for other programs that use the tables.
PATIENCE = 20.0
# A single wait is shorter than PostgreSQL's, after which it looks for a deadlock and ends one of the two.
_WAIT_MS = 400
_PAUSE = 0.1
# A file in the folder of a restore: the id of the store that it puts in place.
_MARK = "store_id"
_PREFIX = "restore_"
_KEY = "hashtextextended(%s, 0)"


@contextmanager
def staged(folder: Path) -> Iterator[BothStores]:
    """The new store, loaded into a schema that is dropped at the end unless its tables have moved."""
    schema = f"{_PREFIX}{secrets.token_hex(8)}"
    with postgres_store.connected() as connection:
        stores = PostgresStores(connection, schema)
        stores.execute(f"SELECT pg_advisory_lock({_KEY})", [schema])
        stores.execute(f"CREATE SCHEMA {schema}")
        try:
            schema_load.load(folder / backup_manifest.STORE, stores)
            yield stores
        finally:
            _abandon(stores)


def announce(folder: Path, store_id: str) -> None:
    """Write down which store the switch will put in place, so that `has_come` can find out whether it did."""
    (folder / _MARK).write_text(store_id)
    sync(folder / _MARK)
    sync(folder)


def was_announced(folder: Path) -> bool:
    return (folder / _MARK).exists()


def has_come(folder: Path) -> bool:
    """Whether the announced store is the live one."""
    if not was_announced(folder):
        return False
    found: UUID | None = Store.objects.values_list("store_id", flat=True).first()
    return found is not None and (folder / _MARK).read_text() == found.hex


@contextmanager
def live_store_held(stores: BothStores) -> Iterator[None]:
    """Lock the tables of the live store, until `switch` or the end of the block: what it holds is read and written by
    nobody meanwhile, and no transaction of others sees both stores.

    Raises ApiError 409 `busy` when another program keeps using them, and DatabaseError.
    """
    assert isinstance(stores, PostgresStores)
    until = time.monotonic() + PATIENCE
    while not _locked(stores):
        if time.monotonic() > until:
            words = gettext("Another program keeps the store locked. Nothing was changed.")
            raise ApiError(409, "busy", words)
        time.sleep(_PAUSE)
    try:
        yield
    finally:
        # What `switch` has not committed. The locks are in the way of this process, too.
        _roll_back(stores)


def switch(folder: Path, stores: BothStores) -> None:
    """Put the announced store in place, completely or not at all."""
    assert isinstance(stores, PostgresStores)
    tables, functions = stores.tables(), stores.functions()
    _drop_live(stores, tables)
    for name in functions:
        stores.execute(f"DROP FUNCTION IF EXISTS {stores.live}.{name}")
        stores.execute(f"ALTER FUNCTION {stores.new}.{name} SET SCHEMA {stores.live}")
    for name in tables:
        # With its indexes, constraints and counters.
        stores.execute(f"ALTER TABLE {stores.new}.{name} SET SCHEMA {stores.live}")
    stores.execute(f"DROP SCHEMA {stores.new}")
    stores.execute("COMMIT")


def _drop_live(stores: PostgresStores, tables: list[str]) -> None:
    """Drop the tables of the live store, but nothing that others have made of them, such as a view."""
    try:
        stores.execute(f"DROP TABLE {', '.join(f'{stores.live}.{name}' for name in tables)}")
    except InternalError as error:
        cause = error.__cause__
        if not isinstance(cause, psycopg.errors.DependentObjectsStillExist):
            raise
        words = gettext("Something else in the database needs the tables: %(reason)s. Nothing was changed.")
        raise ApiError(400, "backup", words % {"reason": cause.diag.message_detail}) from None


def complete(folder: Path) -> None:
    """Finish a switch: the key, the exports."""
    follow_up.follow()


def undo(folder: Path) -> None:
    """Undo a switch that did not happen: remove the staged key. The schema is removed with its other strays."""
    store_identity.settle_key()


def remove_strays() -> None:
    """Remove the schemas of processes that died."""
    found = fetch(
        "SELECT nspname FROM pg_namespace WHERE nspname ~ %s AND nspowner = current_user::regrole",
        [f"^{_PREFIX}[0-9a-f]{{16}}$"],
    )
    for (schema,) in found:
        with transaction.atomic():
            [(is_abandoned,)] = fetch(f"SELECT pg_try_advisory_xact_lock({_KEY})", [schema])
            if is_abandoned:
                execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE")


def _locked(stores: PostgresStores) -> bool:
    """Begin a transaction that holds all tables of the live store, if nobody uses them now."""
    stores.execute("BEGIN")
    try:
        stores.execute(f"SET LOCAL lock_timeout = {_WAIT_MS}")
        names = ", ".join(f"{stores.live}.{name}" for name in stores.tables())
        stores.execute(f"LOCK TABLE {names} IN ACCESS EXCLUSIVE MODE")
        stores.execute("SET LOCAL lock_timeout = 0")
    except OperationalError as error:
        if not isinstance(error.__cause__, psycopg.errors.LockNotAvailable):
            raise
        stores.execute("ROLLBACK")
        return False
    return True


def _roll_back(stores: PostgresStores) -> None:
    # The transaction of a connection that was lost has ended.
    with suppress(DatabaseError):
        stores.execute("ROLLBACK")


def _abandon(stores: PostgresStores) -> None:
    """Undo what the connection has not committed, and remove the schema where its tables have not moved."""
    _roll_back(stores)
    try:
        stores.execute(f"DROP SCHEMA IF EXISTS {stores.new} CASCADE")
    except DatabaseError:
        log.warning("the schema %s could not be removed; the housekeeping removes it", stores.new, exc_info=True)
