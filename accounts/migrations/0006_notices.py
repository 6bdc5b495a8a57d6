import uuid

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What accounts were told, and to which addresses it was sent."""

    dependencies = [
        ("accounts", "0005_cookie_lifetimes"),
    ]

    operations = [
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("identity", models.UUIDField(default=uuid.uuid4, unique=True)),
                ("user_id", models.BigIntegerField()),
                ("event", models.CharField(max_length=24)),
                ("cause", models.CharField(max_length=200)),
                ("stored_begin", models.TextField()),
                ("stored_end", models.TextField(blank=True)),
                ("began_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [models.Index(fields=["user_id", "id"], name="notice_by_account")],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("ended_at", None)),
                        fields=("user_id", "event", "cause"),
                        name="one_open_notice_of_a_cause",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_id", models.BigIntegerField()),
                ("part", models.CharField(choices=[("begin", "Begin"), ("end", "End")], max_length=5)),
                ("address", models.CharField(max_length=64)),
                ("shown", models.CharField(max_length=40)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("sent", "Sent"),
                            ("failed", "Failed"),
                            ("dropped", "Dropped"),
                        ],
                        default="waiting",
                        max_length=7,
                    ),
                ),
                ("reason", models.CharField(blank=True, max_length=16)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("next_at", models.DateTimeField()),
                ("claimed_at", models.DateTimeField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
                (
                    "notice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="accounts.notice"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(condition=models.Q(("state", "waiting")), fields=["next_at"], name="delivery_waiting")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("notice", "part", "address"), name="one_delivery_to_an_address")
                ],
            },
        ),
    ]
