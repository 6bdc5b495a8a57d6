from django.db import migrations, models


class Migration(migrations.Migration):
    """Which archive the bills of another one prove."""

    dependencies = [("accounts", "0014_formats_of_files")]

    operations = [
        migrations.AddField("archive", "proves_id", models.BigIntegerField(db_index=True, null=True)),
    ]
