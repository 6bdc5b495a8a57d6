"""How many prompts of the whole store the index would lead to, from a sample of its pages.

PostgreSQL's own estimate takes every needle for a rare one.
"""

import re

from archive_site.lib.storage.sql import fetch
from usage.search.postgres.terms import CHARACTER, is_indexed

_PARTS = re.compile(f"[0-9A-Za-z]+|{CHARACTER}")
# More of them exclude hardly any prompts.
_MOST_PARTS = 8
_SAMPLED = 1_000
_ALL = "SELECT GREATEST(reltuples, 1) FROM pg_class WHERE oid = 'usage_prompt'::regclass"
_SAMPLE = """
    SELECT COUNT(*), COUNT(*) FILTER (WHERE p.text ILIKE ALL (%s)) FROM usage_prompt p TABLESAMPLE SYSTEM (%s)"""


def candidates(needle: str) -> float:
    """The prompts that have all words and characters of the needle; all prompts where no index helps."""
    [(prompts,)] = fetch(_ALL)
    if not is_indexed(needle):
        return float(prompts)
    parts = [f"%{part}%" for part in dict.fromkeys(_PARTS.findall(needle))][:_MOST_PARTS]
    [(sampled, found)] = fetch(_SAMPLE, [parts, min(100.0, 100.0 * _SAMPLED / prompts)])
    return float(prompts * found / max(sampled, 1))
