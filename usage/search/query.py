"""A search for an account's records with a text, in an order, and the comparison that decides about a match."""

import re
from dataclasses import dataclass, replace

from archive_site.lib.storage import engine
from usage.filter_sql import Where, records_by_time, sorting
from usage.filters import Order, RecordFilters, order_named

_ESCAPES = str.maketrans({"\\": "\\\\", "%": "\\%", "_": "\\_"})
# Shorter ones take LIKE at most a few milliseconds a prompt.
_LONG = 64
_LETTER = re.compile("[A-Za-z]")
_EQUAL_CHARACTERS = re.compile("[\ufffd-\uffff]")


@dataclass(frozen=True)
class SearchQuery:
    """A search. `filters.text` is not empty; `order_name` is one of `ORDERS`, anything else is newest first."""

    user_id: int
    filters: RecordFilters
    order_name: str

    @property
    def order(self) -> Order:
        return order_named(self.order_name)

    @property
    def sorting(self) -> str:
        """The terms of ORDER BY for records `r`."""
        return sorting(self.order, "r")

    @property
    def where(self) -> Where:
        """The filters without the text, as conditions on a record `r`."""
        return records_by_time(self.user_id, self.filters, "r")

    def among(self, filters: RecordFilters, order_name: str) -> "SearchQuery":
        """The same search with other filters and in another order."""
        return replace(self, filters=filters, order_name=order_name)


def verified(text: str) -> tuple[str, str]:
    """The condition that a prompt `p` contains the text, with A to Z in either case, and its value.

    SQLite's LIKE ignores the case of exactly these letters, as PostgreSQL's ILIKE does for columns with COLLATE "C".
    ILIKE makes each prompt a lower-case copy, which a text without letters does not need. SQLite's LIKE takes the
    product of both lengths and asks for no time limit meanwhile, so long texts are found by their bytes.
    """
    if engine.IS_SQLITE and len(text) > _LONG:
        return f"INSTR({_lower('p.text')}, {_lower('%s')}) > 0", text
    pattern = f"%{text.translate(_ESCAPES)}%"
    if not engine.IS_SQLITE and _EQUAL_CHARACTERS.search(text):
        return f"{_as_sqlite('p.text')} ILIKE {_as_sqlite('%s')}", pattern
    like = engine.LIKE if _LETTER.search(text) else "LIKE"
    return f"p.text {like} %s ESCAPE '\\'", pattern


def _lower(text: str) -> str:
    """A text in SQL as SQLite's LIKE compares it, with small letters for A to Z."""
    return f"REPLACE(REPLACE(LOWER({text}), CHAR(65534), CHAR(65533)), CHAR(65535), CHAR(65533))"


def _as_sqlite(text: str) -> str:
    """A text in SQL as SQLite's LIKE reads it: the noncharacters U+FFFE and U+FFFF are U+FFFD."""
    return f"TRANSLATE({text}, U&'\\FFFE\\FFFF', U&'\\FFFD\\FFFD')"
