"""The key of each record's prompt; the housekeeping computes those of the stored records."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("usage", "0019_count_stored_bytes")]

    operations = [
        migrations.AddField("Record", "prompt_key", models.BigIntegerField(null=True)),
        migrations.AddIndex(
            "Record",
            models.Index(
                condition=models.Q(prompt_key__gt=0),
                fields=["user_id", "prompt_key", "day", "model", "client", "agent_purpose", "credits"],
                include=["id"],
                name="record_by_prompt_key",
            ),
        ),
        migrations.AddIndex(
            "Record",
            models.Index(
                condition=models.Q(prompt_key__isnull=True),
                fields=["user_id", "prompt_key", "id"],
                name="record_without_prompt_key",
            ),
        ),
    ]
