from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("collection", "0009_run_counts"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="run", name="run_unfinished"),
        migrations.AddIndex(model_name="run", index=models.Index(fields=["status", "user_id"], name="run_by_status")),
    ]
