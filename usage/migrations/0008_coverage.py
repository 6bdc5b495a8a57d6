"""The ledger of days, and which records have no prompt. The day sums are computed again with the new count."""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster

_MARK = """
    UPDATE usage_record SET without_prompt = TRUE
    WHERE NOT EXISTS (SELECT 1 FROM usage_prompt p WHERE p.record_id = usage_record.id)"""


class Migration(migrations.Migration):
    dependencies = [("usage", "0007_purpose_sums")]

    operations = [
        migrations.CreateModel(
            name="CoverageDay",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id", "day", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("day", models.CharField(max_length=10)),
                ("upstream", models.PositiveIntegerField(null=True)),
                ("checked_at", models.DateTimeField(null=True)),
                ("empty", models.PositiveIntegerField(null=True)),
                ("read_at", models.DateTimeField(null=True)),
                ("settled_at", models.DateTimeField(null=True)),
                ("next_read_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Reach",
            fields=[
                ("user_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("first_day", models.CharField(max_length=10)),
            ],
        ),
        migrations.AddField("daytotal", "without_prompt", models.PositiveIntegerField(db_default=0)),
        cluster("usage_daytotal", "usage_coverageday"),
        migrations.AddField("record", "without_prompt", models.BooleanField(db_default=False)),
        migrations.AddIndex(
            "record",
            models.Index(
                condition=models.Q(without_prompt=True), fields=["user_id", "day"], name="record_without_prompt"
            ),
        ),
        migrations.RunSQL(_MARK, migrations.RunSQL.noop),
    ]
