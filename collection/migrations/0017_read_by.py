"""Which credential found no calls."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collection", "0016_too_old")]

    operations = [
        migrations.AddField("accountofarchive", "read_by", models.CharField(blank=True, default="", max_length=64)),
    ]
