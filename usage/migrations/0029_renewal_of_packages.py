"""Whether the source goes on with a package at its end."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0028_orders")]

    operations = [migrations.AddField("package", "renews", models.BooleanField(null=True))]
