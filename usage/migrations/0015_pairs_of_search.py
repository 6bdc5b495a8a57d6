"""Give the search index of PostgreSQL the pairs of letters and non-Latin characters; that of SQLite has them."""

from django.db import migrations

from usage.search.postgres.index import renew_characters


def renew(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        renew_characters()


class Migration(migrations.Migration):
    dependencies = [
        ("usage", "0014_budgets"),
    ]

    operations = [migrations.RunPython(renew, migrations.RunPython.noop)]
