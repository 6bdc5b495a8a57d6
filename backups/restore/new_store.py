"""Builds the store that a restore puts in place, in a separate folder
(docs/decisions.md#building-the-new-store-aside)."""

import sqlite3
import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import connection, models
from django.utils.translation import gettext
from django_q.models import OrmQ, Schedule, Task

from accounts.models import Captcha, Invitation, Session, Store, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.stored_message import Message
from audit.log import Detail
from audit.models import Entry
from backups.backup_manifest import InvalidArchive
from backups.restore import offline_migration, schema_check, work_folder
from backups.store_location import live_store
from collection import lease, run_detail
from collection.models import Heartbeat, Lease, Run
from collection.run_outcomes import INTERRUPTED
from usage.models import ROLLUPS_OF_MONTHS

# Rollups of months are JSON that answers read, and computed again.
_DROPPED = (OrmQ, Session, Captcha, Invitation, *ROLLUPS_OF_MONTHS)
# State of the running processes, kept whatever is restored: without task results, workers would count as wedged.
_OF_THE_LIVE = (Schedule, Heartbeat, Task)
# No store reaches this in normal use. A store with higher ids would soon have none left for new accounts.
_HIGHEST_ID = 2**53
# The run's owner reads this and need not be an administrator, so it does not mention backups.
_BROKEN_OFF = Message("broken_off")


@dataclass(frozen=True)
class Deed:
    """The fields of the restore's audit entry."""

    actor: str
    user_id: int | None
    ip: str
    detail: Message | str


def prepare(store: Path) -> None:
    """Bring a backup's store to this version: migrate it, drop sessions, links and tasks, and end its unfinished runs.

    Raises InvalidArchive, and ApiError 400 `backup` when the disk has no room for its migrations.
    """
    if not schema_check.is_newest(store):
        # A migration may rewrite a table or build an index.
        work_folder.require_room(store.stat().st_size)
        offline_migration.migrate(store)
    with _opened(store) as new:
        with _transaction(new):
            for model in _DROPPED:
                new.execute(f"DELETE FROM {_table(model)}")  # noqa: S608 - a name of the models
            _free_lease(new)
            _interrupt_runs(new)
        if max(_highest_ids(new, "main").values()) > _HIGHEST_ID:
            raise InvalidArchive(gettext("Its store has no ids left."))


def merge(store: Path, *, fingerprint: str, deed: Deed) -> str:
    """Add the data of the live store that the new one needs, while nothing is written. Return the new store's id.

    `fingerprint` names the instance key that will be in force.
    """
    store_id = uuid.uuid4().hex
    with _beside_the_live_one(store) as new, _transaction(new):
        _raise_counters(new)
        _merge_audit(new)
        _tell(new, deed)
        for model in _OF_THE_LIVE:
            _copy_rows(new, model)
        _name(new, store_id, fingerprint)
    return store_id


@contextmanager
def _opened(store: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(store, isolation_level=None)) as new:
        new.execute("PRAGMA trusted_schema=OFF")
        # If anything fails, this store is thrown away, so it need not survive a crash of the machine.
        new.execute("PRAGMA journal_mode=MEMORY")
        new.execute("PRAGMA synchronous=OFF")
        yield new


@contextmanager
def _beside_the_live_one(store: Path) -> Iterator[sqlite3.Connection]:
    """The new store as `main`, with the live store attached read-only as `live`."""
    with _live_is_sound(), _opened(store) as new:
        new.execute("ATTACH ? AS live", [f"{live_store().absolute().as_uri()}?mode=ro"])
        yield new


