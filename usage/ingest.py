"""The only writer of records: stores pages of incoming records, or only their prompts, in an account's archive.

A call that is already known with the same content is a duplicate. Other credits, model, client, time or measures are
a conflict, and the newer values stay. Only a more complete prompt replaces a prompt
(docs/decisions/records.md#a-record-that-is-seen-again). Calls of days that were erased are left out, and so are the
prompts of days whose prompts were (docs/decisions/records.md#retention).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from types import MappingProxyType
from typing import Any

from django.db import connection, transaction

from archive_site.lib import clock
from archive_site.lib.storage.sql import execute_many, fetch
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.stored_message import Message
from usage import horizon, row_writes
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.change_log.writes import note_changed, note_removed
from usage.converted_prompts import convert
from usage.coverage import ledger_writes
from usage.incoming.record import IncomingRecord, with_last_values
from usage.incoming.record_differences import differences
from usage.incoming.values_that_stay import completed, with_measures
from usage.kept_record import KeptRecord, known_records
from usage.prompt_privacy import policy as privacy
from usage.prompt_privacy.hashed_words import is_hashed
from usage.repeated.prompt_key import prompt_key
from usage.retention import erased_prompts
from usage.rollups import recompute as rollup
from usage.search import engine_index as search_index
from usage.search.entry import Entry
from usage.stored_measures import row_of
from usage.stored_size import SumsFull, note_growth

NO_NEW_IDS: Mapping[str, str] = MappingProxyType({})
# New records that a result holds as examples.
EXAMPLES = 5
# Pages of less are not added up: it would take millions of them to exceed what a sum can hold.
_LARGE = 10**12
_MOST = 2**63 - 1
# Rounded up, day by day: a sum that is too large would be an error.
_MOST_OF_DAYS = "SELECT COALESCE(SUM(ABS(credits) / %s + 1), 0) FROM usage_daytotal WHERE user_id = %s"


@dataclass(slots=True)
class PageResult:
    """The result of storing a page: counts, and one line for each conflict (older values, never prompt text).

    `unknown` counts the calls that are not in the archive; it is used only when prompts are filled. `changed_days` are
    the days of all that is new or changed, `first_new` examples of new records. `held` are changes that were not stored
    yet: the stored record, and the one that came. `too_old` counts calls that were left out, since those of their days
    were erased.
    """

    added: int = 0
    unknown: int = 0
    dup: int = 0
    conflicts: int = 0
    too_old: int = 0
    prompts_filled: int = 0
    lines: list[Message] = field(default_factory=list)
    changed_days: set[str] = field(default_factory=set)
    first_new: list[IncomingRecord] = field(default_factory=list)
    held: list[tuple[IncomingRecord, IncomingRecord]] = field(default_factory=list)


class Page:
    """One page that is stored in one account's archive.

    `renamed` has the new ids of stored records that are among those of the page, with the old ones.
    """

    def __init__(
        self,
        archive_id: int,
        records: Sequence[IncomingRecord],
        max_prompt: int,
        *,
        holds_changes: bool = False,
        renamed: Mapping[str, str] = NO_NEW_IDS,
    ):
        self.archive_id = archive_id
        self.holds_changes = holds_changes
        self.result = PageResult()
        self.groups: set[rollup.Group] = set()
        self.hours: set[str] = set()  # YYYY-MM-DD HH
        self.prompt_days: set[str] = set()
        self.measured_days: set[str] = set()  # those of `hours` on which a record has measures
        self.amounts = 0  # the size of all that is written
        self.sums_change = False  # whether a record leaves a group or hour, or changes within it
        self.new_ids: dict[int, str] = {}
        self.horizon = horizon.of_archive(archive_id)
        kept_records = [record for record in records if record.ts[:10] >= self.horizon.calls_from]
        self.result.too_old = len(records) - len(kept_records)
        coming = {record.request_id for record in kept_records}
        self.kept = known_records(archive_id, coming | {*renamed.values()})
        for new_id, old_id in renamed.items():
            kept = None if new_id in self.kept or new_id not in coming else self.kept.get(old_id)
            if kept is None or kept.row_id is None or self._is_erased(kept):
                continue
            del self.kept[old_id]
            self.new_ids[kept.row_id] = new_id
            self.kept[new_id] = replace(kept, record=replace(kept.record, request_id=new_id), row_changed=True)
        self.policy = policy = privacy.of_archive(archive_id)
        most = policy.most(max_prompt)
        for record in with_last_values(kept_records, frozenset(self.kept)):
            record = record if len(record.prompt) <= most else _cut(record, most)
            self._take(replace(record, prompt=policy.kept(record.prompt)) if record.prompt else record, record.prompt)

    def _has_no_prompt(self, record: IncomingRecord) -> bool:
        """Whether prompts of its day are not kept."""
        return record.ts[:10] < self.horizon.prompts_from

    def _is_erased(self, kept: KeptRecord) -> bool:
        """Whether a stored record is of an erased day: only its sums stay, with the values that it has."""
        return not kept.is_new and kept.indexed_day < self.horizon.calls_from

    def _take(self, record: IncomingRecord, given_prompt: str) -> None:
        """Take a record whose prompt is what is kept of `given_prompt`."""
        kept, had_prompt = self.kept.get(record.request_id), bool(record.prompt)
        if had_prompt and self._has_no_prompt(record):
            record = _cut(record, 0)
        if kept is None:
            is_kept_hashed, is_stored = is_hashed(record.prompt), bool(record.prompt)
            self.kept[record.request_id] = KeptRecord(
                record,
                len(record.prompt),
                has_hashes=is_kept_hashed,
                had_prompt=had_prompt,
                prompt_changed=is_stored,
            )
            self.result.added += 1
            if len(self.result.first_new) < EXAMPLES:
                self.result.first_new.append(record)
            self._touch(record)
            return
        if self._is_erased(kept):
            self.result.too_old += 1
            return
        if record.missing:
            record = completed(record, kept.record, kept.prompt_length)
        record = with_measures(record, kept.record)
        found = self._differences(kept.record, record)
        if found and self.holds_changes and not kept.is_new:
            # It is taken again, and what is kept of its prompt is found then.
            held = replace(record, prompt=given_prompt) if record.prompt else record
            self.result.held.append((kept.record, held))
            return
        if found:
            self.result.conflicts += 1
            self.result.lines.append(Message("conflict", request=record.request_id, differences=found))
        else:
            self.result.dup += 1
        self._merge(kept, record, bool(found))

    def _merge(self, kept: KeptRecord, record: IncomingRecord, differs: bool) -> None:
        old = kept.record
        better_prompt = _is_more_complete(record, old.prompt_truncated, kept)
        purpose = record.agent_purpose or old.agent_purpose
        if better_prompt:
            self.prompt_days.add(record.ts[:10])
            kept.prompt_length, kept.prompt_changed = len(record.prompt), True
            kept.has_hashes = is_hashed(record.prompt)
            self.result.prompts_filled += 1
        sums_change = differs or purpose != old.agent_purpose
        kept.row_changed |= sums_change or better_prompt
        kept.record = replace(
            record,
            agent_purpose=purpose,
            prompt=record.prompt if better_prompt else old.prompt,
            prompt_truncated=record.prompt_truncated if better_prompt else old.prompt_truncated,
        )
        if kept.is_new and kept.prompt_changed and self._has_no_prompt(kept.record):
            # Its first values may have been of a day with prompts.
            kept.record, kept.prompt_length = _cut(kept.record, 0), 0
            kept.has_hashes = kept.prompt_changed = False
        if sums_change:
            self.sums_change = True
            self._touch(old)
            self._touch(kept.record)

    def _touch(self, record: IncomingRecord) -> None:
        ts = record.ts
        self.groups.add((ts[:10], record.model, record.client))
        self.hours.add(ts[:13])
        if record.measures:
            self.measured_days.add(ts[:10])

    @cached_property
    def _unit(self) -> Unit:
        return unit_of(self.archive_id)

    def _differences(self, old: IncomingRecord, new: IncomingRecord) -> list[Message]:
        return differences(old, new, lambda: self._unit)

    @property
    def days(self) -> set[str]:
        """The days of all that is new or changed."""
        return self.prompt_days | {hour[:10] for hour in self.hours}

    def write(self, run_id: int | None, now: datetime) -> None:
        self.write_rows(run_id, now)
        hours = {(hour[:10], int(hour[11:])) for hour in self.hours}
        self.result.changed_days = days = self.days
        rollup.compute_again(
            self.archive_id, self.groups, hours, days, measured=self.measured_days, only_added=not self.sums_change
        )

    def write_rows(self, run_id: int | None, now: datetime, *, before: int = 0) -> None:
        """Write all but the sums, and raise the data version if anything changes.

        `before` are the amounts of earlier pages, whose sums are not computed yet.

        Raises AccountFull, also as SumsFull, before anything is written.
        """
        at = connection.ops.adapt_datetimefield_value(now)
        new = [kept for kept in self.kept.values() if kept.is_new]
        stored = [(kept.row_id, kept) for kept in self.kept.values() if kept.row_id is not None]
        changed = [(row_id, kept) for row_id, kept in stored if kept.row_changed]
        if new or changed:
            written = [*new, *(kept for _, kept in changed)]
            self.amounts = sum(abs(kept.record.amount) for kept in written)
            self._require_room(before + self.amounts)
            note_growth(self.archive_id, sum(kept.growth for kept in written))
        _rename(self.archive_id, self.new_ids)
        moved = [row_id for row_id, kept in changed if kept.is_found_elsewhere]
        search_index.remove(search_index.stored(moved))
        row_ids = row_writes.insert_records(
            self.archive_id, [(*_row(self.archive_id, kept, at), at, run_id) for kept in new]
        )
        row_writes.update_records([_row(self.archive_id, kept, at) for _, kept in changed])
        prompts = [(row_ids[kept.record.request_id], kept.record) for kept in new if kept.prompt_changed]
        row_writes.insert_prompts([(row_id, record.prompt) for row_id, record in prompts])
        row_writes.store_prompts([(row_id, kept.record.prompt) for row_id, kept in changed if kept.prompt_changed])
        rows = [(row_ids[kept.record.request_id], kept) for kept in new] + changed
        row_writes.store_measures(
            [row_of(row_id, measures) for row_id, kept in rows if (measures := kept.changed_measures)]
        )
        search_index.add(search_index.stored(moved))
        search_index.add(Entry(self.archive_id, row_id, record.ts[:10], record.prompt) for row_id, record in prompts)
        note_changed(self.archive_id, [*row_ids.values(), *(row_id for row_id, _ in changed)])
        # A call that is of a day without prompts now has none either.
        without = [row_id for row_id, kept in changed if kept.prompt_bytes and self._has_no_prompt(kept.record)]
        erased_prompts.erase(self.archive_id, without)
        if self.policy.is_being_applied:
            # The conversion goes by time, and may have passed the place that a record has now.
            stays = [row_id for row_id, kept in changed if kept.prompt_bytes and not kept.prompt_changed]
            convert(self.archive_id, stays, self.policy)

    def _require_room(self, amounts: int) -> None:
        """Raises SumsFull where the archive's sum may come to more than a sum can hold with these amounts."""
        if amounts < _LARGE:
            return
        [(most,)] = fetch(_MOST_OF_DAYS, [_LARGE, self.archive_id])
        if int(most) * _LARGE + amounts > _MOST:
            raise SumsFull(self._unit.code)


