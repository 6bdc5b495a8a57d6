"""Tables in columns that are aligned on a terminal, whatever letters are in them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from archive_site.client.screen import BOLD, RED, Screen, Styled, cut, one_line, width

_GAP = "  "
# On a terminal a text that is not in the last column takes at most this part of it.
_LARGEST_PART = 4
_LEAST = 8


@dataclass(frozen=True)
class Column:
    """Numbers are aligned on their decimal points. They, and texts that are whole such as times, are never narrowed."""

    title: str
    is_number: bool = False
    is_whole: bool = False


def number(title: str) -> Column:
    return Column(title, is_number=True, is_whole=True)


def whole(title: str) -> Column:
    return Column(title, is_whole=True)


def exact(value: Decimal | int | None) -> str:
    """A number with every digit that it came with, and never with an exponent."""
    return "" if value is None else f"{value:f}" if isinstance(value, Decimal) else str(value)


class Table:
    """Rows in columns. They may come in parts: a later part is as wide as those before, or wider."""

    def __init__(self, screen: Screen, *columns: Column) -> None:
        self._screen = screen
        self._columns = columns
        # The columns of a terminal before the decimal point, and of the point with what follows it.
        self._before = [0 if column.is_number else len(column.title) for column in columns]
        self._after = [0] * len(columns)
        self._has_head = False

    def add(self, rows: Iterable[Sequence[str]]) -> None:
        """Write rows; before the first ones, the titles."""
        safe = [[self._cell(place, text) for place, text in enumerate(row)] for row in rows]
        for row in safe:
            self._widen(row)
        if not self._has_head:
            self._has_head = True
            self._screen.line(Styled(self._line([self._title(place) for place in range(len(self._columns))]), BOLD))
        for row in safe:
            self._screen.line(self._line([self._padded(place, text) for place, text in enumerate(row)]))

    def _cell(self, place: int, text: str) -> str:
        # Of a prompt that fills the memory, a terminal shows a line.
        columns = self._screen.columns
        is_last = place == len(self._columns) - 1
        text = one_line(text[: 4 * columns] if columns and is_last else text)
        if columns is None or is_last or self._columns[place].is_whole:
            return text
        return cut(text, max(columns // _LARGEST_PART, _LEAST), self._screen.mark)

    def _widen(self, row: Sequence[str]) -> None:
        for place, text in enumerate(row):
            before, after = self._parts(place, text)
            self._before[place] = max(self._before[place], width(before))
            self._after[place] = max(self._after[place], width(after))

    def _parts(self, place: int, text: str) -> tuple[str, str]:
        if not self._columns[place].is_number:
            return text, ""
        before, point, after = text.partition(".")
        return before, point + after

    def _padded(self, place: int, text: str) -> str:
        before, after = self._parts(place, text)
        left, right = self._before[place] - width(before), self._after[place] - width(after)
        if not self._columns[place].is_number:
            return before + " " * left
        return (" " * left + before + after + " " * right).rjust(len(self._columns[place].title))

    def _title(self, place: int) -> str:
        column = self._columns[place]
        if column.is_number:
            return column.title.rjust(self._before[place] + self._after[place])
        return column.title.ljust(self._before[place])

    def _line(self, cells: Sequence[str]) -> str:
        line = _GAP.join(cells).rstrip()
        return line if self._screen.columns is None else cut(line, self._screen.columns, self._screen.mark)


def facts(screen: Screen, rows: Iterable[tuple[str, str, bool]]) -> None:
    """Lines of a name and what there is to say, in two columns; red where that is wrong."""
    known = [(name, one_line(text), is_wrong) for name, text, is_wrong in rows if text]
    names = max((len(name) for name, _, _ in known), default=0)
    for name, text, is_wrong in known:
        screen.line(Styled(name.ljust(names), BOLD), _GAP, Styled(text, RED) if is_wrong else text)
