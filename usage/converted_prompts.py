"""Makes prompts of some stored records what their account keeps (docs/decisions/records.md#private-prompts)."""

from collections.abc import Collection

from django.db import connection

from archive_site.lib import clock
from archive_site.lib.storage.sql import execute, execute_many, fetch, marks
from usage import row_writes
from usage.change_log.writes import note_changed
from usage.prompt_privacy import policy as privacy
from usage.prompt_privacy.policy import Policy
from usage.repeated.prompt_key import prompt_key
from usage.rollups import recompute as rollup
from usage.search import engine_index as search_index
from usage.stored_size import note_other_size

_STORED = """
    SELECT r.id, r.day, p.text, r.prompt_truncated FROM usage_record r JOIN usage_prompt p ON p.record_id = r.id
    WHERE r.user_id = %s AND r.id IN ({marks})"""
_UPDATE = """
    UPDATE usage_record SET prompt_key = %s, without_prompt = %s, prompt_truncated = %s, updated_at = %s
    WHERE id = %s"""


def convert(archive_id: int, ids: Collection[int], policy: Policy) -> None:
    """Keep of the prompts of these records what the policy does, in the caller's transaction and in the archive's
    turn."""
    if not ids:
        return
    rows = fetch(_STORED.format(marks=marks(ids)), [archive_id, *ids])
    kept = [(record_id, day, text, policy.kept_of_stored(text), cut) for record_id, day, text, cut in rows]
    changed = [one for one in kept if one[2] != one[3]]
    if not changed:
        return
    changed_ids = [record_id for record_id, *_ in changed]
    search_index.remove(search_index.stored(changed_ids))
    row_writes.store_prompts([(record_id, new) for record_id, _, _, new, _ in changed if new])
    if gone := [record_id for record_id, _, _, new, _ in changed if not new]:
        execute(f"DELETE FROM usage_prompt WHERE record_id IN ({marks(gone)})", gone)  # noqa: S608 - placeholders only, bound values
    at = connection.ops.adapt_datetimefield_value(clock.now())
    is_cut = policy.mode != privacy.HASH
    execute_many(_UPDATE, [(prompt_key(new), not new, cut or is_cut, at, one) for one, _, _, new, cut in changed])
    search_index.add(search_index.stored(changed_ids))
    note_other_size(archive_id, sum(len(new.encode()) - len(old.encode()) for _, _, old, new, _ in changed))
    note_changed(archive_id, changed_ids)
    rollup.compute_again(archive_id, (), (), {day for _, day, *_ in changed})
