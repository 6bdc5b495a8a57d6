"""Candidates: the records that the index finds for a needle within a span of places."""

from dataclasses import dataclass, replace
from typing import Any

from archive_site.lib.storage.sql import fetch
from usage.search.query import SearchQuery
from usage.search.sqlite.terms import RECORD_OF_PLACE, Span, questions, span_of


@dataclass(frozen=True)
class Candidates:
    """The entries that one table of the index finds for a needle in a span; `number` is counted up to a limit only."""

    table: str
    question: str
    span: Span
    number: int = 0

    def query(self) -> str:
        """The query for the ids of their records; its parameters are `values`."""
        return (
            f"SELECT rowid & {RECORD_OF_PLACE} AS id FROM {self.table} "  # noqa: S608 - constant parts, bound values
            f"WHERE {self.table} MATCH %s AND rowid BETWEEN %s AND %s"
        )

    @property
    def values(self) -> list[Any]:
        return [self.question, self.span.first, self.span.last]

    def counted(self, at_most: int) -> "Candidates":
        """The same candidates, counted up to `at_most`."""
        [(number,)] = fetch(f"SELECT COUNT(*) FROM ({self.query()} LIMIT %s)", [*self.values, at_most])  # noqa: S608 - constant parts, bound values
        return replace(self, number=number)

    def within(self, span: Span) -> "Candidates":
        """The candidates of another span, not counted yet."""
        return replace(self, span=span, number=0)


def fewest_candidates(search: SearchQuery, at_most: int) -> Candidates | None:
    """The candidates of the table that has the fewest, counted up to `at_most`; None where the index cannot help."""
    span = span_of(search.archive_id, search.filters.days)
    fewest = None
    for table, question in questions(search.filters.text).items():
        # Counting the second table beyond the number of the first is of no use.
        found = Candidates(table, question, span).counted(fewest.number if fewest else at_most)
        if fewest is None or found.number < fewest.number:
            fewest = found
    return fewest
