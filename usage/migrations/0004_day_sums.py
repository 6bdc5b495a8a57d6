"""The coarse rollups of days; `0022_unknown_purposes` fills them."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("usage", "0003_search_index"),
    ]

    operations = [
        migrations.CreateModel(
            name="DayClient",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id", "day", "client", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("day", models.CharField(max_length=10)),
                ("client", models.CharField(max_length=200)),
                ("credits", models.BigIntegerField()),
                ("calls", models.PositiveIntegerField()),
                ("free", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="DayModel",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id", "day", "model", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("day", models.CharField(max_length=10)),
                ("model", models.CharField(max_length=200)),
                ("credits", models.BigIntegerField()),
                ("calls", models.PositiveIntegerField()),
                ("free", models.PositiveIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="DayTotal",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "user_id", "day", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("user_id", models.BigIntegerField()),
                ("day", models.CharField(max_length=10)),
                ("credits", models.BigIntegerField()),
                ("calls", models.PositiveIntegerField()),
                ("free", models.PositiveIntegerField()),
                ("by_model", models.TextField()),
                ("by_hour", models.TextField()),
            ],
        ),
    ]
