"""Sums of whole months; the housekeeping fills them."""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster


class Migration(migrations.Migration):
    dependencies = [("usage", "0008_coverage")]

    operations = [
        migrations.CreateModel(
            name="MonthSums",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id", "month", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("month", models.CharField(max_length=7)),
                ("sums", models.TextField()),
                ("sums_of_groups", models.TextField()),
            ],
        ),
        cluster("usage_monthsums"),
    ]
