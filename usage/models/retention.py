"""How long an account keeps calls and prompts, and what stays of erased ones (docs/decisions/records.md#retention)."""

from django.db import models

from usage.models.measures import MeasureSums


class Retention(models.Model):
    """For how many days before today an account keeps prompts and calls, in all its archives; null: for ever.

    `seen_on` is the day until which the clock is believed, and `leapt_to` one long after it that is not yet
    (`usage/retention/erasure_day.py`).
    """

    user_id = models.BigIntegerField(primary_key=True)
    prompts_days = models.PositiveIntegerField(null=True)
    calls_days = models.PositiveIntegerField(null=True)
    seen_on = models.CharField(max_length=10, db_default="", blank=True)
    leapt_to = models.CharField(max_length=10, db_default="", blank=True)


class Horizon(models.Model):
    """The first day whose calls an archive keeps, and the first whose prompts; empty where it keeps all.

    Both only ever move forward, before anything is erased. Of days before `calls_gone` nothing is left, and of those
    before `prompts_gone` no prompt. `last_change` is the last number of the log of changes when records were erased
    last: theirs may have been the highest. At `erased_at` something was erased last; it `is_unfinished` as long as
    exports and notices may have it.
    """

    archive_id = models.BigIntegerField(primary_key=True, db_column="user_id")
    calls_from = models.CharField(max_length=10, blank=True)
    calls_gone = models.CharField(max_length=10, blank=True)
    prompts_from = models.CharField(max_length=10, blank=True)
    prompts_gone = models.CharField(max_length=10, blank=True)
    last_change = models.BigIntegerField(default=0)
    erased_at = models.DateTimeField(null=True)
    is_unfinished = models.BooleanField(db_default=False)


class ErasedSums(MeasureSums):
    """What the calls of an erased day came to, by all that sums are asked by; never changed.

    Reads that take sums from the records take those of erased days from here.
    """

    pk = models.CompositePrimaryKey("archive_id", "day", "hour", "model", "client", "agent_purpose", "without_prompt")
    archive_id = models.BigIntegerField(db_column="user_id")
    day = models.CharField(max_length=10)
    hour = models.PositiveSmallIntegerField()
    model = models.CharField(max_length=200)
    client = models.CharField(max_length=200)
    agent_purpose = models.CharField(max_length=200)
    without_prompt = models.BooleanField()
    credits = models.BigIntegerField()
    calls = models.PositiveIntegerField()
    free = models.PositiveIntegerField()
