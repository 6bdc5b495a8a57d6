"""How much each account stores, beside its data version; the next migration counts it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0017_left_windows")]

    operations = [
        migrations.AddField("DataVersion", "stored_bytes", models.BigIntegerField(default=0, db_default=0)),
    ]
