from django.db import migrations, models


class Migration(migrations.Migration):
    """What accounts keep of prompts."""

    dependencies = [
        ("usage", "0029_renewals_and_refunds"),
    ]

    operations = [
        migrations.CreateModel(
            name="Privacy",
            fields=[
                ("user_id", models.BigIntegerField(primary_key=True, serialize=False)),
                ("mode", models.CharField(default="whole", max_length=9)),
                ("length", models.PositiveIntegerField(default=100)),
                ("asked_at", models.DateTimeField(null=True)),
                ("applied_at", models.DateTimeField(null=True)),
                ("at_archive", models.BigIntegerField(default=0)),
                ("at_ts", models.CharField(blank=True, max_length=19)),
                ("at_request", models.CharField(blank=True, max_length=128)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
            ],
        ),
    ]
