"""The archives of accounts: of each account one, and of each id whose data was kept."""

from django.db import migrations, models

_FIRST = {"kind": "codebuddy", "label": "CodeBuddy", "unit": "credits"}
_FURTHER = 2**32
# The tables that a kept archive has rows in; the sums stand for the records. Settings, notices and views are those of a
# person: an id that has nothing else has no data to keep. An adoption leaves the data version of the old id.
_KEPT_IN = (
    *("usage_daytotal", "usage_coverageday", "usage_leftwindow", "usage_budget"),
    *("usage_removedrecord", "collection_run", "collection_progress"),
)
_COUNT_FROM = {
    "sqlite": (
        "DELETE FROM sqlite_sequence WHERE name = 'accounts_archive'",
        f"INSERT INTO sqlite_sequence (name, seq) VALUES ('accounts_archive', {_FURTHER - 1})",  # noqa: S608 - a constant
    ),
    "postgresql": (f"ALTER TABLE accounts_archive ALTER COLUMN id SET START WITH {_FURTHER} RESTART",),
}


def fill(apps, schema_editor):
    connection = schema_editor.connection
    archives = apps.get_model("accounts", "Archive").objects.using(connection.alias)
    ids = " UNION ".join(["SELECT id FROM accounts_user", *(f"SELECT user_id FROM {table}" for table in _KEPT_IN)])  # noqa: S608 - constants
    with connection.cursor() as cursor:
        cursor.execute(ids)
        found = sorted(row[0] for row in cursor.fetchall())
    archives.bulk_create([archives.model(id=one, user_id=one, **_FIRST) for one in found], batch_size=500)


def count_further(apps, schema_editor):
    connection = schema_editor.connection
    with connection.cursor() as cursor:
        for statement in _COUNT_FROM[connection.vendor]:
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0010_webhook_events"),
        ("collection", "0012_archive_key"),
        ("usage", "0021_archive_key"),
    ]

    operations = [
        migrations.CreateModel(
            name="Archive",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_id", models.BigIntegerField(db_index=True)),
                ("kind", models.CharField(max_length=20)),
                ("label", models.CharField(max_length=60)),
                ("unit", models.CharField(max_length=16)),
            ],
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.RunPython(count_further, migrations.RunPython.noop),
    ]
