"""What pages show of how long an account keeps calls and prompts (docs/api.md#retention)."""

from typing import Any

from usage import horizon
from usage.retention import choices


def retention_context(user_id: int) -> dict[str, Any]:
    """The choice of the account, and from which day on its archives keep calls and prompts."""
    return {"retention": choices.of_account(user_id), "kept": choices.horizon_of_account(user_id)}


def erased_before(archive_id: int, first_day: str) -> str:
    """The day before which calls of an archive were erased; empty where it has none from before it. `first_day` is the
    first day that it has sums of."""
    kept_from = horizon.calls_from(archive_id)
    return kept_from if first_day and first_day < kept_from else ""
