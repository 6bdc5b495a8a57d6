"""The log of changes of an archive, by which others mirror it (docs/decisions/records.md#changes)."""

from django.db import models

from usage.row_keys import RowId as RowId


class RecordChange(models.Model):
    """The last change of a record: `number` counts the changes of its account's archive, a page that is stored as one.

    `first` is the number under which the record came.
    """

    record_id = RowId(primary_key=True)
    archive_id = models.BigIntegerField(db_column="user_id")
    number = models.BigIntegerField()
    first = models.BigIntegerField()

    class Meta:
        indexes = [models.Index(fields=["archive_id", "number", "record_id"], name="change_by_number")]


class RemovedRecord(models.Model):
    """A record that was removed from an archive whose account goes on; `day` is that of its call, empty for one that an
    earlier version removed."""

    archive_id = models.BigIntegerField(db_column="user_id")
    number = models.BigIntegerField()
    request_id = models.CharField(max_length=128)
    day = models.CharField(max_length=10, db_default="", blank=True)

    class Meta:
        indexes = [models.Index(fields=["archive_id", "number"], name="removal_by_number")]

    def __str__(self) -> str:
        return self.request_id
