"""The tables of PostgreSQL are vacuumed in place, so that their free room is used again, and analysed."""

from django.db import connection

from archive_site.lib.storage.sql import execute
from archive_site.lib.storage.store_size import store_bytes as store_bytes


def compact() -> None:
    # Only our own: the database may hold tables of others.
    for table in connection.introspection.django_table_names(only_existing=True):
        execute(f"VACUUM (ANALYZE) {connection.ops.quote_name(table)}")


def require_room(needed: int) -> None:
    """Nothing: no table is copied."""
