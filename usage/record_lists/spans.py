"""Parts of lists of records, which pages are, too."""

from typing import NamedTuple, Protocol


class Part(Protocol):
    """How many records come before a part of a list, and how many it has at most."""

    @property
    def offset(self) -> int: ...

    @property
    def size(self) -> int: ...


class Span(NamedTuple):
    """A part that need not be a page."""

    offset: int
    size: int
