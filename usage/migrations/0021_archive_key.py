from django.db import migrations

from archive_site.lib.storage.archive_key import NameArchiveKey

_MODELS = (
    *("Record", "DayPurposeGroup", "DayGroup", "DayPurposeHour", "DayHour", "DayModel", "DayClient", "DayPurpose"),
    *("DayTotal", "MonthSums", "MonthHours", "CoverageDay", "Reach", "LeftWindow", "Budget", "DataVersion"),
    *("NodeFile", "RecordChange", "RemovedRecord"),
)


class Migration(migrations.Migration):
    """Rows belong to an archive, whose id they have always had: that of its account."""

    # All that names the key as before comes first, in either app.
    dependencies = [("usage", "0020_prompt_keys"), ("collection", "0011_import_progress")]

    operations = [NameArchiveKey(_MODELS)]
