"""The values in the store of an archive: each of the kind that its column is read as (design 7).

SQLite stores any value in any column. One of another kind would break every answer that it is part of.
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
    """Raises InvalidArchive where a value is none of its column's kind."""
    # Other counters are no name and number either.
    odd = store.execute("SELECT 1 FROM sqlite_sequence WHERE typeof(name) <> 'text' OR typeof(seq) <> 'integer'")
    if odd.fetchone():
        raise InvalidArchive(gettext("The counters of its store are damaged."))
    for model in apps.get_models(include_auto_created=True):
        table = model._meta.db_table
        present = {name for (name,) in store.execute("SELECT name FROM pragma_table_info(?)", [table])}
        kinds = [kind for field in model._meta.concrete_fields if field.column in present for kind in _kinds(field)]
        if kinds and store.execute(f"SELECT 1 FROM {table} WHERE NOT ({' AND '.join(kinds)}) LIMIT 1").fetchone():
            words = gettext("Its table %(table)s contains invalid values.")
            raise InvalidArchive(words % {"table": table})


def _kinds(field: "models.Field[object, object]") -> Iterator[str]:
    """What holds of the values of a column, in SQL; what is null was looked at with the rest of the store."""
    column = f'"{field.column}"'
    for condition in _conditions(field, column):
        yield f"({column} IS NULL OR {condition})"


def _conditions(field: "models.Field[object, object]", column: str) -> Iterator[str]:
    if isinstance(field, models.DateTimeField):
        start = f"substr({column}, 1, 19)"
        yield f"typeof({column}) = 'text' AND {start} LIKE '{_TIME}' AND datetime({start}, '+0 days') IS {start}"
        yield f"(substr({column}, 20) = '' OR substr({column}, 20) GLOB '.[0-9]*')"
        yield f"substr({column}, 21) NOT GLOB '*[^0-9]*'"
        # Of other years some zone has none.
        yield f"{start} BETWEEN '0002' AND '9998'"
    elif isinstance(field, models.UUIDField):
        yield f"length({column}) = 32 AND {column} NOT GLOB '*[^0-9a-f]*'"
    elif isinstance(field, _WHOLE):
        yield f"typeof({column}) = 'integer'"
    elif isinstance(field, models.CharField | models.TextField):
        yield f"typeof({column}) = 'text'"
        if field.choices:
            yield f"{column} IN ({', '.join(repr(str(value)) for value, _ in field.flatchoices)})"
