import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import archive_site.lib.clock


class Migration(migrations.Migration):
    """Codes, passkeys and recovery codes."""

    dependencies = [
        ("accounts", "0015_bills_of_other_archives"),
    ]

    operations = [
        migrations.CreateModel(
            name="SecondFactor",
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
                ("sealed", models.TextField(blank=True)),
                ("pending", models.TextField(blank=True)),
                ("last_step", models.BigIntegerField(default=0)),
                ("handle", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("passkeys_alone", models.BooleanField(default=False)),
            ],
        ),
        migrations.AddField(
            model_name="user",
            name="second_factor",
            field=models.CharField(db_default="none", default="none", editable=False, max_length=8),
        ),
        migrations.CreateModel(
            name="Passkey",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                ("credential_id", models.CharField(max_length=1400, unique=True)),
                ("public_key", models.TextField()),
                ("sign_count", models.BigIntegerField(default=0)),
                ("created_at", models.DateTimeField(default=archive_site.lib.clock.now)),
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
        migrations.CreateModel(
            name="RecoveryCode",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("code_hash", models.CharField(max_length=64, unique=True)),
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
