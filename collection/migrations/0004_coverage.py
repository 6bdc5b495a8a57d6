"""Whether a run was given its first day, and the ledger of the days inside the windows of runs that succeeded."""

from datetime import datetime, timedelta
from typing import Any

from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from archive_site.lib import clock
from collection.windows import SECOND, whole_days

# The upstream gives prompts for so long; these days are read again by the next runs.
RECENT = timedelta(days=31)


def fill(apps: Any, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Days that runs read together, one from where another ended, count as read."""
    using = schema_editor.connection.alias
    runs = apps.get_model("collection", "Run").objects.using(using)
    days = apps.get_model("usage", "CoverageDay").objects.using(using)
    row = apps.get_model("usage", "CoverageDay")
    now = clock.now()
    asked = runs.filter(status="ok", kind="collection", win_from__isnull=False, win_to__isnull=False)
    for user_id in asked.values_list("user_id", flat=True).distinct():
        spans = asked.filter(user_id=user_id).order_by("win_from").values_list("win_from", "win_to", "started_at")
        read = [
            row(user_id=user_id, day=day.isoformat(), next_read_at=now if now - clock.day_end(day) < RECENT else None)
            for start, end in _joined([(start, min(end, begun or end)) for start, end, begun in spans])
            for day in whole_days(start, end)
        ]
        days.bulk_create(read, ignore_conflicts=True)


def _joined(spans: list[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    joined: list[tuple[datetime, datetime]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1] + SECOND:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


class Migration(migrations.Migration):
    dependencies = [("collection", "0003_run_kind"), ("usage", "0008_coverage")]

    operations = [
        migrations.AddField("run", "is_ranged", models.BooleanField(db_default=False)),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
