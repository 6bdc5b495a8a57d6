from django.db import migrations, models


class Migration(migrations.Migration):
    """What a webhook is sent: those that are there get collections, as before."""

    dependencies = [
        ("accounts", "0009_delivery_said"),
    ]

    operations = [
        migrations.AddField(
            model_name="webhook",
            name="collections",
            field=models.BooleanField(default=True),
        ),
        migrations.AddField(
            model_name="webhook",
            name="notices",
            field=models.BooleanField(default=False),
        ),
    ]
