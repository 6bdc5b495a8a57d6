from django.db import migrations, models


class Migration(migrations.Migration):
    """Where the source of an archive is asked."""

    dependencies = [("accounts", "0012_deleted_archives")]

    operations = [
        migrations.AddField(
            "archive", "address", models.CharField(blank=True, db_default="", default="", max_length=255)
        ),
    ]
