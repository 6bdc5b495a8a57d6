"""Collection runs, the mark, and the lease that lets one collection run at a time."""

from django.db import models

from archive_site.lib import clock, stored_message
from collection import run_detail

# Messages that wrap another failure.
_AROUND_ANOTHER = frozenset(
    {"failed_in_part", "leftover_unreadable", "import_cut_off_after", "import_of_bills_cut_off"}
)


class Run(models.Model):
    """One collection of one account, or other work in its history (docs/api.md#run)."""

    class Kind(models.TextChoices):
        COLLECTION = "collection"
        OLDER = "older"
        VERIFICATION = "verification"
        IMPORT = "import"

    class Trigger(models.TextChoices):
        MANUAL = "manual"
        SCHEDULE = "schedule"
        STARTUP = "startup"
        CLI = "cli"
        # Taken over with its history from the file of an account.
        IMPORTED = "imported"

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        OK = "ok"
        FAILED = "failed"
        INTERRUPTED = "interrupted"

    archive_id = models.BigIntegerField(db_column="user_id")
    kind = models.CharField(
        max_length=12, choices=Kind.choices, default=Kind.COLLECTION, db_default=Kind.COLLECTION.value
    )
    trigger = models.CharField(max_length=10, choices=Trigger.choices)
    is_ranged = models.BooleanField(db_default=False)
    status = models.CharField(max_length=12, choices=Status.choices)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    win_from = models.DateTimeField(null=True)
    duration_ms = models.PositiveBigIntegerField(null=True)
    win_to = models.DateTimeField(null=True)
    fetched = models.PositiveIntegerField(default=0)
    added = models.PositiveIntegerField(default=0)
    dup = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    conflicts = models.PositiveIntegerField(default=0)
    exit_code = models.SmallIntegerField(null=True)
    stored_message = models.TextField(blank=True, db_column="message")
    stored_detail = models.TextField(blank=True, db_column="detail")
    stop_requested = models.BooleanField(default=False)

    class Meta:
        indexes = [
            models.Index(fields=["archive_id", "id"], name="run_by_account"),
            # Not for unfinished runs alone: SQLite would take such an index only for a condition written as its own.
            models.Index(fields=["status", "archive_id"], name="run_by_status"),
        ]

    def __str__(self) -> str:
        return str(self.pk)

    @property
    def message(self) -> str:
        """How the run ended, in the reader's language."""
        return stored_message.text_of(self.stored_message)

    @property
    def detail(self) -> str:
        """The log of the run, in the reader's language."""
        return run_detail.text_of(self.stored_detail)

    @property
    def cause(self) -> str:
        """The code of the run's message; if it wraps another failure, the code of that one. Empty if unknown."""
        message = stored_message.read(self.stored_message)
        if message is None:
            return ""
        inner = message.values.get("why") if message.code in _AROUND_ANOTHER else None
        return inner.code if isinstance(inner, stored_message.Message) else message.code


class AccountOfArchive(models.Model):
    """Which account of its source an archive has (`collection/account_guard.py`).

    `account` is its name there, empty where no credential named it. `confirmed` is the fingerprint of the credential
    that was last seen to be of it, `refused` that of one of another account; empty if none was. `read_by` is that of
    the credential that found no calls, as long as the archive has none.
    """

    archive_id = models.BigIntegerField(primary_key=True, db_column="user_id")
    account = models.CharField(max_length=64, blank=True)
    confirmed = models.CharField(max_length=64, blank=True)
    refused = models.CharField(max_length=64, blank=True)
    read_by = models.CharField(max_length=64, blank=True, default="")

    def __str__(self) -> str:
        return f"account of {self.archive_id}"


class RunReport(models.Model):
    """What a verification found, as a CSV file (docs/api.md#report-of-a-verification)."""

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="report")
    text = models.TextField()

    def __str__(self) -> str:
        return f"report of run {self.pk}"


class ImportProgress(models.Model):
    """How far the parts of a running import are (docs/decisions/files.md#imports-go-in-parts).

    `folder` is the name of the private folder with its staged file, on the `node` that began it. `stored` counts the
    calls of that file that are done, `prompts` and `runs` what came with them, `too_old` those that were left out.
    `tries` counts the processes that went on after the death of another one. `moved_at` is when it began or last
    stored a part.
    """

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="import_progress")
    folder = models.CharField(max_length=32)
    node = models.CharField(max_length=100, default="")
    moved_at = models.DateTimeField(default=clock.now)
    stored = models.PositiveIntegerField(default=0)
    prompts = models.PositiveIntegerField(default=0)
    runs = models.PositiveIntegerField(default=0)
    too_old = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)

    def __str__(self) -> str:
        return f"progress of run {self.run_id}"


class RunCount(models.Model):
    """How many runs of a kind have ended with an exit code; those that were taken over from a file do not count."""

    pk = models.CompositePrimaryKey("kind", "exit_code")
    kind = models.CharField(max_length=12)
    exit_code = models.SmallIntegerField()
    number = models.BigIntegerField()


class Progress(models.Model):
    """Per account: `complete_through`, the instant up to which every window was read to its last page.

    `unfinished_from` and `unfinished_to` span everything that ranged runs left unfinished, and the calls that filling
    prompts found but did not store; the next run without dates reads this span again.
    """

    archive_id = models.BigIntegerField(primary_key=True, db_column="user_id")
    complete_through = models.DateTimeField(null=True)
    unfinished_from = models.DateTimeField(null=True)
    unfinished_to = models.DateTimeField(null=True)


class Lease(models.Model):
    """The right to collect for an account, or to keep every collection out (no account); one row per name.

    It is for all archives of the account. There are as many rows as collections may run at once.
    """

    name = models.CharField(max_length=32, primary_key=True)
    token = models.CharField(max_length=64, blank=True)
    holder = models.CharField(max_length=200, blank=True)
    account_id = models.BigIntegerField(null=True, db_column="user_id")
    run_id = models.BigIntegerField(null=True)
    expires_at = models.DateTimeField(null=True)


class Heartbeat(models.Model):
    """The last time of a recurring job: the scheduler's tick, the automatic backup, the workers of a node; one row per
    name."""

    name = models.CharField(max_length=100, primary_key=True)
    at = models.DateTimeField()
