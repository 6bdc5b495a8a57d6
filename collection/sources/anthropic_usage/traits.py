"""What the bills of Anthropic can give (docs/sources/anthropic-usage.md)."""

from datetime import timedelta

from usage.source_traits import Traits

TRAITS = Traits(
    kind="anthropic-usage",
    window_days=31,
    text_days=1,
    gives_texts=False,
    counts=False,
    reach_days=365,
    bills=True,
    bills_others=True,
    bill_settles=timedelta(hours=24),
    bill_grows=timedelta(days=3),
    first_reading=timedelta(0),
    last_reading=timedelta(0),
    name="Anthropic",
)
