"""How a CSV file writes its ids, credits and times, found once from all of its rows."""

from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass

from usage.importing.numbers import DecimalSign, decimal_sign
from usage.importing.request_ids import are_rounded
from usage.importing.times import Serials, serials_in

# The cells of a column with the numbers of their rows.
Cells = Generator[tuple[int, str]]


@dataclass(frozen=True)
class Writings:
    """The decimal sign of the credits, what the times say of day numbers of a spreadsheet, if it rounded ids."""

    decimal_sign: DecimalSign = "."
    serials: Serials = Serials.NONE
    ids_are_rounded: bool = False


def writings_of(cells: Callable[[str], Cells], columns: Mapping[str, str]) -> Writings:
    """The writings of the columns of a file (docs/decisions/files.md#writings-of-a-column). Raises UnreadableFile."""
    with closing(cells(columns["time"])) as times:
        serials = serials_in(cell for _, cell in times)
    ids_are_rounded = False
    if "request_id" in columns:
        with closing(cells(columns["request_id"])) as ids:
            ids_are_rounded = are_rounded(cell for _, cell in ids)
    return Writings(decimal_sign(cells(columns["credits"]), columns["credits"]), serials, ids_are_rounded)
