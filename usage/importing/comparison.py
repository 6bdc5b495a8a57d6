"""Counting the records of a file against an archive, before they are stored or while they are."""

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from archive_site.lib.stored_message import Message
from usage import bulk_ingest
from usage.importing.call_row import LeftOut
from usage.importing.file_format import EXAMPLES
from usage.importing.staging import PAGE, Staged
from usage.incoming_record import IncomingRecord
from usage.ingest import PageResult
from usage.record_payloads import credits


@dataclass
class Comparison:
    """What a file holds for an archive. `conflicting` calls are known with other values; `prompts` are filled."""

    new: int = 0
    known: int = 0
    conflicting: int = 0
    prompts: int = 0
    first_new: list[IncomingRecord] = field(default_factory=list)
    first_conflicts: list[Message] = field(default_factory=list)

    def add(self, page: PageResult) -> None:
        self.new += page.added
        self.known += page.dup
        self.conflicting += page.conflicts
        self.prompts += page.prompts_filled
        self.first_new = [*self.first_new, *page.first_new][:EXAMPLES]
        self.first_conflicts = [*self.first_conflicts, *page.lines][:EXAMPLES]

    def payload(self, staged: Staged) -> dict[str, Any]:
        """The counts with their examples, as the API shows them (docs/api.md#import)."""
        return {
            "rows": staged.rows,
            "new": self.new,
            "known": self.known,
            "conflicting": self.conflicting + staged.conflicting,
            "repeated": staged.repeated,
            "prompts": self.prompts,
            "unreadable": staged.unreadable.count,
            "examples": {
                "new": [_example(record) for record in self.first_new],
                "conflicting": [*map(_in_file, staged.conflicts), *map(_conflict, self.first_conflicts)][:EXAMPLES],
                "unreadable": [_left_out(row, left_out) for row, left_out in staged.unreadable.examples],
            },
        }


def compare(user_id: int, staged: Staged, *, max_prompt: int) -> Comparison:
    """Count the records against the archive; stores nothing."""
    found = Comparison()
    for records in batched(staged.records()):
        found.add(bulk_ingest.compare(user_id, records, max_prompt=max_prompt))
    return found


def batched(records: Iterable[IncomingRecord]) -> Iterator[list[IncomingRecord]]:
    """The records in lists that one statement takes."""
    left = iter(records)
    while page := list(itertools.islice(left, PAGE)):
        yield page


def _example(record: IncomingRecord) -> dict[str, Any]:
    return {
        "request_id": record.request_id,
        "credits": credits(record.credits_micro),
        "model": record.model,
        "client": record.client,
        "ts": record.ts,
    }


def _conflict(line: Message) -> dict[str, Any]:
    differences = line.values["differences"]
    assert not isinstance(differences, str | int | Message)
    return {"request_id": line.values["request"], "differs": [str(each) for each in differences]}


def _in_file(conflict: tuple[str, list[Message]]) -> dict[str, Any]:
    request_id, differs = conflict
    return {"request_id": request_id, "differs": [str(each) for each in differs]}


def _left_out(row: int, left_out: LeftOut) -> dict[str, Any]:
    return {"row": row, "reason": str(left_out.reason()), "column": left_out.column, "value": left_out.value}
