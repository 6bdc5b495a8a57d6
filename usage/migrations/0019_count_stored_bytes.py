"""Count what each account stores: the bytes of its prompts, and 1,000 for each record.

Counted outside of a transaction, so that nobody waits for the store; a count that breaks off begins again.
"""

from django.db import migrations
from django.utils import timezone

_BYTES = {"sqlite": "LENGTH(CAST(p.text AS BLOB))", "postgresql": "OCTET_LENGTH(p.text)"}
_COUNT = """
    SELECT r.user_id, SUM(1000 + COALESCE({}, 0))
    FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id GROUP BY r.user_id"""


def count(apps, schema_editor):
    connection = schema_editor.connection
    versions = apps.get_model("usage", "DataVersion").objects.using(connection.alias)
    with connection.cursor() as cursor:
        cursor.execute(_COUNT.format(_BYTES[connection.vendor]))
        counted = cursor.fetchall()
    for user_id, size in counted:
        new = {"number": 1, "changed_at": timezone.now(), "stored_bytes": size}
        versions.update_or_create(user_id=user_id, defaults={"stored_bytes": size}, create_defaults=new)


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("usage", "0018_stored_bytes")]

    operations = [migrations.RunPython(count, migrations.RunPython.noop)]
