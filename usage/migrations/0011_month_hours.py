"""Hours of models and clients by month; the housekeeping fills them.

A month that has sums has its hours too, so the sums are removed, to be computed again with them.
"""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster


class Migration(migrations.Migration):
    dependencies = [("usage", "0010_saved_views")]

    operations = [
        migrations.CreateModel(
            name="MonthHours",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id",
                        "month",
                        "dimension",
                        "name",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("month", models.CharField(max_length=7)),
                ("dimension", models.CharField(max_length=6)),
                ("name", models.CharField(max_length=200)),
                ("days", models.TextField()),
            ],
        ),
        cluster("usage_monthhours"),
        migrations.RunSQL("DELETE FROM usage_monthsums", migrations.RunSQL.noop),
    ]
