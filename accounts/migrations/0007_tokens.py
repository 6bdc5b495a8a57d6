import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import archive_site.lib.clock


class Migration(migrations.Migration):
    """Personal tokens."""

    dependencies = [
        ("accounts", "0006_notices"),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiToken",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("scopes", models.CharField(max_length=32)),
                ("beginning", models.CharField(max_length=8)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(default=archive_site.lib.clock.now)),
                ("expires_at", models.DateTimeField(null=True)),
                ("last_used_at", models.DateTimeField(null=True)),
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
