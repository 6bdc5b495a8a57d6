"""Django's PostgreSQL backend with text columns that compare and sort by bytes, as those of SQLite do.

The collation of a database is chosen when it is created, and each language sorts differently.
A row of an index may have 2,704 bytes: an index leaves out its last columns where their longest texts have more.
"""

from collections.abc import Iterator
from typing import Any

from django.db.backends.postgresql import base, schema
from django.db.models import Field, Index, Model
from django.db.utils import DatabaseError, DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg.errors import DataCorrupted

from archive_site.lib.storage import lock_wait, store_damage

Parameters = dict[str, Any]

# No query is compiled, and pages of disks without heads cost nearly the same in any order. The others are what the
# client and the searches expect, whatever the database or the role has.
_SETTINGS = ("jit = off", "random_page_cost = 1.1", "DateStyle = 'ISO'", "standard_conforming_strings = on")
_MOST_BYTES = 2704
_BYTES_OF_CHARACTER, _BYTES_OF_OTHERS = 4, 8


class SchemaEditor(schema.DatabaseSchemaEditor):
    def _iter_column_sql(
        self, column_db_type: str, params: list[Any], model: type[Model], field: "Field[Any, Any]",
        field_db_params: Parameters, include_default: bool,
    ) -> Iterator[str]:  # fmt: skip
        parts = (column_db_type, params, model, field, _bytewise(field_db_params), include_default)
        return super()._iter_column_sql(*parts)  # type: ignore[misc,no-any-return]  # missing in the stubs

    def _alter_field(
        self, model: type[Model], old_field: "Field[Any, Any]", new_field: "Field[Any, Any]",
        old_type: str, new_type: str, old_db_params: Parameters, new_db_params: Parameters, strict: bool = False,
    ) -> None:  # fmt: skip
        parameters = (_bytewise(old_db_params), _bytewise(new_db_params))
        super()._alter_field(model, old_field, new_field, old_type, new_type, *parameters, strict)  # type: ignore[misc]

    def add_index(self, model: type[Model], index: Index, concurrently: bool = False) -> None:
        super().add_index(model, _fitting(model, index), concurrently)

    def _create_like_index_sql(self, model: type[Model], field: "Field[Any, Any]") -> None:
        """No second index for comparisons by prefix: the first one serves them under this collation."""


class ErrorWrapper(DatabaseErrorWrapper):
    """Also takes a text that cannot be decoded for damage. It is not in the error: it may be a prompt, and errors are
    logged."""

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is UnicodeDecodeError:
            raise DatabaseError(store_damage.DAMAGED_TEXT) from DataCorrupted(store_damage.DAMAGED_TEXT)
        super().__exit__(kind, error, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    SchemaEditorClass = SchemaEditor
    # The `lock_timeout` of the connection, None for that of the server.
    _lock_wait: float | None = None

    @cached_property
    def wrap_database_errors(self) -> ErrorWrapper:
        return ErrorWrapper(self)

    def init_connection_state(self) -> None:
        """Plan and write queries for what they are here, and limit what requests wait.

        The rules: docs/decisions/nodes.md#plans-of-postgresql.
        """
        super().init_connection_state()
        self._lock_wait = lock_wait.of_this_request() if lock_wait.is_limited() else None
        waits = [f"lock_timeout = '{self._lock_wait}s'"] if self._lock_wait else []
        with self.connection.cursor() as cursor:
            cursor.execute("; ".join(f"SET {setting}" for setting in (*_SETTINGS, *waits)))
        if not self.get_autocommit():
            self.connection.commit()

    def _cursor(self, name: str | None = None) -> Any:
        """A cursor whose statements wait for locks as long as the request may."""
        self.close_if_health_check_failed()
        self.ensure_connection()
        seconds = lock_wait.of_this_request()
        # Within a transaction it would be taken back with it.
        if lock_wait.is_limited() and seconds != self._lock_wait and not self.in_atomic_block:
            with self.wrap_database_errors:
                self.connection.execute(f"SET lock_timeout = '{seconds}s'")
            self._lock_wait = seconds
        return super()._cursor(name)  # type: ignore[misc]  # missing in the stubs


def _fitting(model: type[Model], index: Index) -> Index:
    """The index without its last columns, as far as its rows could be too long."""
    columns = [name for name, _ in index.fields_orders]
    while sum(_most_bytes(model, name) for name in columns) > _MOST_BYTES:
        columns.pop()
    if len(columns) == len(index.fields_orders):
        return index
    return Index(fields=columns, name=index.name, condition=index.condition)


def _most_bytes(model: type[Model], name: str) -> int:
    characters = getattr(model._meta.get_field(name), "max_length", None)
    return _BYTES_OF_CHARACTER * (characters + 1) if characters else _BYTES_OF_OTHERS


def _bytewise(parameters: Parameters) -> Parameters:
    is_text = str(parameters["type"]).startswith(("varchar", "text"))
    return {**parameters, "collation": "C"} if is_text else parameters
