"""Create the empty search index ; migration 0006 fills it."""

from django.db import migrations

from usage.search import engine_index as search_index


def build(apps, schema_editor):
    search_index.create()


def remove(apps, schema_editor):
    search_index.drop()


class Migration(migrations.Migration):
    dependencies = [
        ("usage", "0002_orders_and_row_key"),
    ]

    operations = [migrations.RunPython(build, remove)]
