"""The account of each prompt, in a column of `usage_prompt` that no model has, so that the search indexes contain it.

Triggers fill it at each write, so no other module has to.
"""

from archive_site.lib.storage.sql import execute

# The table, the column, and its value on either engine. Queries of records and prompts have another `user_id`.
TABLE, COLUMN = "usage_prompt", "account_id"
VALUE = "(SELECT r.user_id FROM usage_record r WHERE r.id = usage_prompt.record_id)"

# A connection keeps the plans of a function. One that was made for a small table of records would read all of a large
# one.
_ADD = (
    "ALTER TABLE usage_prompt ADD COLUMN account_id bigint",
    f"UPDATE usage_prompt SET account_id = {VALUE}",  # noqa: S608 - a constant
    """
    CREATE FUNCTION usage_prompt_added() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$ BEGIN
    NEW.account_id := (SELECT r.user_id FROM usage_record r WHERE r.id = NEW.record_id); RETURN NEW; END $$""",
    """
    CREATE TRIGGER usage_prompt_added BEFORE INSERT ON usage_prompt
    FOR EACH ROW WHEN (NEW.account_id IS NULL) EXECUTE FUNCTION usage_prompt_added()""",
    """
    CREATE FUNCTION usage_record_moved() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$ BEGIN
    UPDATE usage_prompt SET account_id = NEW.user_id WHERE record_id = NEW.id; RETURN NULL; END $$""",
    """
    CREATE TRIGGER usage_record_moved AFTER UPDATE OF user_id ON usage_record
    FOR EACH ROW WHEN (OLD.user_id IS DISTINCT FROM NEW.user_id) EXECUTE FUNCTION usage_record_moved()""",
)
_REMOVE = (
    "DROP TRIGGER IF EXISTS usage_prompt_added ON usage_prompt",
    "DROP TRIGGER IF EXISTS usage_record_moved ON usage_record",
    "DROP FUNCTION IF EXISTS usage_prompt_added, usage_record_moved",
    "ALTER TABLE usage_prompt DROP COLUMN IF EXISTS account_id",
)


def add() -> None:
    """Add the column, with its values for all prompts."""
    for statement in _ADD:
        execute(statement)


def remove() -> None:
    """Remove the column; a store of an earlier version has none."""
    for statement in _REMOVE:
        execute(statement)
