"""The windows of the upstream that runs read again."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0016_changes")]

    operations = [
        migrations.CreateModel(
            name="LeftWindow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_id", models.BigIntegerField()),
                ("win_from", models.DateTimeField()),
                ("win_to", models.DateTimeField()),
                ("is_failed", models.BooleanField()),
                ("is_unconfirmed", models.BooleanField()),
                ("tries", models.PositiveSmallIntegerField()),
                ("next_read_at", models.DateTimeField(null=True)),
            ],
            options={"indexes": [models.Index(fields=["user_id", "win_from"], name="left_window_of_account")]},
        )
    ]
