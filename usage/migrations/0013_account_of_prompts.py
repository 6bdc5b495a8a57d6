"""Make the search index of PostgreSQL again, with the account of each prompt; that of SQLite has it."""

from django.db import migrations

from usage.search import engine_index as search_index


def build(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        search_index.drop()
        search_index.create()


class Migration(migrations.Migration):
    dependencies = [
        ("usage", "0012_node_files"),
    ]

    operations = [migrations.RunPython(build, migrations.RunPython.noop)]
