"""The report of measurements: tables, and a mark for each limit."""

from collections.abc import Sequence
from statistics import quantiles
from typing import TextIO


class Report:
    """Writes lines to all given outputs, and records whether every limit was kept."""

    def __init__(self, *places: TextIO):
        self._places = places
        self.failed: list[str] = []

    def line(self, text: str = "") -> None:
        for place in self._places:
            print(text, file=place, flush=True)

    def table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Align the first column left, the others right."""
        widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
        for row in [header, *rows]:
            first, *others = (
                cell.rjust(width) if place else cell.ljust(width)
                for place, (cell, width) in enumerate(zip(row, widths, strict=True))
            )
            self.line("  ".join([first, *others]))

    def limit(self, what: str, value: float, *, most: float | None = None, least: float | None = None) -> None:
        """Compare a figure with its limit, which is inclusive."""
        holds = (most is None or value <= most) and (least is None or value >= least)
        words = f"at most {most:g}" if most is not None else f"at least {least:g}"
        self.verdict(holds, f"{what}: {value:.3g} ({words})")

    def verdict(self, holds: bool, words: str) -> None:
        self.line(f"{'holds' if holds else 'FAILS'}  {words}")
        if not holds:
            self.failed.append(words)


def ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


def mb(size: float) -> str:
    return f"{size / 2**20:,.1f} MiB"


def p95(seconds: Sequence[float]) -> float:
    return quantiles(seconds, n=20)[-1]
