"""A running instance to back up and restore: its content, its accounts, and a comparison of all that it holds."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from cryptography.fernet import Fernet
from django.conf import settings
from django.db import connection

from accounts.credentials import credential
from accounts.models import Archive, Store, User
from accounts.store_identity import open_store
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch
from audit import log
from audit.models import Entry
from backups import creation, postgres_store
from backups.restore import restore_backup
from collection.models import Run
from collection.runs import lease
from tests.factories import make_user
from tests.usage.record_factories import archive, call
from usage.models import Record

COOKIE = "session=marker-9f31c2|1790000000|0123abcd"
_BEFORE_FURTHER = Archive.FIRST_OF_FURTHER - 1
ADMIN = {"actor": "root", "user_id": None, "ip": "192.0.2.7"}
Dump = dict[str, list[tuple[Any, ...]]]


def settle_in() -> None:
    """root (an administrator) and alice, with records, a run, settings, a cookie and an audit."""
    open_store()
    lease.expire()
    root, alice = make_user("root", is_admin=True), make_user("alice")
    run = Run.objects.create(archive_id=alice.pk, trigger="manual", status="ok", created_at=root.created_at)
    archive(
        alice,
        call("a", credits=1, ts="2026-09-01 10:00:00", prompt="how does it work?"),
        call("b", credits=2.5, ts="2026-09-02 11:00:00", model="kimi"),
        run_id=run.pk,
    )
    credential.store(alice.pk, COOKIE)
    log.record("login", actor="root", user_id=root.pk)
    log.record("login", actor="alice", user_id=alice.pk)


def start_afresh() -> None:
    """Another instance: another key, other accounts."""
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM accounts_session")
    for model in (User, Archive, Record, Run, Entry, Store):
        model._default_manager.all().delete()
    settings.DATA_FOLDER.instance_key.write_bytes(Fernet.generate_key())


def user(name: str) -> User:
    return User.objects.get(username=name)


def restored(path: Path, *, include_instance: bool = True, **entry: Any) -> restore_backup.Restored:
    return restore_backup.restore(path, include_instance=include_instance, **{**ADMIN, **entry})


def backed_up() -> Path:
    return creation.create("manual").path


def live() -> Path:
    return Path(str(connection.settings_dict["NAME"]))


def log_of(store: Path) -> Path:
    """The write-ahead log of a store that may be a link."""
    file = store.resolve()
    return file.with_name(f"{file.name}-wal")


def stores() -> list[str]:
    """The files of restored stores, with their logs."""
    return sorted(path.name for path in live().parent.glob("store-*"))


def schemas() -> list[str]:
    """The schemas of restores on PostgreSQL."""
    found = [] if engine.IS_SQLITE else fetch("SELECT nspname FROM pg_namespace WHERE nspname ~ '^restore'")
    return [name for (name,) in found]


def everything(path: Path | None = None, *, but: tuple[str, ...] = ()) -> Dump:
    """All rows of a store by table; by default of the live store."""
    if path is None and not engine.IS_SQLITE:
        return {
            name: sorted(fetch(f'SELECT * FROM "{name}"'), key=repr)
            for name in connection.introspection.table_names()
            if name not in but
        }
    with closing(sqlite3.connect(path or live())) as store:
        # The search index is in shadow tables, since its virtual tables cannot be read as a whole.
        tables = store.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
        return {
            name: sorted(store.execute(f'SELECT * FROM "{name}"').fetchall(), key=repr)
            for (name,) in tables.fetchall()
            if name not in but
        }


def begin_ids_again() -> None:
    """The next id of each table is its first one: restores of other tests have raised them."""
    if engine.IS_SQLITE:
        with closing(sqlite3.connect(live())) as store, store:
            store.execute("UPDATE sqlite_sequence SET seq = 0")
            store.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'accounts_archive'", [_BEFORE_FURTHER])
    else:
        first = {"accounts_archive": _BEFORE_FURTHER}
        postgres_store.set_counters(connection, postgres_store.live_schema(connection), first)


def files() -> dict[str, bytes]:
    """Every file of the data folder but logs, stores and their journals, and locks."""
    home = settings.DATA_FOLDER.home
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in home.rglob("*")
        if path.is_file()
        and path.parent.name != "logs"
        and ".sqlite3" not in path.name
        and not path.name.endswith("lock")
    }
