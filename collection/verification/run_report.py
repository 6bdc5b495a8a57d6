"""The report of a verification, as a CSV file (docs/api.md#report-of-a-verification)."""

import re

from collection.verification.comparison import Line
from usage.export.csv_file import text_cell

# More differences than anybody reads, and few enough for a row of the store.
MOST_DIFFERENCES = 100_000
# Programs compare reports, so the header is the same in every language.
HEADER = f"\ufeff{','.join(Line._fields)}\r\n"
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


class Report:
    """Collects the lines of a comparison: sums of days all, differences up to a limit."""

    def __init__(self) -> None:
        self._rows = [HEADER]
        self._differences = 0

    def add(self, line: Line) -> None:
        if not line.is_sum:
            self._differences += 1
            if self._differences > MOST_DIFFERENCES:
                return
        self._rows.append(_row(line))

    def text(self) -> str:
        left_out = self._differences - MOST_DIFFERENCES
        rest = [_row(Line("not_listed", here=str(left_out)))] if left_out > 0 else []
        return "".join(self._rows + rest)


def _row(line: Line) -> str:
    return ",".join(map(_cell, line)) + "\r\n"


def _cell(value: str) -> str:
    return value if _NUMBER.fullmatch(value) else text_cell(value) if value else ""
