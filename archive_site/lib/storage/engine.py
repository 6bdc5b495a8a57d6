"""The database engine of the store, and the words in which engines differ (docs/architecture.md#two-engines)."""

from django.db import connection

IS_SQLITE = connection.vendor == "sqlite"
# An SQLite file has one node.
MAY_HAVE_SEVERAL_NODES = not IS_SQLITE
# The aggregate of names and values as a JSON object.
JSON_OBJECT = "json_group_object" if IS_SQLITE else "json_object_agg"
# Compares a text with a pattern and takes A to Z in either case.
LIKE = "LIKE" if IS_SQLITE else "ILIKE"
STORE_BYTES = (
    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
    if IS_SQLITE
    else "SELECT pg_database_size(current_database())"
)
# The bytes of a text in UTF-8, as a template with its column.
BYTES_OF = "LENGTH(CAST({} AS BLOB))" if IS_SQLITE else "OCTET_LENGTH({})"


def not_by_index(condition: str) -> str:
    """A condition that no index is to answer: PostgreSQL would ask one for all rows where a few keys are given."""
    return condition if IS_SQLITE else f"({condition}) IS TRUE"


def indexed_by(name: str) -> str:
    """Words after a table that name the index to use. SQLite needs them, since it keeps no statistics here."""
    return f"INDEXED BY {name}" if IS_SQLITE else ""
