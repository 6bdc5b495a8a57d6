"""Compares a stored rollup with sums that are computed anew."""

from collections.abc import Sequence
from typing import Any

from archive_site.lib.storage.sql import fetch
from usage import horizon

_FIGURES = ("credits", "calls", "free")


def differing(
    archive_id: int, rollup: str, key: Sequence[str], sums: str, figures: Sequence[str] = _FIGURES
) -> list[tuple[Any, ...]]:
    """The keys of an account's rows of a rollup that are wrong, missing, or without records.

    `sums` is the SQL of the figures with the tables after FROM that they are computed from. Erased days, whose records
    are gone, are left out. The database compares: the rows of years would fill the memory.
    """
    columns, kept_from = ", ".join(key), horizon.calls_from(archive_id)
    return fetch(
        f"WITH counted AS (SELECT {columns}, {sums} WHERE user_id = %s AND day >= %s GROUP BY {columns}), "  # noqa: S608 - constant parts, bound values
        f"kept AS (SELECT {columns}, {', '.join(figures)} FROM {rollup} WHERE user_id = %s AND day >= %s) "
        f"SELECT {columns} FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept) AS missing UNION "
        f"SELECT {columns} FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted) AS wrong",
        [archive_id, kept_from, archive_id, kept_from],
    )
