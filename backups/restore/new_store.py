"""Builds the store that a restore puts in place, in a separate folder
(docs/decisions/backups.md#building-the-new-store-aside)."""

import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.conf import settings
from django.db import models
from django.utils.translation import gettext
from django_q.models import OrmQ, Schedule, Task

from accounts.models import ApiToken, Archive, Captcha, Delivery, Invitation, Session, Store, User
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from audit.log import Detail
from audit.models import Entry
from backups import offline_migration, store_file
from backups.backup_manifest import InvalidArchive
from backups.restore import fitting, live_notices, schema_check, work_folder
from backups.restore.both_stores import BothStores
from collection import run_detail
from collection.models import Heartbeat, ImportProgress, Lease, Run
from collection.runs import lease
from collection.runs.run_outcomes import INTERRUPTED
from usage.models import ROLLUPS_OF_MONTHS, NodeFile

# Rollups of months are JSON that answers read, and computed again.
_DROPPED = (OrmQ, Session, Captcha, Invitation, ApiToken, ImportProgress, *ROLLUPS_OF_MONTHS)
# State of the running processes, kept whatever is restored: without task results, workers would count as wedged.
_OF_THE_LIVE = (Schedule, Heartbeat, Task, NodeFile)
# No store reaches these in normal use. A store with higher ids would soon have none left for new accounts.
_HIGHEST_ID = 2**53
_FURTHER = Archive.FIRST_OF_FURTHER
# The run's owner reads this and need not be an administrator, so it does not mention backups.
_BROKEN_OFF = Message("broken_off")
_IMPORT_BROKEN_OFF = Message("import_cut_off")


@dataclass(frozen=True)
class RestoreEntry:
    """The fields of the restore's audit entry."""

    actor: str
    user_id: int | None
    ip: str
    detail: Message | str


def prepare(store: Path) -> None:
    """Bring a backup's store to this version: migrate it, drop sessions, tokens, links and tasks, end unfinished runs.

    Raises InvalidArchive, and ApiError 400 `backup` when the disk has no room for its migrations.
    """
    if not schema_check.is_newest(store):
        # A migration may rewrite a table or build an index.
        work_folder.require_room(store.stat().st_size)
        offline_migration.migrate(store)
    with closing(store_file.opened_to_change(store)) as new:
        with _transaction(new):
            for model in _DROPPED:
                new.execute(f"DELETE FROM {_table(model)}")  # noqa: S608 - a name of the models
            _free_lease(new)
            _interrupt_runs(new, "kind <> ?", _BROKEN_OFF)
            _interrupt_runs(new, "kind = ?", _IMPORT_BROKEN_OFF)
            _drop_deliveries(new)
        highest = _highest_ids(store_file.counters(new), lambda query: new.execute(query).fetchone()[0], "main")
        if max(highest.values()) > _HIGHEST_ID or highest[_table(User)] >= _FURTHER - 1:
            raise InvalidArchive(gettext("Its store has no ids left."))
    fitting.fit(store)


def merge(stores: BothStores, *, fingerprint: str, entry: RestoreEntry) -> str:
    """Add the data of the live store that the new one needs, while nothing is written. Return the new store's id.

    `fingerprint` names the instance key that will be in force.
    """
    store_id = uuid.uuid4().hex
    with stores.transaction():
        _raise_counters(stores)
        _merge_audit(stores)
        live_notices.merge(stores, lambda user_id: _same_person(stores, user_id))
        _tell(stores, entry)
        for model in _OF_THE_LIVE:
            _copy_rows(stores, model)
        _name(stores, store_id, fingerprint)
    return store_id


@contextmanager
def _transaction(new: sqlite3.Connection) -> Iterator[None]:
    new.execute("BEGIN IMMEDIATE")
    yield
    new.execute("COMMIT")


def _free_lease(new: sqlite3.Connection) -> None:
    columns = ", ".join(
        f"{field.column} = ?" for name in lease.FREE for field in Lease._meta.fields if field.name == name
    )
    new.execute(f"UPDATE {_table(Lease)} SET {columns}", list(lease.FREE.values()))  # noqa: S608 - names of the models


def _interrupt_runs(new: sqlite3.Connection, of_kind: str, message: Message) -> None:
    """`of_kind` compares with the kind of imports, whose staged files are elsewhere or gone."""
    now = clock.now()
    new.execute(
        f"UPDATE {_table(Run)} SET status = ?, exit_code = ?, message = ?, finished_at = ?, detail = detail || ? "  # noqa: S608 - a name of the models
        f"WHERE status IN (?, ?) AND {of_kind}",
        [
            INTERRUPTED.status.value,
            INTERRUPTED.exit_code,
            message.stored(),
            store_file.instant(now),
            run_detail.stored_line(now, message),
            Run.Status.QUEUED.value,
            Run.Status.RUNNING.value,
            Run.Kind.IMPORT.value,
        ],
    )


