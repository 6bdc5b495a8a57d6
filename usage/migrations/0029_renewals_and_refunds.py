"""Whether the source goes on with a package at its end, and since when it does not list an order any more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0028_orders")]

    operations = [
        migrations.AddField("package", "renews", models.BooleanField(null=True)),
        migrations.AddField("order", "gone_at", models.DateTimeField(null=True)),
    ]
