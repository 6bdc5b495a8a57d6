"""Checks that each value in a backup's store has the type of its column.

The rules: docs/decisions/backups.md#an-archive-is-not-trusted.

SQLite stores any value in any column. A value of another type would break every answer that contains it.
"""

import sqlite3
from collections.abc import Iterator

from django.apps import apps
from django.db import models
from django.utils.translation import gettext

from backups.backup_manifest import InvalidArchive

_TIME = "____-__-__ __:__:__"
_WHOLE = (models.IntegerField, models.BooleanField, models.ForeignKey)


def check(store: sqlite3.Connection) -> None:
    """Raises InvalidArchive if a value does not have the type of its column."""
    # The id counters are not a model's table.
    odd = store.execute("SELECT 1 FROM sqlite_sequence WHERE typeof(name) <> 'text' OR typeof(seq) <> 'integer'")
    if odd.fetchone():
        raise InvalidArchive(gettext("The counters of its store are damaged."))
    for model in apps.get_models(include_auto_created=True):
        table = model._meta.db_table
        present = {name for (name,) in store.execute("SELECT name FROM pragma_table_info(?)", [table])}
        kinds = [kind for field in model._meta.concrete_fields if field.column in present for kind in _kinds(field)]
        if kinds and store.execute(f"SELECT 1 FROM {table} WHERE NOT ({' AND '.join(kinds)}) LIMIT 1").fetchone():  # noqa: S608 - names of the models
            words = gettext("Its table %(table)s contains invalid values.")
            raise InvalidArchive(words % {"table": table})


def _kinds(field: "models.Field[object, object]") -> Iterator[str]:
    """SQL conditions for the values of a column. NOT NULL is checked with the integrity of the store."""
    column = f'"{field.column}"'
    for condition in _conditions(field, column):
        yield f"({column} IS NULL OR {condition})"


def _conditions(field: "models.Field[object, object]", column: str) -> Iterator[str]:
    if isinstance(field, models.DateTimeField):
        start = f"substr({column}, 1, 19)"
        yield f"typeof({column}) = 'text' AND {start} LIKE '{_TIME}' AND datetime({start}, '+0 days') IS {start}"
        yield f"(substr({column}, 20) = '' OR substr({column}, 20) GLOB '.[0-9]*')"
        yield f"substr({column}, 21) NOT GLOB '*[^0-9]*'"
        # Other years cannot be converted to every zone.
        yield f"{start} BETWEEN '0002' AND '9998'"
    elif isinstance(field, models.UUIDField):
        yield f"length({column}) = 32 AND {column} NOT GLOB '*[^0-9a-f]*'"
    elif isinstance(field, _WHOLE):
        yield f"typeof({column}) = 'integer'"
        if field.choices:
            yield f"{column} IN ({', '.join(str(value) for value, _ in field.flatchoices)})"
    elif isinstance(field, models.CharField | models.TextField):
        yield f"typeof({column}) = 'text'"
        if field.choices:
            yield f"{column} IN ({', '.join(repr(str(value)) for value, _ in field.flatchoices)})"
