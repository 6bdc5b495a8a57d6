"""Sums of an archive's calls by days in UTC and model, as bills have them."""

from collections import defaultdict
from datetime import date
from typing import NamedTuple

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch, marks
from usage.measures import What
from usage.proofs.bill import ONE_DAY
from usage.proofs.comparison import SumsHere
from usage.source_traits import traits_of
from usage.stored_measures import TOKENS, UNKNOWN, places_of

# A call's own day is at most so far from its day in UTC.
BESIDE = ONE_DAY
_DAY = "SUBSTR(CAST(m.at AS TEXT), 1, 10)" if engine.IS_SQLITE else "TO_CHAR(m.at AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
_SUMS = f"""
    SELECT {_DAY}, r.model, COUNT(*), SUM(r.credits), SUM(CASE WHEN m.provenance = {UNKNOWN} THEN 1 ELSE 0 END),
    COUNT(m.{TOKENS[0]}), {", ".join(f"COALESCE(SUM(m.{name}), 0)" for name in TOKENS)}
    FROM usage_record r JOIN usage_recordmeasures m ON m.record_id = r.id
    WHERE r.user_id = %s AND r.day >= %s AND r.day <= %s AND m.status IN ({{statuses}}) AND m.at IS NOT NULL
    GROUP BY 1, 2"""  # noqa: S608 - constants
_WITHOUT_INSTANT = """
    SELECT DISTINCT r.day FROM usage_record r LEFT JOIN usage_recordmeasures m ON m.record_id = r.id
    WHERE r.user_id = %s AND r.day >= %s AND r.day <= %s AND m.at IS NULL"""


class DaysHere(NamedTuple):
    """The sums of each day that has calls; on `uncertain` days calls may lie whose instant is not known."""

    sums: dict[date, SumsHere]
    uncertain: set[date]


def sums_of_days(archive_id: int, first: date, last: date) -> DaysHere:
    """The sums of an archive's calls that its source bills, on the days from `first` to `last` in UTC."""
    statuses = places_of(traits_of(archive_id).billed)
    span = [archive_id, str(first - BESIDE), str(last + BESIDE)]
    found: dict[date, dict[tuple[str, What], int | None]] = defaultdict(dict)
    for day, model, calls, amount, unknown, with_tokens, *tokens in fetch(
        _SUMS.format(statuses=marks(statuses)), [*span, *statuses]
    ):
        values = [amount if not unknown else None, *(each if with_tokens == calls else None for each in tokens)]
        whats = (What.AMOUNT, What.TOKENS_IN, What.TOKENS_OUT, What.CACHE_READ, What.CACHE_WRITE)
        sums = found[date.fromisoformat(day)]
        sums[model, What.CALLS] = calls
        sums.update(
            {(model, what): None if each is None else int(each) for what, each in zip(whats, values, strict=True)}
        )
    without = {date.fromisoformat(day) for (day,) in fetch(_WITHOUT_INSTANT, span)}
    return DaysHere(dict(found), {near for day in without for near in (day - BESIDE, day, day + BESIDE)})
