from django.db import migrations, models


class Migration(migrations.Migration):
    """When stored prompts were last made what the account keeps."""

    dependencies = [
        ("usage", "0034_spent_readings"),
    ]

    operations = [
        migrations.AddField("Privacy", "converted_at", models.DateTimeField(null=True)),
        migrations.RunSQL("UPDATE usage_privacy SET converted_at = applied_at", migrations.RunSQL.noop),
    ]
