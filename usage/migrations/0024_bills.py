"""What payers say of days, and whether calls agree; how calls ended. No stored call is known not to be answered."""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster

WHATS = ("calls", "amount", "tokens_in", "tokens_out", "cache_read", "cache_write")
STATUSES = ("ok", "error", "refused", "cancelled", "unfinished", "refund")


def _key(*columns: str) -> models.CompositePrimaryKey:
    return models.CompositePrimaryKey(*columns, blank=True, editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):
    dependencies = [("usage", "0023_measures")]

    operations = [
        migrations.CreateModel(
            name="BillRead",
            fields=[
                ("pk", _key("archive_id", "day")),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("day", models.CharField(max_length=10)),
                ("read_at", models.DateTimeField()),
                ("is_complete", models.BooleanField()),
            ],
        ),
        migrations.CreateModel(
            name="BillDay",
            fields=[
                ("pk", _key("archive_id", "day", "model", "what")),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("day", models.CharField(max_length=10)),
                ("model", models.CharField(max_length=200)),
                ("what", models.CharField(choices=[(what, what) for what in WHATS], max_length=11)),
                ("amount", models.BigIntegerField()),
                ("within", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="DayProof",
            fields=[
                ("pk", _key("archive_id", "day", "bill_id")),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("day", models.CharField(max_length=10)),
                ("bill_id", models.BigIntegerField()),
                ("differences", models.TextField()),
                ("compared_at", models.DateTimeField()),
            ],
            options={"indexes": [models.Index(fields=["bill_id", "day"], name="dayproof_of_bill")]},
        ),
        migrations.AddField(
            model_name="recordmeasures",
            name="status",
            field=models.PositiveSmallIntegerField(choices=list(enumerate(STATUSES)), db_default=0),
        ),
        cluster("usage_billread", "usage_billday", "usage_dayproof"),
    ]
