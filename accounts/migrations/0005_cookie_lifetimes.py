from django.db import migrations, models


class Migration(migrations.Migration):
    """How long the cookies of accounts lasted."""

    dependencies = [("accounts", "0004_invitations")]

    operations = [
        migrations.CreateModel(
            name="CookieLifetime",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("user_id", models.BigIntegerField(db_index=True)),
                ("cookie_hash", models.CharField(max_length=64)),
                ("set_at", models.DateTimeField()),
                ("refused_at", models.DateTimeField(null=True)),
            ],
        ),
    ]
