"""Counting the records of a file against an archive, before they are stored or while they are."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from archive_site.lib.stored_message import Message
from usage import bulk_ingest
from usage.amounts.units import Unit
from usage.importing.api_types import ConflictingCall, DamagedCell, Examples, UnreadableRow
from usage.importing.call_row import LeftOut
from usage.importing.file_format import EXAMPLES, Damage
from usage.importing.replaced_rows import Placed, placed
from usage.importing.staging import PAGE, Staged
from usage.incoming.record import IncomingRecord
from usage.ingest import PageResult
from usage.record_payloads import measured_call, number_of
from usage.record_types import Call


@dataclass
class Comparison:
    """What a file holds for an archive. `conflicting` calls are known with other values; `prompts` are filled; calls of
    erased days are `too_old`."""

    new: int = 0
    known: int = 0
    conflicting: int = 0
    prompts: int = 0
    too_old: int = 0
    first_new: list[IncomingRecord] = field(default_factory=list)
    first_conflicts: list[Message] = field(default_factory=list)

    def add(self, page: PageResult) -> None:
        self.new += page.added
        self.known += page.dup
        self.conflicting += page.conflicts
        self.prompts += page.prompts_filled
        self.too_old += page.too_old
        self.first_new = [*self.first_new, *page.first_new][:EXAMPLES]
        self.first_conflicts = [*self.first_conflicts, *page.lines][:EXAMPLES]

    def examples(self, staged: Staged, damage: Damage, unit: Unit, *, measured: bool) -> Examples:
        """Some of what is counted, as the API shows it (docs/api.md#import); `measured` adds the measures of calls."""
        return Examples(
            new=[_example(record, unit, measured=measured) for record in self.first_new],
            conflicting=[*map(_in_file, staged.conflicts), *map(_conflict, self.first_conflicts)][:EXAMPLES],
            unreadable=[_left_out(row, left_out) for row, left_out in staged.unreadable.examples],
            damaged=[DamagedCell(row, cell.column, cell.value) for row, cell in damage.examples],
        )


def compare(archive_id: int, staged: Staged, *, max_prompt: int, young_from: str | None) -> Comparison:
    """Count the records against the archive; stores nothing. Calls after `young_from` may be filled in, if it is given,
    and were matched (`replaced_rows.match`)."""
    found = Comparison()
    for records in batched(staged.records()):
        page = placed(staged, records, young_from) if young_from else Placed(records, {}, 0)
        found.add(bulk_ingest.compare(archive_id, page.records, page.renamed, max_prompt=max_prompt))
        found.known += page.earlier
    return found


def batched(records: Iterable[IncomingRecord]) -> Iterator[list[IncomingRecord]]:
    """The records in lists that one statement takes."""
    left = iter(records)
    while page := list(itertools.islice(left, PAGE)):
        yield page


def _example(record: IncomingRecord, unit: Unit, *, measured: bool) -> Call:
    return Call(
        record.request_id,
        number_of(unit, record.amount, record.measures),
        record.model,
        record.client,
        record.ts,
        **(measured_call(unit, record.amount, record.measures) if measured else {}),
    )


def _conflict(line: Message) -> ConflictingCall:
    differences = line.values["differences"]
    assert not isinstance(differences, str | int | Message)
    return ConflictingCall(str(line.values["request"]), [str(each) for each in differences])


def _in_file(conflict: tuple[str, list[Message]]) -> ConflictingCall:
    request_id, differs = conflict
    return ConflictingCall(request_id, [str(each) for each in differs])


def _left_out(row: int, left_out: LeftOut) -> UnreadableRow:
    return UnreadableRow(row, str(left_out.reason()), left_out.column, left_out.value)
