"""Archived calls without prompts, and the end of a filling that failed."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from collection.reading.prompt_backfill import fill
from collection.runs import lease
from collection.runs.run_outcomes import CollectionEnded, RunOutcome
from tests.collection.simulator_client import NOW
from tests.usage.record_factories import archive, call

MONTH = 60 * 24 * 31


def days_ago(days: int) -> datetime:
    return NOW.astimezone(settings.SERVER_ZONE) - timedelta(days=days)


def lacks_prompts(user: User, *ages: int, **fields: Any) -> None:
    """One archived call for each age in days, which has no prompt unless it is given."""
    archive(user, *(call(f"gap-{age}", ts=f"{days_ago(age):%Y-%m-%d} 12:00:00", **fields) for age in ages))


def ended(user: User) -> RunOutcome:
    with pytest.raises(CollectionEnded) as end:
        fill(user.pk)
    assert end.value.message
    assert not lease.is_held()
    return end.value.outcome
