"""Which models of a day a bill does not count; none that is stored is such a bill."""

from django.db import migrations, models

from archive_site.lib.storage.clustered_table import cluster


class Migration(migrations.Migration):
    dependencies = [("usage", "0025_young_records")]

    operations = [
        migrations.AddField("dayproof", "uncounted", models.TextField(db_default="[]")),
        cluster("usage_dayproof"),
    ]
