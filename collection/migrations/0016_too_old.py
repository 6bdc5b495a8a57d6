"""How many calls of an import were of days that were erased."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("collection", "0015_account_of_archive")]

    operations = [
        migrations.AddField("importprogress", "too_old", models.PositiveIntegerField(default=0)),
    ]
