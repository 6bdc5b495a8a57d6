"""Recognising a store that is locked, takes no connection or no writes, or is short of memory, among other failures.

The rules: docs/decisions/store.md#a-locked-store.
"""

import sqlite3

_SQLITE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
# Classes and codes of PostgreSQL: no connection, a server that starts or stops; a lock that others hold, a deadlock, a
# statement or an idle transaction that the server broke off, too many connections, a server that only reads, as a
# replica after a failover.
_POSTGRES = ("08", "57P", "55P03", "40P01", "40001", "57014", "25P03", "53300", "25006")
# Out of memory, and `temp_file_limit`.
_SHORT = ("53200", "53400")


def is_busy(error: BaseException) -> bool:
    """Whether an error of a database or of Django passes by itself: others hold a lock, or there is no connection."""
    cause = error.__cause__ or error
    if getattr(cause, "sqlite_errorcode", 0) & 0xFF in _SQLITE:
        return True
    # Psycopg names no code where it could not connect, or where the connection was lost before.
    names = {one.__name__ for one in type(cause).__mro__}
    no_code = "08" if names & {"OperationalError", "InterfaceError"} else ""
    return bool(hasattr(cause, "sqlstate") and str(cause.sqlstate or no_code).startswith(_POSTGRES))


def is_short(error: BaseException) -> bool:
    """Whether PostgreSQL has too little memory for a statement, or too little space for its temporary files."""
    return getattr(error.__cause__ or error, "sqlstate", None) in _SHORT
