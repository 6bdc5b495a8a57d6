from django.db import migrations, models


class Migration(migrations.Migration):
    """Saved views of the records page."""

    dependencies = [("usage", "0009_month_sums")]

    operations = [
        migrations.CreateModel(
            name="SavedView",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_id", models.BigIntegerField()),
                ("name", models.CharField(max_length=60)),
                ("query", models.TextField(blank=True)),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("user_id", "name"), name="one_view_per_account_and_name")
                ],
            },
        ),
    ]
