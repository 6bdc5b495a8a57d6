"""The ledger of days: what was asked for at the source (docs/decisions/collection.md#the-ledger-of-days)."""

from django.db import models


class CoverageDay(models.Model):
    """One day that was asked for at the source, to its end (docs/decisions/collection.md#the-ledger-of-days).

    `upstream` is how many calls the source counted at `checked_at`, null if it was never counted. `read_at` is when
    the last reading of the whole day began; `empty` is how many of its calls the source gave with an empty prompt,
    null if the day was never read whole. A reading long after the day that changed nothing sets `settled_at`; until
    then the day is read again at `next_read_at`.
    """

    pk = models.CompositePrimaryKey("archive_id", "day")
    archive_id = models.BigIntegerField(db_column="user_id")
    day = models.CharField(max_length=10)
    upstream = models.PositiveIntegerField(null=True)
    checked_at = models.DateTimeField(null=True)
    empty = models.PositiveIntegerField(null=True)
    read_at = models.DateTimeField(null=True)
    settled_at = models.DateTimeField(null=True)
    next_read_at = models.DateTimeField(null=True)


class Reach(models.Model):
    """Per account: the first day whose calls the source still gives, as far as it is known."""

    archive_id = models.BigIntegerField(primary_key=True, db_column="user_id")
    first_day = models.CharField(max_length=10)


class LeftWindow(models.Model):
    """A window that is to be read again, both ends included (docs/decisions/collection.md#windows-that-are-read-again).

    It could not be read (`is_failed`), or its rows and count did not agree, and nothing has confirmed its days since
    (`is_unconfirmed`). It was read `tries` times; without `next_read_at` no run reads it again by itself. Windows of an
    account do not overlap.
    """

    archive_id = models.BigIntegerField(db_column="user_id")
    win_from = models.DateTimeField()
    win_to = models.DateTimeField()
    is_failed = models.BooleanField()
    is_unconfirmed = models.BooleanField()
    tries = models.PositiveSmallIntegerField()
    next_read_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["archive_id", "win_from"], name="left_window_of_account")]

    def __str__(self) -> str:
        return f"{self.win_from} to {self.win_to}"
