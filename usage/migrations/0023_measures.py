"""What sources give of records beside their amounts; no stored record has any."""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster
from usage.row_keys import RowKey


class Migration(migrations.Migration):
    dependencies = [("usage", "0022_unknown_purposes")]

    operations = [
        migrations.CreateModel(
            name="RecordMeasures",
            fields=[
                (
                    "record",
                    RowKey(on_delete=models.CASCADE, primary_key=True, serialize=False, to="usage.record"),
                ),
                (
                    "provenance",
                    models.PositiveSmallIntegerField(
                        choices=[(0, "billed"), (1, "included"), (2, "estimated"), (3, "unknown")]
                    ),
                ),
                ("tokens_in", models.BigIntegerField(null=True)),
                ("tokens_out", models.BigIntegerField(null=True)),
                ("cache_read", models.BigIntegerField(null=True)),
                ("cache_write", models.BigIntegerField(null=True)),
                ("at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="DayMeasures",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "archive_id", "day", "model", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("day", models.CharField(max_length=10)),
                ("model", models.CharField(max_length=200)),
                ("without_amount", models.PositiveIntegerField()),
                ("estimated", models.PositiveIntegerField()),
                ("with_tokens", models.PositiveIntegerField()),
                ("tokens_in", models.BigIntegerField()),
                ("tokens_out", models.BigIntegerField()),
                ("cache_read", models.BigIntegerField()),
                ("cache_write", models.BigIntegerField()),
            ],
        ),
        cluster("usage_daymeasures"),
    ]
