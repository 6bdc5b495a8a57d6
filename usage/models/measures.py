"""What sources give of records beside their amounts, and its sums by day (docs/decisions/records.md#measures)."""

from django.db import models

from usage.measures import Provenance, Status
from usage.row_keys import RowKey


class RecordMeasures(models.Model):
    """A record's measures, in their own table: records of a source that gives none have no row here.

    `provenance` and `status` are places in `Provenance` and `Status`, `at` is the instant of the call. Tokens are all
    null or none is. One that is `young` has the key of its content, which the service may fill in later.
    """

    record = RowKey("usage.Record", models.CASCADE, primary_key=True)
    provenance = models.PositiveSmallIntegerField(choices=[(n, one.value) for n, one in enumerate(Provenance)])
    tokens_in = models.BigIntegerField(null=True)
    tokens_out = models.BigIntegerField(null=True)
    cache_read = models.BigIntegerField(null=True)
    cache_write = models.BigIntegerField(null=True)
    at = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(db_default=0, choices=[(n, one.value) for n, one in enumerate(Status)])
    young = models.BooleanField(db_default=False)

    def __str__(self) -> str:
        return f"measures of {self.record_id}"


class MeasureSums(models.Model):
    """What measures of records come to: three numbers of calls, and sums of tokens."""

    without_amount = models.PositiveIntegerField()
    estimated = models.PositiveIntegerField()
    with_tokens = models.PositiveIntegerField()
    tokens_in = models.BigIntegerField()
    tokens_out = models.BigIntegerField()
    cache_read = models.BigIntegerField()
    cache_write = models.BigIntegerField()

    class Meta:
        abstract = True


class DayMeasures(MeasureSums):
    """Rollup by archive, day and model of the records with measures; computed again from them, never incremented."""

    pk = models.CompositePrimaryKey("archive_id", "day", "model")
    archive_id = models.BigIntegerField(db_column="user_id")
    day = models.CharField(max_length=10)
    model = models.CharField(max_length=200)
