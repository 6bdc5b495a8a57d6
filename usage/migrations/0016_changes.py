"""The log of changes: what is archived already is its first change."""

from django.db import migrations, models

from usage.models.changes import RowId

_FILL = "INSERT INTO usage_recordchange (record_id, user_id, number, first) SELECT id, user_id, 1, 1 FROM usage_record"


class Migration(migrations.Migration):
    dependencies = [("usage", "0015_pairs_of_search")]

    operations = [
        migrations.CreateModel(
            name="RecordChange",
            fields=[
                ("record_id", RowId(primary_key=True, serialize=False)),
                ("user_id", models.BigIntegerField()),
                ("number", models.BigIntegerField()),
                ("first", models.BigIntegerField()),
            ],
        ),
        migrations.RunSQL(_FILL, migrations.RunSQL.noop),
        migrations.AddIndex(
            "RecordChange", models.Index(fields=["user_id", "number", "record_id"], name="change_by_number")
        ),
        migrations.CreateModel(
            name="RemovedRecord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_id", models.BigIntegerField()),
                ("number", models.BigIntegerField()),
                ("request_id", models.CharField(max_length=128)),
            ],
            options={"indexes": [models.Index(fields=["user_id", "number"], name="removal_by_number")]},
        ),
    ]
