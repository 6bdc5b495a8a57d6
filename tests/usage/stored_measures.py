"""What an archive stores of amounts and measures."""

from tests.usage.record_factories import rows_of
from usage.measures import NO_MEASURES, Measures
from usage.stored_measures import JOINED, SELECTED, measures_of


def contents(archive_id: int) -> dict[str, tuple[int, Measures]]:
    """The amount and the measures of each record."""
    rows = rows_of(
        f"SELECT r.request_id, r.credits, {', '.join(SELECTED)} FROM usage_record r {JOINED} WHERE r.user_id = %s",
        archive_id,
    )
    return {request_id: (amount, measures_of(*rest) or NO_MEASURES) for request_id, amount, *rest in rows}
