import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import archive_site.lib.clock


class Migration(migrations.Migration):
    """Addresses that are sent signed events."""

    dependencies = [
        ("accounts", "0007_tokens"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("identity", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("sealed", models.TextField()),
                ("shown", models.CharField(max_length=40)),
                ("created_at", models.DateTimeField(default=archive_site.lib.clock.now)),
                ("tried_at", models.DateTimeField(null=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("reason", models.CharField(blank=True, max_length=16)),
                (
                    "user",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
    ]
