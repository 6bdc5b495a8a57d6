"""Which account of its source an archive has."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collection", "0014_lease_of_account")]

    operations = [
        migrations.CreateModel(
            name="AccountOfArchive",
            fields=[
                ("archive_id", models.BigIntegerField(db_column="user_id", primary_key=True, serialize=False)),
                ("account", models.CharField(blank=True, max_length=64)),
                ("confirmed", models.CharField(blank=True, max_length=64)),
                ("refused", models.CharField(blank=True, max_length=64)),
            ],
        ),
    ]
