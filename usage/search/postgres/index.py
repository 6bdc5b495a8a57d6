"""The search index on PostgreSQL: two GIN indexes of the table of prompts, which PostgreSQL updates with its rows.

Each has the account of a prompt beside its terms, so that a search reads nothing of other accounts' prompts.
"""

from collections.abc import Iterable

from django.core.management import CommandError
from django.db import DatabaseError, transaction

from archive_site.lib.storage.sql import execute, fetch
from usage.search.entry import Entry
from usage.search.postgres import account_of_prompts
from usage.search.postgres.terms import ACCOUNT, FUNCTION, PAIRS, PASSED_OVER

_TRIGRAMS, _CHARACTERS = "usage_prompt_trigrams", "usage_prompt_characters"
# Entries that wait to be merged: more of them at once take less time, and a search reads them one by one.
_PENDING_KB = 16 * 1024
_PAIRS_OF = " || ".join(
    f"ARRAY(SELECT found[1] FROM regexp_matches(lower(prompt COLLATE \"C\"), '{pair}', 'g') found)"  # noqa: S608 - constants
    for pair in PAIRS
)
# A prompt in ASCII has as many bytes as characters.
_FUNCTION = f"""
    CREATE OR REPLACE FUNCTION {FUNCTION}(prompt text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length(prompt) = char_length(prompt) THEN '{{}}'::text[]
    ELSE string_to_array(regexp_replace(prompt, '[{PASSED_OVER}]+', '', 'g'), NULL) || {_PAIRS_OF} END $$"""


def create() -> None:
    """Create the indexes. Raises CommandError where the extension pg_trgm may not be created."""
    try:
        with transaction.atomic():
            execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except DatabaseError as error:
        reason = str(error).partition("\n")[0]
        raise CommandError(
            f"The search needs the extension pg_trgm of PostgreSQL; its administrator creates it here by "
            f"'CREATE EXTENSION pg_trgm': {reason}"
        ) from None
    account_of_prompts.add()
    # The extension may be in another schema than the store.
    [(home,)] = fetch("SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'pg_trgm'")
    _create(_TRIGRAMS, f"text {home}.gin_trgm_ops")
    _create_characters()


def renew_characters() -> None:
    """Make the index of characters again, whose terms an earlier version gave."""
    execute(f"DROP INDEX {_CHARACTERS}")
    _create_characters()


def keep_no_statistics() -> None:
    """Forget what the server has noted of prompts to plan by, and let it note nothing more: whole prompts would stay
    there after they are gone. Plans follow from samples of our own (`estimate.py`)."""
    execute(f"DROP INDEX {_CHARACTERS}")
    execute("ALTER TABLE usage_prompt ALTER COLUMN text SET STATISTICS 0")
    # A column that gets a type, the same, too, loses its statistics.
    execute('ALTER TABLE usage_prompt ALTER COLUMN text TYPE text COLLATE "C"')
    _create_characters()


def _create_characters() -> None:
    execute(_FUNCTION)
    _create(_CHARACTERS, f"{FUNCTION}(text)")
    execute(f"ALTER INDEX {_CHARACTERS} ALTER COLUMN 2 SET STATISTICS 0")


def _create(name: str, terms: str) -> None:
    columns = f"({ACCOUNT.format('account_id')}), {terms}"
    execute(f"CREATE INDEX {name} ON usage_prompt USING gin ({columns}) WITH (gin_pending_list_limit = {_PENDING_KB})")


def drop() -> None:
    """Remove the indexes. The extension stays: others may use it."""
    for name in (_TRIGRAMS, _CHARACTERS):
        execute(f"DROP INDEX {name}")
    account_of_prompts.remove()
    execute(f"DROP FUNCTION {FUNCTION}")


def add(entries: Iterable[Entry]) -> None:
    """Nothing: PostgreSQL adds prompts to its indexes."""


def remove(entries: Iterable[Entry]) -> None:
    """Nothing: PostgreSQL removes prompts from its indexes."""


def stored(record_ids: list[int]) -> list[Entry]:
    """The entries that have to be removed or added with these records: none."""
    return []


def fill() -> None:
    """Nothing: the indexes are complete."""


def tidy(pages: int = 500) -> bool:
    """Nothing: autovacuum does it. Return that there is no more to do."""
    return False
