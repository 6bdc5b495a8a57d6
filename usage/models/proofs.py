"""What payers say of days, and whether the calls of an archive agree (docs/decisions/collection.md#proofs)."""

from django.db import models

from usage.measures import What


class BillRead(models.Model):
    """A day of a payer's that was asked for, last at `read_at`.

    `is_complete`: the day had been over for long enough, and the reading before said the same.
    """

    pk = models.CompositePrimaryKey("archive_id", "day")
    archive_id = models.BigIntegerField(db_column="user_id")
    day = models.CharField(max_length=10)
    read_at = models.DateTimeField()
    is_complete = models.BooleanField()


class BillDay(models.Model):
    """One sum of such a day: of one model, or of the whole day where `model` is empty.

    `amount` is a number of calls or tokens, or counts parts of the archive's unit. A sum of calls agrees that is no
    further from it than `within`.
    """

    pk = models.CompositePrimaryKey("archive_id", "day", "model", "what")
    archive_id = models.BigIntegerField(db_column="user_id")
    day = models.CharField(max_length=10)
    model = models.CharField(max_length=200)
    what = models.CharField(max_length=11, choices=[(what.value, what.value) for what in What])
    amount = models.BigIntegerField()
    within = models.BigIntegerField()


class SpentReading(models.Model):
    """What a counter of a source said to be spent in all, in parts of the unit, at `read_at`.

    `rise`: by how much that is more than at the reading before, at `since`. `missing`: how much of it no calls of the
    archive explain; None as long as some may still come.
    """

    pk = models.CompositePrimaryKey("archive_id", "read_at")
    archive_id = models.BigIntegerField(db_column="user_id")
    read_at = models.DateTimeField()
    counter = models.CharField(max_length=64)
    spent = models.BigIntegerField()
    since = models.DateTimeField(null=True)
    rise = models.BigIntegerField(default=0)
    missing = models.BigIntegerField(null=True)


class DayProof(models.Model):
    """How the calls of an archive compare with a complete bill of a day: `differences` as JSON, empty where they agree.

    `uncounted` are the models of the day's calls that the bill does not count, as JSON. The bill is that of the archive
    `bill_id`, the day one of the bill's. A change of calls or of the bill removes it.
    """

    pk = models.CompositePrimaryKey("archive_id", "day", "bill_id")
    archive_id = models.BigIntegerField(db_column="user_id")
    day = models.CharField(max_length=10)
    bill_id = models.BigIntegerField()
    differences = models.TextField()
    uncounted = models.TextField(db_default="[]")
    compared_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["bill_id", "day"], name="dayproof_of_bill")]
