"""Records as they will be after a page is stored, and those of them that are stored already.

Part of storing pages (docs/decisions/records.md#a-record-that-is-seen-again).
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch, marks
from usage.incoming.record import IncomingRecord
from usage.measures import NO_MEASURES, Measures
from usage.prompt_privacy.hashed_words import MARK
from usage.repeated.prompt_key import NO_PROMPT
from usage.stored_measures import JOINED, SELECTED, measures_of
from usage.stored_size import RECORD_BYTES

_STORED = f"""
    SELECT r.id, r.request_id, r.credits, r.model, r.client, r.ts, r.prompt_truncated, r.agent_purpose,
        COALESCE(LENGTH(p.text), 0), COALESCE({engine.BYTES_OF.format("p.text")}, 0), r.prompt_key,
        COALESCE(SUBSTR(p.text, 1, 1), ''), r.without_prompt, {", ".join(SELECTED)}
    FROM usage_record r LEFT JOIN usage_prompt p ON p.record_id = r.id {JOINED}
    WHERE r.user_id = %s AND r.request_id IN ({{marks}})"""  # noqa: S608 - constants


@dataclass(slots=True)
class KeptRecord:
    """A record as it is after the page, and which parts of it change.

    `row_id`, `indexed_day`, the prompt's place in the search index, `prompt_bytes`, `prompt_key`, `has_hashes` (whether
    only the hashes of words are stored) and `stored_measures` are those of stored records. `had_prompt`: its source
    gave a prompt, also where none is stored any more.
    """

    record: IncomingRecord
    prompt_length: int
    row_id: int | None = None
    indexed_day: str = ""
    prompt_bytes: int = 0
    prompt_key: int | None = NO_PROMPT
    has_hashes: bool = False
    had_prompt: bool = False
    stored_measures: Measures = NO_MEASURES
    row_changed: bool = False
    prompt_changed: bool = False

    @property
    def is_new(self) -> bool:
        return self.row_id is None

    @property
    def growth(self) -> int:
        """How many bytes more the account stores."""
        of_prompt = len(self.record.prompt.encode()) - self.prompt_bytes if self.prompt_changed else 0
        return of_prompt + RECORD_BYTES * self.is_new

    @property
    def changed_measures(self) -> Measures | None:
        """The measures where they are others than those that are stored."""
        measures = self.record.measures or NO_MEASURES
        return None if measures == self.stored_measures else measures

    @property
    def is_found_elsewhere(self) -> bool:
        """Whether the text or the day under which a stored record is indexed changes."""
        return not self.is_new and (self.prompt_changed or self.indexed_day != self.record.ts[:10])


def known_records(archive_id: int, request_ids: Set[str]) -> dict[str, KeptRecord]:
    """Those of these requests that are stored, by request id; their records are without the text of the prompt."""
    if not request_ids:
        return {}
    return {row[1]: _kept(row) for row in fetch(_STORED.format(marks=marks(request_ids)), [archive_id, *request_ids])}


def _kept(row: tuple[Any, ...]) -> KeptRecord:
    row_id, request_id, amount, model, client, ts, is_cut, purpose, length, size, key, first, without, *beside = row
    measures = measures_of(*beside)
    return KeptRecord(
        IncomingRecord(request_id, amount, model, client, ts, "", bool(is_cut), purpose, measures=measures),
        prompt_length=length,
        row_id=row_id,
        indexed_day=ts[:10],
        prompt_bytes=size,
        prompt_key=key,
        has_hashes=first == MARK,
        had_prompt=not without,
        stored_measures=measures or NO_MEASURES,
    )
