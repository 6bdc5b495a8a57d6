"""How a CSV file writes its credits and times, found once from all of its rows."""

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass

from usage.importing.numbers import DecimalSign, decimal_sign
from usage.importing.times import Serials, serials_in

# The cells of a column with the numbers of their rows.
Cells = Generator[tuple[int, str]]


@dataclass(frozen=True)
class Writings:
    """The decimal sign of the credits, and what the times say of day numbers of a spreadsheet."""

    decimal_sign: DecimalSign = "."
    serials: Serials = Serials.NONE


def writings_of(cells: Callable[[str], Cells], columns: Mapping[str, str]) -> Writings:
    """The writings of the columns of a file (docs/decisions.md#writings-of-a-column). Raises UnreadableFile."""
    with closing(cells(columns["time"])) as times:
        serials = serials_in(cell for _, cell in times)
    return Writings(decimal_sign(cells(columns["credits"]), columns["credits"]), serials)