@contextmanager
def _live_is_sound() -> Iterator[None]:
    """Raises ApiError 400 `backup` if the live store, whose audit log is to be kept, cannot be read."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
        words = gettext(
            "The current store is damaged. Stop the service, move %(names)s out of the data folder together with the "
            "-wal and -shm files beside it, and restore again. The audit log then holds only the entries of the backup."
        )
        # The link and its target, or only the plain file.
        names = dict.fromkeys([live_store().name, live_store().resolve().name])
        raise ApiError(400, "backup", words % {"names": ", ".join(names)}) from None


@contextmanager
def _transaction(new: sqlite3.Connection) -> Iterator[None]:
    new.execute("BEGIN IMMEDIATE")
    yield
    new.execute("COMMIT")


def _free_lease(new: sqlite3.Connection) -> None:
    columns = ", ".join(f"{name} = ?" for name in lease.FREE)
    new.execute(f"UPDATE {_table(Lease)} SET {columns}", list(lease.FREE.values()))  # noqa: S608 - names of the models


def _interrupt_runs(new: sqlite3.Connection) -> None:
    now = clock.now()
    new.execute(
        f"UPDATE {_table(Run)} SET status = ?, exit_code = ?, message = ?, finished_at = ?, detail = detail || ? "  # noqa: S608 - a name of the models
        "WHERE status IN (?, ?)",
        [
            INTERRUPTED.status.value,
            INTERRUPTED.exit_code,
            _BROKEN_OFF.stored(),
            _in_sql(now),
            run_detail.stored_line(now, _BROKEN_OFF),
            Run.Status.QUEUED.value,
            Run.Status.RUNNING.value,
        ],
    )


def _raise_counters(new: sqlite3.Connection) -> None:
    """Make sure that no id of either store is ever given again: records, runs and audit entries refer to them."""
    ours, theirs = (_highest_ids(new, name) for name in ("live", "main"))
    new.execute("DELETE FROM main.sqlite_sequence")
    new.executemany(
        "INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)",
        [(table, max(ours.get(table, 0), highest)) for table, highest in theirs.items()],
    )


def _highest_ids(new: sqlite3.Connection, name: str) -> dict[str, int]:
    """The highest id that a store has ever given, by table."""
    numbered = [model for model in _models() if isinstance(model._meta.pk, models.AutoField)]
    highest = dict.fromkeys(map(_table, numbered), 0)
    for table, counted in new.execute(f"SELECT name, CAST(seq AS INTEGER) FROM {name}.sqlite_sequence"):  # noqa: S608 - `live` or `main`
        highest[table] = max(highest.get(table, 0), counted)
    columns = [(_table(model), _table(model), "id") for model in numbered]
    # Rows may name accounts that are deleted.
    columns += [(_table(User), _table(model), "user_id") for model in _models() if "user_id" in _columns(model)]
    for counter, table, column in columns:
        (found,) = new.execute(f"SELECT CAST(MAX({column}) AS INTEGER) FROM {name}.{table}").fetchone()  # noqa: S608 - names of the models
        highest[counter] = max(highest[counter], found or 0)
    return highest


def _merge_audit(new: sqlite3.Connection) -> None:
    """Append the entries that only the live store has to those of the backup: the audit log is never rewound."""
    columns = ", ".join(name for name in _columns(Entry) if name not in ("id", "user_id"))
    new.execute(
        f"INSERT INTO main.{_table(Entry)} ({columns}, user_id) "  # noqa: S608 - names of the models
        f"SELECT {columns}, {_same_person('entry.user_id')} FROM live.{_table(Entry)} entry "
        f"WHERE uuid NOT IN (SELECT uuid FROM main.{_table(Entry)}) ORDER BY at, id"
    )


def _tell(new: sqlite3.Connection, deed: Deed) -> None:
    kept = Detail.of(deed.detail)
    new.execute(
        f"INSERT INTO main.{_table(Entry)} (uuid, at, actor, action, detail, search_text, ip, user_id) "  # noqa: S608 - names of the models
        f"VALUES (:uuid, :at, :actor, 'backup_restore', :detail, :search_text, :ip, {_same_person(':user_id')})",
        {
            "uuid": uuid.uuid4().hex,
            "at": _in_sql(clock.now()),
            "actor": deed.actor[:64],
            "detail": kept.stored,
            "search_text": kept.search_text,
            "ip": deed.ip,
            "user_id": deed.user_id,
        },
    )


def _same_person(user_id: str) -> str:
    """SQL for the id if both stores have an account with this id and the same name, else null."""
    return (
        f"(SELECT ours.id FROM live.{_table(User)} ours JOIN main.{_table(User)} theirs "  # noqa: S608 - names of the models
        f"ON theirs.id = ours.id AND theirs.username = ours.username WHERE ours.id = {user_id})"
    )


def _copy_rows(new: sqlite3.Connection, model: type[models.Model]) -> None:
    columns = ", ".join(f'"{name}"' for name in _columns(model))
    new.execute(f"DELETE FROM main.{_table(model)}")  # noqa: S608 - names of the models
    new.execute(f"INSERT INTO main.{_table(model)} ({columns}) SELECT {columns} FROM live.{_table(model)}")  # noqa: S608 - names of the models


def _name(new: sqlite3.Connection, store_id: str, fingerprint: str) -> None:
    """Write the store's row; a store that was never served has none yet."""
    new.execute(
        f"INSERT INTO main.{_table(Store)} (id, store_id, time_zone, key_fingerprint, first_run_token, created_at) "  # noqa: S608 - names of the models
        "VALUES (1, ?, ?, ?, '', ?) ON CONFLICT (id) DO UPDATE SET store_id = excluded.store_id, "
        "key_fingerprint = excluded.key_fingerprint, first_run_token = ''",
        [store_id, settings.TIME_ZONE, fingerprint, _in_sql(clock.now())],
    )


def _models() -> list[type[models.Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if not model._meta.proxy]


def _columns(model: type[models.Model]) -> list[str]:
    return [field.column for field in model._meta.concrete_fields if field.column]


def _table(model: type[models.Model]) -> str:
    return model._meta.db_table


def _in_sql(instant: datetime) -> str:
    return str(connection.ops.adapt_datetimefield_value(instant))
