"""Erases prompts of records that stay (docs/decisions/records.md#retention)."""

from collections.abc import Collection

from django.db import connection

from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import execute, fetch, marks
from usage.change_log.writes import note_changed
from usage.repeated.prompt_key import NO_PROMPT
from usage.search import engine_index as search_index
from usage.stored_size import note_other_size

_STORED = f"""
    SELECT r.id, {engine.BYTES_OF.format("p.text")} FROM usage_record r JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s AND r.id IN ({{marks}})"""  # noqa: S608 - a constant
_UPDATE = "UPDATE usage_record SET prompt_key = %s, prompt_truncated = %s, updated_at = %s WHERE id IN ({marks})"


def erase(archive_id: int, ids: Collection[int]) -> None:
    """Delete the prompts of those of these records that have one, in the caller's transaction.

    Sums stay: the source gave a prompt, so the purpose of such a call is no more unknown than before.
    """
    stored = fetch(_STORED.format(marks=marks(ids)), [archive_id, *ids]) if ids else []
    if not stored:
        return
    found, size = [record_id for record_id, _ in stored], sum(length for _, length in stored)
    search_index.remove(search_index.stored(found))
    execute(f"DELETE FROM usage_prompt WHERE record_id IN ({marks(found)})", found)  # noqa: S608 - placeholders only, bound values
    at = connection.ops.adapt_datetimefield_value(clock.now())
    execute(_UPDATE.format(marks=marks(found)), [NO_PROMPT, True, at, *found])
    note_other_size(archive_id, -size)
    note_changed(archive_id, found)
