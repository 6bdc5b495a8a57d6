"""Reading a span of a service that is asked for page `number` of `size` rows, also where an answer is too large."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from archive_site.lib.stored_message import Message
from collection.sources.source import Page, SourceFailure, UnusableAnswer

# Each is found by about ten requests, and a window is read three times where rows cannot be read.
MOST_ROWS_TOO_LARGE = 20


@dataclass(frozen=True)
class TooLarge:
    """The answer to a request of this aware moment was too large to be read."""

    asked_at: datetime


class NumberedPages(ABC):
    """The pages of a span; a subclass asks for one."""

    def __init__(self, page_size: int, note: Callable[[Message], None]) -> None:
        self._page_size = page_size
        self._note = note
        self._rows_too_large = 0

    @abstractmethod
    def _asked(self, start: datetime, end: datetime, number: int, size: int) -> Page | TooLarge:
        """Ask for page `number` (from 1) of a span. Raises SourceFailure and ReadingStopped."""

    def pages(self, start: datetime, end: datetime) -> Iterator[Page]:
        """The pages of the aware instants `start` to `end`, both included; none follows one that has `ended`."""
        for number in count(1):
            page = self.page(start, end, number)
            yield page
            if page.ended:
                return

    def page(self, start: datetime, end: datetime, number: int, size: int | None = None) -> Page:
        """Give page `number` (from 1) of the aware instants `start` to `end`, both included.

        Raises SourceFailure and ReadingStopped.
        """
        page = self._whole(start, end, number, size or self._page_size)
        if page.skipped and not page.is_counted:
            # Nothing but rows that are too large: this may be another service.
            raise _row_too_large()
        return page

    def _whole(self, start: datetime, end: datetime, number: int, size: int) -> Page:
        page = self._asked(start, end, number, size)
        if isinstance(page, Page):
            return page
        return self._in_parts(start, end, number, size) if size > 1 else self._too_large(number, page.asked_at)

    def _in_parts(self, start: datetime, end: datetime, number: int, size: int) -> Page:
        """Request the same rows in the fewest equal parts, so that they begin and end where the page does."""
        parts = next(divisor for divisor in range(2, size + 1) if size % divisor == 0)
        self._note(Message("page_in_parts", number=number, count=parts, total=size // parts))
        pages: list[Page] = []
        for part in range((number - 1) * parts + 1, number * parts + 1):
            page = self._whole(start, end, part, size // parts)
            if page.ended and pages:
                break
            pages.append(page)
            if page.ended or (page.is_counted and page.is_last(part * (size // parts))):
                break
        # Rows that are too large come without a count, but those beside them have it.
        counted = [page for page in pages if page.is_counted]
        return Page(
            records=[record for page in pages for record in page.records],
            total=(counted or pages)[-1].total,
            received=sum(page.received for page in pages),
            skipped=[why for page in pages for why in page.skipped],
            ended=pages[0].ended,
            asked_at=pages[0].asked_at,
            without_id=sum(page.without_id for page in pages),
            repeated=sum(page.repeated for page in pages),
            outside=sum(page.outside for page in pages),
            is_full=sum(page.received for page in pages) >= size,
            unread_days=tuple(day for page in pages for day in page.unread_days),
            is_counted=bool(counted) and all(page.is_counted or page.skipped for page in pages),
            is_capped=any(page.is_capped for page in pages),
        )

    def _too_large(self, number: int, asked_at: datetime) -> Page:
        """The page of a single row that cannot be read; raises SourceFailure where there are many."""
        self._rows_too_large += 1
        if self._rows_too_large > MOST_ROWS_TOO_LARGE:
            raise _row_too_large()
        skipped = Message("row_skipped", row=1, number=number, why=Message("row_too_large"))
        return Page(
            [], number, 1, [skipped], ended=False, asked_at=asked_at, is_counted=False, is_full=True, unread_days=("",)
        )


def _row_too_large() -> SourceFailure:
    return UnusableAnswer("api", Message("answer_broken", why=Message("row_too_large")))
