from django.db import migrations, models


class Migration(migrations.Migration):
    """When an archive was deleted whose data is being erased."""

    dependencies = [("accounts", "0011_archives")]

    operations = [
        migrations.AddField("archive", "deleted_at", models.DateTimeField(editable=False, null=True)),
    ]
