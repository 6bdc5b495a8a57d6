"""Rebuild the search index from the stored prompts, whatever an earlier version put into it."""

from django.db import migrations

from usage.search import engine_index as search_index


def build(apps, schema_editor):
    search_index.drop()
    search_index.create()
    search_index.fill()


class Migration(migrations.Migration):
    dependencies = [
        ("usage", "0005_model_of_groups"),
    ]

    operations = [migrations.RunPython(build, migrations.RunPython.noop)]
