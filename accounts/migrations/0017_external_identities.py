import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import archive_site.lib.clock


class Migration(migrations.Migration):
    """Persons at a provider of sign-ins."""

    dependencies = [("accounts", "0016_second_factor")]

    operations = [
        migrations.CreateModel(
            name="ExternalIdentity",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("issuer", models.CharField(max_length=255)),
                ("subject", models.CharField(max_length=255)),
                ("created_at", models.DateTimeField(default=archive_site.lib.clock.now)),
                ("last_used_at", models.DateTimeField(null=True)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("issuer", "subject"), name="one_account_of_a_person")],
            },
        ),
    ]
