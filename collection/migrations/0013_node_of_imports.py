from django.db import migrations, models

from archive_site.lib import clock


class Migration(migrations.Migration):
    """Only the node of an import has its staged file, so the others have to leave it alone."""

    dependencies = [("collection", "0012_archive_key")]

    operations = [
        migrations.AddField("ImportProgress", "node", models.CharField(max_length=100, default="")),
        migrations.AddField("ImportProgress", "moved_at", models.DateTimeField(default=clock.now)),
    ]
