"""What a LiteLLM proxy can give (docs/sources/litellm.md)."""

from datetime import timedelta

from usage.source_traits import Traits

TRAITS = Traits(
    kind="litellm",
    # Its deep pages are slow, its windows are not.
    window_days=1,
    cap_step=10_000,
    # Calls stay for as long as the operator wants; texts come only where the operator keeps them.
    gives_texts=False,
    bills=True,
    estimates=True,
    keeps_id_in_retry=True,
    # Rows are found by the start of a call and written after its end.
    first_reading=timedelta(hours=2),
    last_reading=timedelta(hours=24),
    name="LiteLLM",
)
