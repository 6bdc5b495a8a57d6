"""What the search index holds for a prompt."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """A prompt as it is, or was, stored: its account, its record, the record's day, and its text."""

    archive_id: int
    record_id: int
    day: str
    text: str
