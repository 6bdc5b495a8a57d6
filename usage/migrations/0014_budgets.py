from django.db import migrations, models


class Migration(migrations.Migration):
    """Budgets of accounts."""

    dependencies = [("usage", "0013_account_of_prompts")]

    operations = [
        migrations.CreateModel(
            name="Budget",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_id", models.BigIntegerField(db_index=True)),
                (
                    "period",
                    models.CharField(choices=[("day", "Day"), ("week", "Week"), ("month", "Month")], max_length=5),
                ),
                ("credits", models.BigIntegerField()),
                ("model", models.CharField(blank=True, max_length=200)),
                ("client", models.CharField(blank=True, max_length=200)),
                ("thresholds", models.TextField()),
                ("first_day", models.PositiveSmallIntegerField(default=1)),
            ],
        ),
    ]
