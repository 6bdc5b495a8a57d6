"""Primary keys that are SQLite's rowid, so that they need no index."""

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper


class RowKey(models.OneToOneField):  # type: ignore[type-arg]  # Django's own class takes none
    """The row of another table."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "integer" if connection.vendor == "sqlite" else super().db_type(connection)


class RowId(models.BigIntegerField):  # type: ignore[type-arg]  # Django's own class takes none
    """The id of a row of another table, without a constraint."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str | None:
        return "integer" if connection.vendor == "sqlite" else super().db_type(connection)