class _PageOfPrompts(Page):
    """A page that fills the prompts of stored records and changes nothing else."""

    def _take(self, record: IncomingRecord, given_prompt: str) -> None:
        kept = self.kept.get(record.request_id)
        if kept is None:
            self.result.unknown += 1
            return
        if self._is_erased(kept):
            self.result.too_old += 1
            return
        if self._has_no_prompt(record) or self._has_no_prompt(kept.record):
            record = _cut(record, 0)
        if self._differences(kept.record, with_measures(record, kept.record)):
            self.result.conflicts += 1
        prompt_only = replace(kept.record, prompt=record.prompt, prompt_truncated=record.prompt_truncated)
        self._merge(kept, prompt_only, differs=False)


def take_in(
    archive_id: int,
    records: Sequence[IncomingRecord],
    *,
    run_id: int | None,
    max_prompt: int,
    holds_changes: bool = False,
) -> PageResult:
    """Store a page of records, its prompts and its rollups in one transaction, or in the caller's.

    Prompts are cut to `max_prompt` characters; 0 stores none. With `holds_changes` other values of stored records are
    given back instead. Raises AccountFull.
    """
    with transaction.atomic(savepoint=False):
        lock_archive(archive_id)
        renamed = {record.request_id: record.earlier_id for record in records if record.earlier_id}
        page = Page(archive_id, records, max_prompt, holds_changes=holds_changes, renamed=renamed)
        page.write(run_id, clock.now())
        ledger_writes.note_changes(archive_id, page.result.changed_days)
    return page.result


