"""The details of the audit become messages: a code with parameters. What is not known stays as text, whole."""

from collections.abc import Iterator
from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from audit.migrations._sentences_of_0_1_0 import stored_detail

STEP = 5000


def convert(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """In steps by key, so that no step holds much; all in the migration's transaction, so that a death undoes all."""
    entries = apps.get_model("audit", "Entry")
    update = f"UPDATE {entries._meta.db_table} SET detail = %s, search_text = %s WHERE id = %s"  # noqa: S608 - a name of the models
    with schema_editor.connection.cursor() as cursor:
        for rows in _steps(entries.objects.using(schema_editor.connection.alias)):
            changes = [(stored_detail(action, text), text, key) for key, action, text in rows if text]
            cursor.executemany(update, changes)


def _steps(entries: Any) -> Iterator[list[tuple[int, str, str]]]:
    last = 0
    while rows := list(entries.filter(pk__gt=last).order_by("pk").values_list("pk", "action", "stored_detail")[:STEP]):
        yield rows
        last = rows[-1][0]


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_own_actions_and_actors")]

    operations = [
        migrations.AlterField("entry", "detail", models.TextField(blank=True, db_column="detail")),
        migrations.RenameField("entry", "detail", "stored_detail"),
        migrations.AddField("entry", "search_text", models.TextField(blank=True, default="")),
        migrations.RunPython(convert),
    ]