def _drop_deliveries(new: sqlite3.Connection) -> None:
    """What waited to be sent when the backup was made may have been sent since."""
    new.execute(
        f"UPDATE {_table(Delivery)} SET state = ?, done_at = ?, claimed_at = NULL WHERE state = ?",  # noqa: S608 - a name of the models
        [Delivery.State.DROPPED.value, store_file.instant(clock.now()), Delivery.State.WAITING.value],
    )


def _raise_counters(stores: BothStores) -> None:
    """Make sure that no id of either store is ever given again: records, runs and audit entries refer to them."""
    ours, theirs = (
        _highest_ids(stores.counters(where), lambda query: stores.fetch(query)[0][0], where)
        for where in (stores.live, stores.new)
    )
    stores.set_counters({table: max(ours.get(table, 0), highest) for table, highest in theirs.items()})


def _highest_ids(counters: dict[str, int], value_of: Callable[[str], int | None], where: str) -> dict[str, int]:
    """The highest id that a store has ever given, by table."""
    numbered = [model for model in _models() if isinstance(model._meta.pk, models.AutoField)]
    highest = dict.fromkeys(map(_table, numbered), 0)
    for table, counted in counters.items():
        highest[table] = max(highest.get(table, 0), counted)
    columns = [(_table(model), _table(model), "id", "") for model in numbered]
    # Rows may name accounts and archives that are deleted.
    named = [_table(model) for model in _models() if "user_id" in _columns(model)]
    for owner, which in ((User, "<"), (Archive, ">=")):
        columns += [(_table(owner), table, "user_id", f"WHERE user_id {which} {_FURTHER}") for table in named]
    for counter, table, column, which in columns:
        found = value_of(f"SELECT MAX({column}) FROM {where}.{table} {which}")  # noqa: S608 - names of the models
        highest[counter] = max(highest[counter], found or 0)
    # Where no further archive was ever made, also in a store that had no counter of them.
    highest[_table(Archive)] = max(highest[_table(Archive)], _FURTHER - 1)
    return highest


def _merge_audit(stores: BothStores) -> None:
    """Append the entries that only the live store has to those of the backup: the audit log is never rewound."""
    columns = ", ".join(name for name in _columns(Entry) if name not in ("id", "user_id"))
    table = _table(Entry)
    stores.execute(
        f"INSERT INTO {stores.new}.{table} ({columns}, user_id) "  # noqa: S608 - names of the models
        f"SELECT {columns}, {_same_person(stores, 'entry.user_id')} FROM {stores.live}.{table} entry "
        f"WHERE NOT EXISTS (SELECT 1 FROM {stores.new}.{table} known WHERE known.uuid = entry.uuid) "
        # A bare `id` is the column of the account above on PostgreSQL.
        "ORDER BY entry.at, entry.id"
    )


def _tell(stores: BothStores, entry: RestoreEntry) -> None:
    kept = Detail.of(entry.detail)
    stores.execute(
        f"INSERT INTO {stores.new}.{_table(Entry)} (uuid, at, actor, action, detail, search_text, ip, user_id) "  # noqa: S608 - names of the models
        f"VALUES (%s, %s, %s, 'backup_restore', %s, %s, %s, {_same_person(stores, '%s')})",
        [
            uuid.uuid4().hex,
            stores.instant(clock.now()),
            entry.actor[:64],
            kept.stored,
            kept.search_text,
            entry.ip,
            entry.user_id,
        ],
    )


def _same_person(stores: BothStores, user_id: str) -> str:
    """SQL for the id if both stores have an account with this id and the same name, else null."""
    return (
        f"(SELECT ours.id FROM {stores.live}.{_table(User)} ours JOIN {stores.new}.{_table(User)} theirs "  # noqa: S608 - names of the models
        f"ON theirs.id = ours.id AND theirs.username = ours.username WHERE ours.id = {user_id})"
    )


def _copy_rows(stores: BothStores, model: type[models.Model]) -> None:
    columns, table = ", ".join(f'"{name}"' for name in _columns(model)), _table(model)
    stores.execute(f"DELETE FROM {stores.new}.{table}")  # noqa: S608 - names of the models
    stores.execute(f"INSERT INTO {stores.new}.{table} ({columns}) SELECT {columns} FROM {stores.live}.{table}")  # noqa: S608 - names of the models


def _name(stores: BothStores, store_id: str, fingerprint: str) -> None:
    """Write the store's row; a store that was never served has none yet."""
    stores.execute(
        f"INSERT INTO {stores.new}.{_table(Store)} (id, store_id, time_zone, key_fingerprint, first_run_token, created_at) "  # noqa: S608, E501 - names of the models
        "VALUES (1, %s, %s, %s, '', %s) ON CONFLICT (id) DO UPDATE SET store_id = excluded.store_id, "
        "key_fingerprint = excluded.key_fingerprint, first_run_token = ''",
        [store_id, settings.TIME_ZONE, fingerprint, stores.instant(clock.now())],
    )


def _models() -> list[type[models.Model]]:
    return [model for model in apps.get_models(include_auto_created=True) if not model._meta.proxy]


def _columns(model: type[models.Model]) -> list[str]:
    return [field.column for field in model._meta.concrete_fields if field.column]


def _table(model: type[models.Model]) -> str:
    return model._meta.db_table
