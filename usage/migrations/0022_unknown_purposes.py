"""The sums of the calls of unknown purpose, by day: to look up each call took a tenth of a second for a year.

The coarse rollups of days are filled here, by the code that keeps them: of a store that had none, and of others again.
"""

from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from archive_site.lib.storage.clustered_table import cluster
from usage.rollups import day_totals


def fill(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT user_id FROM usage_daygroup")
        archives = [archive_id for (archive_id,) in cursor.fetchall()]
    for archive_id in archives:
        day_totals.compute_all(archive_id)


class Migration(migrations.Migration):
    dependencies = [("usage", "0021_archive_key")]

    operations = [
        migrations.AddField("DayTotal", "unknown_credits", models.BigIntegerField(db_default=0)),
        migrations.AddField("DayTotal", "unknown_calls", models.PositiveIntegerField(db_default=0)),
        migrations.AddField("DayTotal", "unknown_free", models.PositiveIntegerField(db_default=0)),
        cluster("usage_daytotal"),
        migrations.RemoveIndex("Record", "record_without_prompt"),
        migrations.AddIndex(
            "Record",
            models.Index(
                condition=models.Q(without_prompt=True),
                fields=["archive_id", "day", "agent_purpose", "credits"],
                name="record_without_prompt",
            ),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
