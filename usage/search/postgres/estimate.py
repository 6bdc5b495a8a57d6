"""How many prompts of an account the index would lead to, from a sample of the pages of all prompts.

PostgreSQL's own estimate takes every needle for a rare one.
"""

import re

from archive_site.lib.storage.sql import fetch
from usage.search.postgres.terms import CHARACTER, is_indexed, lowered, pairs

_PARTS = re.compile(f"[0-9A-Za-z]+|{CHARACTER}")
# More of them exclude hardly any prompts.
_MOST_PARTS = 8
_SAMPLED = 1_000
_ALL = "SELECT GREATEST(reltuples, 1) FROM pg_class WHERE oid = 'usage_prompt'::regclass"
_SAMPLE = """
    SELECT COUNT(*), COUNT(*) FILTER (WHERE p.account_id = %s AND p.text ILIKE ALL (%s))
    FROM usage_prompt p TABLESAMPLE SYSTEM (%s)"""


def has_parts(needle: str) -> bool:
    """Whether the index may lead to many prompts though few have the needle: to those that have its parts apart."""
    return len(_parts(needle)) > 1


def candidates(archive_id: int, needle: str) -> float:
    """The account's prompts that have all words, characters and pairs of the needle; all where no index helps."""
    [(prompts,)] = fetch(_ALL)
    parts = [f"%{part}%" for part in _parts(needle)] if is_indexed(needle) else []
    [(sampled, found)] = fetch(_SAMPLE, [archive_id, parts, min(100.0, 100.0 * _SAMPLED / prompts)])
    return float(prompts * found / max(sampled, 1))


def _parts(needle: str) -> list[str]:
    """What the needle consists of; not what is within another part."""
    parts = dict.fromkeys([*_PARTS.findall(lowered(needle)), *pairs(needle)])
    return [part for part in parts if not any(part != other and part in other for other in parts)][:_MOST_PARTS]
