from django.db import migrations

from archive_site.lib.storage.archive_key import NameArchiveKey


class Migration(migrations.Migration):
    """Runs, marks and leases belong to an archive, whose id they have always had: that of its account."""

    dependencies = [("collection", "0011_import_progress"), ("usage", "0020_prompt_keys")]

    operations = [NameArchiveKey(["Run", "Progress", "Lease"])]
