"""Collection runs, the mark of completeness, and the lease that lets one collection run at a time."""

from django.db import models

from archive_site.lib import stored_message
from collection import run_detail

# Ends that only say when another failure happened.
_AROUND_ANOTHER = frozenset({"leftover_unreadable"})


class Run(models.Model):
    """One collection of one account (specification 2.2)."""

    class Trigger(models.TextChoices):
        MANUAL = "manual"
        SCHEDULE = "schedule"
        STARTUP = "startup"
        CLI = "cli"

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        OK = "ok"
        FAILED = "failed"
        INTERRUPTED = "interrupted"

    user_id = models.BigIntegerField()
    trigger = models.CharField(max_length=10, choices=Trigger.choices)
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
            models.Index(fields=["user_id", "id"], name="run_by_account"),
            models.Index(
                fields=["status"], name="run_unfinished", condition=models.Q(status__in=["queued", "running"])
            ),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} ({self.status})"

    @property
    def message(self) -> str:
        """How it ended, in the reader's language."""
        return stored_message.text_of(self.stored_message)

    @property
    def detail(self) -> str:
        """Its log, in the reader's language."""
        return run_detail.text_of(self.stored_detail)

    @property
    def cause(self) -> str:
        """The code of how it ended; of a failure within another, the code of the inner one. Empty where unknown."""
        message = stored_message.read(self.stored_message)
        if message is None:
            return ""
        inner = message.values.get("why") if message.code in _AROUND_ANOTHER else None
        return inner.code if isinstance(inner, stored_message.Message) else message.code


class Progress(models.Model):
    """Per account: `complete_through`, the instant up to which every window was read to its last page.

    Beside it the hull of what ranged runs began and did not finish, and of days with calls that filling prompts met
    and did not store; the next run without dates reads it again.
    """

    user_id = models.BigIntegerField(primary_key=True)
    complete_through = models.DateTimeField(null=True)
    unfinished_from = models.DateTimeField(null=True)
    unfinished_to = models.DateTimeField(null=True)


class Lease(models.Model):
    """The right to collect, held by at most one run of the whole instance; one row by name."""

    name = models.CharField(max_length=32, primary_key=True)
    token = models.CharField(max_length=64, blank=True)
    holder = models.CharField(max_length=200, blank=True)
    run_id = models.BigIntegerField(null=True)
    expires_at = models.DateTimeField(null=True)


class Heartbeat(models.Model):
    """When something that recurs was last done: the scheduler's tick, the automatic backup; one row by name."""

    name = models.CharField(max_length=32, primary_key=True)
    at = models.DateTimeField()
