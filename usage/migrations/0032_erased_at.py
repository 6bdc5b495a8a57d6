from django.db import migrations, models


class Migration(migrations.Migration):
    """When something was erased last, and until which day the clock is believed."""

    dependencies = [
        ("usage", "0031_retention"),
    ]

    operations = [
        migrations.AddField("Horizon", "erased_at", models.DateTimeField(null=True)),
        migrations.AddField("Horizon", "is_unfinished", models.BooleanField(db_default=False)),
        migrations.AddField("Retention", "seen_on", models.CharField(blank=True, db_default="", max_length=10)),
        migrations.AddField("Retention", "leapt_to", models.CharField(blank=True, db_default="", max_length=10)),
        migrations.RunSQL(
            [
                "UPDATE usage_horizon SET erased_at = CURRENT_TIMESTAMP WHERE calls_gone <> '' OR prompts_gone <> ''",
                # What was being erased.
                "UPDATE usage_horizon SET is_unfinished = TRUE "
                "WHERE calls_gone <> calls_from OR prompts_gone <> prompts_from",
            ],
            migrations.RunSQL.noop,
        ),
        migrations.AddField("RemovedRecord", "day", models.CharField(blank=True, db_default="", max_length=10)),
    ]
