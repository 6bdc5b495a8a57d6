"""The tables of an archive: records, their prompts, the rollups that are computed from them, and saved views.

Beside them are those of `changes`, `coverage`, `measures`, `packages`, `proofs` and `retention`.
"""

from django.db import models

from usage.models.changes import RecordChange as RecordChange
from usage.models.changes import RemovedRecord as RemovedRecord
from usage.models.coverage import CoverageDay as CoverageDay
from usage.models.coverage import LeftWindow as LeftWindow
from usage.models.coverage import Reach as Reach
from usage.models.measures import DayMeasures as DayMeasures
from usage.models.measures import RecordMeasures as RecordMeasures
from usage.models.packages import Order as Order
from usage.models.packages import Package as Package
from usage.models.packages import PackageReading as PackageReading
from usage.models.packages import PackagesRead as PackagesRead
from usage.models.proofs import BillDay as BillDay
from usage.models.proofs import BillRead as BillRead
from usage.models.proofs import DayProof as DayProof
from usage.models.proofs import SpentReading as SpentReading
from usage.models.retention import ErasedSums as ErasedSums
from usage.models.retention import Horizon as Horizon
from usage.models.retention import Retention as Retention
from usage.row_keys import RowKey as RowKey

# The longest name of a model or client that a budget can have, as of records.
NAME_MOST = 200


class Record(models.Model):
    """One billed call, unique by archive and request id (docs/api.md#record).

    `credits` is in whole millionths, so that sums are exact in any order. `ts`, `day` and `hour` are the wall clock of
    the server's zone (docs/decisions/records.md#a-records-time-is-text). The column `user_id` has no constraint,
    because an archive may outlive its account.
    """

    archive_id = models.BigIntegerField(db_column="user_id")
    request_id = models.CharField(max_length=128)
    credits = models.BigIntegerField()
    model = models.CharField(max_length=200)
    client = models.CharField(max_length=200)
    ts = models.CharField(max_length=19)
    day = models.CharField(max_length=10)
    hour = models.PositiveSmallIntegerField()
    agent_purpose = models.CharField(max_length=200)
    prompt_truncated = models.BooleanField()
    without_prompt = models.BooleanField(db_default=False)
    first_seen_at = models.DateTimeField()
    updated_at = models.DateTimeField()
    run_id = models.BigIntegerField(null=True)
    prompt_key = models.BigIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["archive_id", "request_id"], name="record_once_per_account")]
        indexes = [
            models.Index(fields=["archive_id", "ts", "request_id", "credits", "agent_purpose"], name="record_by_time"),
            models.Index(
                fields=["archive_id", "day", "model", "client", "agent_purpose", "hour", "credits"],
                name="record_by_group",
            ),
            models.Index(
                fields=["archive_id", "credits", "ts", "request_id", "model", "client", "agent_purpose"],
                name="record_by_credits",
            ),
            models.Index(
                fields=["archive_id", "day", "agent_purpose", "credits"],
                name="record_without_prompt",
                condition=models.Q(without_prompt=True),
            ),
            # Answers by itself; only other engines than SQLite need the id among its columns.
            models.Index(
                fields=["archive_id", "prompt_key", "day", "model", "client", "agent_purpose", "credits"],
                name="record_by_prompt_key",
                condition=models.Q(prompt_key__gt=0),
                include=["id"],
            ),
            models.Index(
                fields=["archive_id", "prompt_key", "id"],
                name="record_without_prompt_key",
                condition=models.Q(prompt_key__isnull=True),
            ),
        ]

    def __str__(self) -> str:
        return self.request_id


class Prompt(models.Model):
    """A record's prompt, in its own table: prompts are most of the bytes, and no list, sum or sort needs them."""

    record = RowKey(Record, models.CASCADE, primary_key=True)
    text = models.TextField()

    def __str__(self) -> str:
        return self.text[:40]


class Privacy(models.Model):
    """How much of prompts an account keeps (docs/api.md#privacy), and how far what is stored is made so.

    `asked_at` is None where that was never asked for, `applied_at` until it is done. Archives are gone through by id,
    their records by time: those up to the place of `at_archive`, `at_ts` and `at_request` are done. `converted_at` is
    when it was done last, whatever was chosen since.
    """

    user_id = models.BigIntegerField(primary_key=True)
    mode = models.CharField(max_length=9, default="whole")
    length = models.PositiveIntegerField(default=100)
    asked_at = models.DateTimeField(null=True)
    applied_at = models.DateTimeField(null=True)
    converted_at = models.DateTimeField(null=True)
    at_archive = models.BigIntegerField(default=0)
    at_ts = models.CharField(max_length=19, blank=True)
    at_request = models.CharField(max_length=128, blank=True)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)


class Sums(models.Model):
    """The columns of every rollup: archive and day; credits in millionths, calls, and free calls."""

    archive_id = models.BigIntegerField(db_column="user_id")
    day = models.CharField(max_length=10)
    credits = models.BigIntegerField()
    calls = models.PositiveIntegerField()
    free = models.PositiveIntegerField()

    class Meta:
        abstract = True


class DayPurposeGroup(Sums):
    """Rollup by archive, day, model, client and purpose; computed again from the records, never incremented.

    Only sums by purpose read it: it has several times the rows of `DayGroup`.
    """

    pk = models.CompositePrimaryKey("archive_id", "day", "model", "client", "agent_purpose")
    model = models.CharField(max_length=200)
    client = models.CharField(max_length=200)
    agent_purpose = models.CharField(max_length=200)


