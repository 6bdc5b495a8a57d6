"""How a run ended and its log become messages: codes with parameters. What is not known stays as text, whole."""

from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from audit.migrations._sentences_of_0_1_0 import stored_end, stored_log

# Each may have 256 KiB of detail.
STEP = 50


def convert(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """In steps by key, so that no step holds much; all in the migration's transaction, so that a death undoes all."""
    model = apps.get_model("collection", "Run")
    update = f"UPDATE {model._meta.db_table} SET message = %s, detail = %s WHERE id = %s"  # noqa: S608 - a name of the models
    runs = model.objects.using(schema_editor.connection.alias).order_by("pk")
    last = 0
    with schema_editor.connection.cursor() as cursor:
        while rows := list(runs.filter(pk__gt=last).values_list("pk", "stored_message", "stored_detail")[:STEP]):
            cursor.executemany(
                update, [(stored_end(message), stored_log(detail), key) for key, message, detail in rows]
            )
            last = rows[-1][0]


class Migration(migrations.Migration):
    dependencies = [("collection", "0001_initial")]

    operations = [
        migrations.AlterField("run", "message", models.TextField(blank=True, db_column="message")),
        migrations.AlterField("run", "detail", models.TextField(blank=True, db_column="detail")),
        migrations.RenameField("run", "message", "stored_message"),
        migrations.RenameField("run", "detail", "stored_detail"),
        migrations.RunPython(convert),
    ]
