"""Recognising a damaged store among other failures."""

import sqlite3

_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_damage(error: BaseException) -> bool:
    """Whether an error of SQLite or of Django means that the file of the store is damaged, or no store."""
    cause = error.__cause__ or error
    return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _DAMAGE
