"""Which records a service may fill in later; none that is stored."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0024_bills")]

    operations = [
        migrations.AddField("recordmeasures", "young", models.BooleanField(db_default=False)),
    ]
