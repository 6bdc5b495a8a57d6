"""The search index of SQLite, with the prompts that are there already."""

from django.db import migrations

from usage import search_index


def build(apps, schema_editor):
    search_index.create()
    search_index.add_again()


def remove(apps, schema_editor):
    search_index.drop()


class Migration(migrations.Migration):
    dependencies = [
        ("usage", "0002_orders_and_row_key"),
    ]

    operations = [migrations.RunPython(build, remove)]
