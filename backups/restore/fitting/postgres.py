"""SQLite holds what PostgreSQL refuses: texts with NUL, texts that are too long, and numbers that are too large."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from django.apps import apps
from django.db import connection, models
from django.utils.translation import gettext

from backups.backup_manifest import InvalidArchive
from backups.restore import schema_check


def fit(store: Path) -> None:
    """Raises InvalidArchive for a value that PostgreSQL cannot hold: a changed one would be lost silently."""
    with closing(schema_check.opened(store)) as opened:
        for model in apps.get_models(include_auto_created=True):
            for field in model._meta.concrete_fields:
                unfit = " OR ".join(_unfit(field))
                query = f"SELECT 1 FROM {model._meta.db_table} WHERE {unfit} LIMIT 1"  # noqa: S608 - names of the models
                if unfit and opened.execute(query).fetchone():
                    words = gettext("Its column %(column)s of %(table)s has a value that PostgreSQL cannot hold.")
                    raise InvalidArchive(words % {"column": field.column, "table": model._meta.db_table})


def _unfit(field: "models.Field[object, object]") -> Iterator[str]:
    column = f'"{field.column}"'
    if isinstance(field, models.CharField | models.TextField):
        # As bytes: functions of texts stop at NUL.
        yield f"instr(CAST({column} AS BLOB), x'00') > 0"
        if field.max_length:
            yield f"length({column}) > {field.max_length}"
    elif isinstance(field, models.IntegerField):
        least, most = connection.ops.integer_field_range(field.get_internal_type())
        yield f"{column} NOT BETWEEN {least} AND {most}"
