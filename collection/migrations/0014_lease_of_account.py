from django.db import migrations


class Migration(migrations.Migration):
    """A lease is held for an account, whichever of its archives is worked on; its column is named after accounts."""

    dependencies = [("collection", "0013_node_of_imports")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RenameField("lease", "archive_id", "account_id")], database_operations=[]
        ),
    ]