def fill_prompts(archive_id: int, records: Sequence[IncomingRecord], *, max_prompt: int) -> PageResult:
    """Store the more complete prompts of a page in known records, in one transaction, or in the caller's.

    Calls that are not in the archive count as unknown, and calls with other content as conflicts; neither is stored.
    Raises AccountFull.
    """
    with transaction.atomic(savepoint=False):
        lock_archive(archive_id)
        page = _PageOfPrompts(archive_id, records, max_prompt)
        page.write(None, clock.now())
    return page.result


def _rename(archive_id: int, ids: Mapping[int, str]) -> None:
    """Give stored records other request ids, in the caller's transaction."""
    note_removed(archive_id, ids)
    execute_many("UPDATE usage_record SET request_id = %s WHERE id = %s", [(new, row) for row, new in ids.items()])


def _cut(record: IncomingRecord, max_prompt: int) -> IncomingRecord:
    said = record.missing - {"prompt_truncated"}
    return replace(record, prompt=record.prompt[:max_prompt], prompt_truncated=True, missing=said)


def _is_more_complete(new: IncomingRecord, old_truncated: bool, kept: KeptRecord) -> bool:
    old_length = kept.prompt_length
    if not new.prompt:
        return False
    if old_length and is_hashed(new.prompt) != kept.has_hashes:
        # What can be read is more than hashes of it.
        return kept.has_hashes
    if new.prompt_truncated != old_truncated and old_length:
        return old_truncated
    return len(new.prompt) > old_length


def _row(archive_id: int, kept: KeptRecord, at: Any) -> tuple[Any, ...]:
    """The key of a record and what changes in it (`usage/row_writes/columns.py`)."""
    record = kept.record
    key = prompt_key(record.prompt) if kept.prompt_changed else kept.prompt_key
    return (
        archive_id, record.request_id, record.amount, record.model, record.client, record.ts, record.ts[:10],
        int(record.ts[11:13]), record.agent_purpose, record.prompt_truncated,
        not (kept.prompt_length or kept.had_prompt), key, at,
    )  # fmt: skip
