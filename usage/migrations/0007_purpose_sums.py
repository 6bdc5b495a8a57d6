"""Add the rollups by purpose and fill them from the records; put the purpose into the indexes of the records.

All rollups are put into the order of their keys.
"""

from django.db import connection, migrations, models

from archive_site.lib.storage.clustered_table import cluster

_FREE = "SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
# The groups come in the order of `record_by_group`, which has all of these columns: no record is read, none sorted.
_FILL_GROUPS = f"""
    INSERT INTO usage_daypurposegroup (user_id, day, model, client, agent_purpose, credits, calls, free)
    SELECT user_id, day, model, client, agent_purpose, SUM(credits), COUNT(*), {_FREE}
    FROM usage_record GROUP BY user_id, day, model, client, agent_purpose"""  # noqa: S608 - a constant
_FILL_HOURS = f"""
    INSERT INTO usage_daypurposehour (user_id, day, hour, agent_purpose, credits, calls, free)
    SELECT user_id, day, hour, agent_purpose, SUM(credits), COUNT(*), {_FREE}
    FROM usage_record GROUP BY user_id, day, hour, agent_purpose"""  # noqa: S608 - a constant
_FILL_DAYS = """
    INSERT INTO usage_daypurpose (user_id, day, agent_purpose, credits, calls, free)
    SELECT user_id, day, agent_purpose, SUM(credits), SUM(calls), SUM(free)
    FROM usage_daypurposegroup GROUP BY user_id, day, agent_purpose"""


def fill(apps, schema_editor):
    with connection.cursor() as cursor:
        for statement in (
            "DELETE FROM usage_daypurposegroup",
            "DELETE FROM usage_daypurposehour",
            "DELETE FROM usage_daypurpose",
            _FILL_GROUPS,
            _FILL_HOURS,
            _FILL_DAYS,
        ):
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [
        ("usage", "0006_index_prompts"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="record", name="record_by_time"),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                fields=["user_id", "ts", "request_id", "credits", "agent_purpose"], name="record_by_time"
            ),
        ),
        migrations.RemoveIndex(model_name="record", name="record_by_group"),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                fields=["user_id", "day", "model", "client", "agent_purpose", "hour", "credits"], name="record_by_group"
            ),
        ),
        migrations.RemoveIndex(model_name="record", name="record_by_credits"),
        migrations.AddIndex(
            model_name="record",
            index=models.Index(
                fields=["user_id", "credits", "ts", "request_id", "model", "client", "agent_purpose"],
                name="record_by_credits",
            ),
        ),
        migrations.CreateModel(
            name="DayPurpose",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id", "day", "agent_purpose", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("day", models.CharField(max_length=10)),
                ("agent_purpose", models.CharField(max_length=200)),
                ("credits", models.BigIntegerField()),
                ("calls", models.PositiveIntegerField()),
                ("free", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="DayPurposeHour",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id",
                        "day",
                        "hour",
                        "agent_purpose",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("day", models.CharField(max_length=10)),
                ("hour", models.PositiveSmallIntegerField()),
                ("agent_purpose", models.CharField(max_length=200)),
                ("credits", models.BigIntegerField()),
                ("calls", models.PositiveIntegerField()),
                ("free", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="DayPurposeGroup",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id",
                        "day",
                        "model",
                        "client",
                        "agent_purpose",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("day", models.CharField(max_length=10)),
                ("model", models.CharField(max_length=200)),
                ("client", models.CharField(max_length=200)),
                ("agent_purpose", models.CharField(max_length=200)),
                ("credits", models.BigIntegerField()),
                ("calls", models.PositiveIntegerField()),
                ("free", models.PositiveIntegerField()),
            ],
        ),
        cluster(
            "usage_daygroup",
            "usage_dayhour",
            "usage_daymodel",
            "usage_dayclient",
            "usage_daypurposegroup",
            "usage_daypurposehour",
            "usage_daypurpose",
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
