"""What the bills of OpenAI can give (docs/sources/openai-costs.md)."""

from datetime import timedelta

from usage.source_traits import Traits

TRAITS = Traits(
    kind="openai-costs",
    window_days=31,
    text_days=1,
    gives_texts=False,
    counts=False,
    reach_days=365,
    bills=True,
    bills_others=True,
    # Costs may change for days.
    bill_settles=timedelta(hours=72),
    bill_grows=timedelta(days=7),
    first_reading=timedelta(0),
    last_reading=timedelta(0),
    name="OpenAI",
)
