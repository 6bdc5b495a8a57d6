"""Orders: what was paid for packages."""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster


class Migration(migrations.Migration):
    dependencies = [("usage", "0027_packages")]

    operations = [
        migrations.CreateModel(
            name="Order",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "archive_id", "order_id", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("order_id", models.CharField(max_length=128)),
                ("paid_at", models.DateTimeField()),
                ("amount", models.BigIntegerField()),
                ("currency", models.CharField(max_length=8)),
                ("what", models.CharField(max_length=220)),
                ("months", models.PositiveSmallIntegerField(default=0)),
            ],
        ),
        migrations.AddField("packagesread", "orders_at", models.DateTimeField(null=True)),
        cluster("usage_order"),
    ]
