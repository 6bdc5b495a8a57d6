"""Lines of an export that SQLite builds."""

import json

from django.db import connection

from usage.export.pieces import Lines


def lines_by_sqlite(line: str, archive_id: int, ids: list[int], more: str = "") -> Lines:
    """A line for each of these records `r` with their prompts `p`, in their order; `line` is its SQL, `more` what else
    is joined."""
    # The outer join keeps the order of the ids and returns a row for each. The account is checked because after a
    # restore an id may belong to another account.
    with connection.cursor() as cursor:
        # Pages that the last piece has read are not needed again and would fill this thread's page cache.
        cursor.execute("PRAGMA shrink_memory")
        cursor.execute(
            f"SELECT CAST({line} AS BLOB) FROM json_each(%s) wanted "  # noqa: S608 - constant parts, bound values
            "LEFT JOIN usage_record r ON r.id = wanted.value AND r.user_id = %s "
            f"LEFT JOIN usage_prompt p ON p.record_id = r.id {more}",
            [json.dumps(ids), archive_id],
        )
        for (found,) in cursor:
            yield found
