from django.db import migrations, models

_COUNT = """
    INSERT INTO collection_runcount (kind, exit_code, number)
    SELECT kind, exit_code, COUNT(*) FROM collection_run
    WHERE exit_code IS NOT NULL AND "trigger" <> 'imported' GROUP BY kind, exit_code"""


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0008_heartbeats_of_nodes"),
    ]

    operations = [
        migrations.CreateModel(
            name="RunCount",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "kind", "exit_code", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("kind", models.CharField(max_length=12)),
                ("exit_code", models.SmallIntegerField()),
                ("number", models.BigIntegerField()),
            ],
        ),
        migrations.RunSQL(_COUNT, migrations.RunSQL.noop),
    ]