class DayGroup(Sums):
    """Rollup by archive, day, model and client, computed again from `DayPurposeGroup`."""

    pk = models.CompositePrimaryKey("archive_id", "day", "model", "client")
    model = models.CharField(max_length=200)
    client = models.CharField(max_length=200)

    class Meta(Sums.Meta):
        # Finds one model's groups without reading those of all other models.
        indexes = [models.Index(fields=["archive_id", "model", "day"], name="daygroup_by_model")]


class DayPurposeHour(Sums):
    """Rollup by archive, day, hour and purpose; computed again from the records, never incremented."""

    pk = models.CompositePrimaryKey("archive_id", "day", "hour", "agent_purpose")
    hour = models.PositiveSmallIntegerField()
    agent_purpose = models.CharField(max_length=200)


class DayHour(Sums):
    """Rollup by archive, day and hour, computed again from `DayPurposeHour`."""

    pk = models.CompositePrimaryKey("archive_id", "day", "hour")
    hour = models.PositiveSmallIntegerField()


class DayModel(Sums):
    """Rollup by archive, day and model, computed again from `DayGroup`; sums over years read it."""

    pk = models.CompositePrimaryKey("archive_id", "day", "model")
    model = models.CharField(max_length=200)


class DayClient(Sums):
    """Rollup by archive, day and client, computed again from `DayGroup`."""

    pk = models.CompositePrimaryKey("archive_id", "day", "client")
    client = models.CharField(max_length=200)


class DayPurpose(Sums):
    """Rollup by archive, day and purpose, computed again from `DayPurposeHour`."""

    pk = models.CompositePrimaryKey("archive_id", "day", "agent_purpose")
    agent_purpose = models.CharField(max_length=200)


class DayTotal(Sums):
    """Rollup by archive and day, computed again from `DayModel`, `DayHour` and the records without a prompt.

    `by_model` (an object by name) and `by_hour` (a list of 24) hold credits as JSON, in the form of the daily series.
    Of the calls without a prompt, those without a purpose either are the calls of unknown purpose.
    """

    pk = models.CompositePrimaryKey("archive_id", "day")
    by_model = models.TextField()
    by_hour = models.TextField()
    without_prompt = models.PositiveIntegerField(db_default=0)
    unknown_credits = models.BigIntegerField(db_default=0)
    unknown_calls = models.PositiveIntegerField(db_default=0)
    unknown_free = models.PositiveIntegerField(db_default=0)


class MonthSums(models.Model):
    """The sums of a past month by model, client, hour and purpose, and those of each purpose by model and client, as
    JSON, computed from the daily rollups.

    A change of the month removes the row; the housekeeping computes it again (`usage/rollups/month_sums.py`).
    """

    pk = models.CompositePrimaryKey("archive_id", "month")
    archive_id = models.BigIntegerField(db_column="user_id")
    month = models.CharField(max_length=7)
    sums = models.TextField()
    sums_of_purposes = models.TextField()


class MonthHours(models.Model):
    """The hours of each day of a past month, of one model or one client, as JSON, computed from the records.

    It is there only beside `MonthSums` of the month (`usage/rollups/month_hours.py`).
    """

    pk = models.CompositePrimaryKey("archive_id", "month", "dimension", "name")
    archive_id = models.BigIntegerField(db_column="user_id")
    month = models.CharField(max_length=7)
    dimension = models.CharField(max_length=6)
    name = models.CharField(max_length=200)
    days = models.TextField()


ROLLUPS = (DayPurposeGroup, DayGroup, DayPurposeHour, DayHour, DayModel, DayClient, DayPurpose, DayTotal)
# Of past months, as JSON; computed again by the housekeeping.
ROLLUPS_OF_MONTHS = (MonthSums, MonthHours)


class SavedView(models.Model):
    """Filters of the records page under a name; `query` is the part of its address after `?`."""

    user_id = models.BigIntegerField()
    name = models.CharField(max_length=60)
    query = models.TextField(blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user_id", "name"], name="one_view_per_account_and_name")]

    def __str__(self) -> str:
        return self.name


class Budget(models.Model):
    """Credits, in millionths, that an account means to spend in a period, of all its calls or of one model or client.

    `thresholds` is a list of whole percents as JSON; `first_day` is the day of the month on which a month begins.
    """

    class Period(models.TextChoices):
        DAY = "day"
        WEEK = "week"
        MONTH = "month"

    archive_id = models.BigIntegerField(db_index=True, db_column="user_id")
    period = models.CharField(max_length=5, choices=Period.choices)
    credits = models.BigIntegerField()
    model = models.CharField(max_length=NAME_MOST, blank=True)
    client = models.CharField(max_length=NAME_MOST, blank=True)
    thresholds = models.TextField()
    first_day = models.PositiveSmallIntegerField(default=1)

    def __str__(self) -> str:
        return f"{self.period} {self.credits}"


class DataVersion(models.Model):
    """How often an archive's records or runs have changed, when they last changed, and how much the archive stores
    (`usage/stored_size.py`)."""

    archive_id = models.BigIntegerField(primary_key=True, db_column="user_id")
    number = models.BigIntegerField(default=0)
    changed_at = models.DateTimeField()
    stored_bytes = models.BigIntegerField(default=0, db_default=0)


class NodeFile(models.Model):
    """A file that only one node has: an export of an account, or a backup (`user_id` 0)."""

    class Kind(models.TextChoices):
        EXPORT = "export"
        BACKUP = "backup"

    node = models.CharField(max_length=64)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    archive_id = models.BigIntegerField(db_column="user_id")
    name = models.CharField(max_length=255)
    size = models.PositiveBigIntegerField()
    written_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "archive_id", "node", "name"], name="node_file_once")]

    def __str__(self) -> str:
        return f"{self.name} on {self.node}"
