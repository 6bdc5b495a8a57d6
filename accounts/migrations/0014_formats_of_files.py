from django.db import migrations, models


class Migration(migrations.Migration):
    """Whose files an archive of files holds."""

    dependencies = [("accounts", "0013_addresses_of_archives")]

    operations = [
        migrations.AddField(
            "archive", "file_format", models.CharField(blank=True, db_default="", default="", max_length=20)
        ),
    ]
