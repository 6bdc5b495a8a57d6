"""What OpenRouter can give (docs/sources/openrouter.md)."""

from datetime import timedelta

from usage.measures import Status
from usage.source_traits import Traits

TRAITS = Traits(
    kind="openrouter",
    window_days=1,
    # Its answer says so itself.
    text_days=30,
    # Calls are given for 31 days; the last of them may be gone before it is asked for.
    reach_days=30,
    gives_texts=False,
    counts=False,
    bills=True,
    # Also what was cancelled, or failed after it began, is billed.
    billed=tuple(Status),
    first_reading=timedelta(hours=24),
    last_reading=timedelta(hours=48),
    name="OpenRouter",
)
