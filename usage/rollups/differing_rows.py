"""Compares a stored rollup with sums that are computed anew."""

from collections.abc import Sequence
from typing import Any

from archive_site.lib.storage.sql import fetch


def differing(archive_id: int, rollup: str, key: Sequence[str], sums: str) -> list[tuple[Any, ...]]:
    """The keys of an account's rows of a rollup that are wrong, missing, or without records.

    `sums` is the SQL of credits, calls and free calls with the table after FROM that they are computed from. The
    database compares: the rows of years would fill the memory.
    """
    columns = ", ".join(key)
    return fetch(
        f"WITH counted AS (SELECT {columns}, {sums} WHERE user_id = %s GROUP BY {columns}), "  # noqa: S608 - constant parts, bound values
        f"kept AS (SELECT {columns}, credits, calls, free FROM {rollup} WHERE user_id = %s) "
        f"SELECT {columns} FROM (SELECT * FROM counted EXCEPT SELECT * FROM kept) AS missing UNION "
        f"SELECT {columns} FROM (SELECT * FROM kept EXCEPT SELECT * FROM counted) AS wrong",
        [archive_id, archive_id],
    )
