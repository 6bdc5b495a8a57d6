"""What a gateway of the new-api family can give (docs/sources/new-api.md)."""

from datetime import timedelta

from usage.source_traits import Traits

TRAITS = Traits(
    kind="new-api",
    window_days=7,
    # Its count says so itself.
    gives_texts=False,
    bills=True,
    # Refunds and tasks that are settled again come as rows of their own.
    first_reading=timedelta(hours=2),
    last_reading=timedelta(hours=24),
    name="new-api",
)
