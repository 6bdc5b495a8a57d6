from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster


class Migration(migrations.Migration):
    """How long accounts keep calls and prompts, and the sums of what is erased."""

    dependencies = [
        ("usage", "0030_privacy"),
    ]

    operations = [
        migrations.CreateModel(
            name="Retention",
            fields=[
                ("user_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("prompts_days", models.PositiveIntegerField(null=True)),
                ("calls_days", models.PositiveIntegerField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Horizon",
            fields=[
                ("archive_id", models.BigIntegerField(db_column="user_id", primary_key=True, serialize=False)),
                ("calls_from", models.CharField(blank=True, max_length=10)),
                ("calls_gone", models.CharField(blank=True, max_length=10)),
                ("prompts_from", models.CharField(blank=True, max_length=10)),
                ("prompts_gone", models.CharField(blank=True, max_length=10)),
                ("last_change", models.BigIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="ErasedSums",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "archive_id",
                        "day",
                        "hour",
                        "model",
                        "client",
                        "agent_purpose",
                        "without_prompt",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("day", models.CharField(max_length=10)),
                ("hour", models.PositiveSmallIntegerField()),
                ("model", models.CharField(max_length=200)),
                ("client", models.CharField(max_length=200)),
                ("agent_purpose", models.CharField(max_length=200)),
                ("without_prompt", models.BooleanField()),
                ("credits", models.BigIntegerField()),
                ("calls", models.PositiveIntegerField()),
                ("free", models.PositiveIntegerField()),
                ("without_amount", models.PositiveIntegerField()),
                ("estimated", models.PositiveIntegerField()),
                ("with_tokens", models.PositiveIntegerField()),
                ("tokens_in", models.BigIntegerField()),
                ("tokens_out", models.BigIntegerField()),
                ("cache_read", models.BigIntegerField()),
                ("cache_write", models.BigIntegerField()),
            ],
        ),
        cluster("usage_erasedsums"),
    ]
