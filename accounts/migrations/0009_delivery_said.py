from django.db import migrations, models


class Migration(migrations.Migration):
    """Why a service refused a notice, in its words."""

    dependencies = [
        ("accounts", "0008_webhooks"),
    ]

    operations = [
        migrations.AddField(
            model_name="delivery",
            name="said",
            field=models.CharField(blank=True, max_length=200),
        ),
    ]
