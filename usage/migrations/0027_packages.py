"""Packages of credits, and their course."""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster


def _key(*columns: str) -> models.CompositePrimaryKey:
    return models.CompositePrimaryKey(*columns, blank=True, editable=False, primary_key=True, serialize=False)


class Migration(migrations.Migration):
    dependencies = [("usage", "0026_bills_of_some_models")]

    operations = [
        migrations.CreateModel(
            name="Package",
            fields=[
                ("pk", _key("archive_id", "resource_id", "cycle")),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("resource_id", models.CharField(max_length=128)),
                ("cycle", models.CharField(max_length=32)),
                ("code", models.CharField(max_length=200)),
                ("name", models.CharField(max_length=200)),
                ("kind", models.CharField(max_length=10)),
                ("size", models.BigIntegerField()),
                ("left", models.BigIntegerField()),
                ("used", models.BigIntegerField(null=True)),
                ("granted_at", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("state", models.CharField(max_length=8)),
                ("entered", models.BigIntegerField()),
                ("changed_at", models.DateTimeField(null=True)),
                ("changed_by", models.BigIntegerField(default=0)),
                ("read_at", models.DateTimeField()),
                ("is_over", models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name="PackageReading",
            fields=[
                ("pk", _key("archive_id", "resource_id", "cycle", "read_at")),
                ("archive_id", models.BigIntegerField(db_column="user_id")),
                ("resource_id", models.CharField(max_length=128)),
                ("cycle", models.CharField(max_length=32)),
                ("read_at", models.DateTimeField()),
                ("size", models.BigIntegerField()),
                ("left", models.BigIntegerField()),
                ("state", models.CharField(max_length=8)),
            ],
        ),
        migrations.CreateModel(
            name="PackagesRead",
            fields=[
                ("archive_id", models.BigIntegerField(db_column="user_id", primary_key=True, serialize=False)),
                ("first_at", models.DateTimeField()),
                ("read_at", models.DateTimeField()),
            ],
        ),
        cluster("usage_package", "usage_packagereading"),
    ]
