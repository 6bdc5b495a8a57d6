"""Let PostgreSQL keep no statistics of prompts, which would outlast them; SQLite keeps none."""

from django.db import migrations

from usage.search.postgres.index import keep_no_statistics


def leave_out(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        keep_no_statistics()


class Migration(migrations.Migration):
    dependencies = [
        ("usage", "0032_erased_at"),
    ]

    operations = [migrations.RunPython(leave_out, migrations.RunPython.noop)]
