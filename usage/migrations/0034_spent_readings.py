"""Readings of the counter of all that an account has spent."""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster


class Migration(migrations.Migration):
    dependencies = [("usage", "0033_no_statistics_of_prompts")]

    operations = [
        migrations.CreateModel(
            name="SpentReading",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "archive_id", "read_at", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("read_at", models.DateTimeField()),
                ("counter", models.CharField(max_length=64)),
                ("spent", models.BigIntegerField()),
                ("since", models.DateTimeField(null=True)),
                ("rise", models.BigIntegerField(default=0)),
                ("missing", models.BigIntegerField(null=True)),
            ],
        ),
        cluster("usage_spentreading"),
    ]
