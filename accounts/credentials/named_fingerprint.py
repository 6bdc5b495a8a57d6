"""The fingerprint of the instance key in a store on PostgreSQL, read before Django is configured."""

from typing import Any

from archive_site.lib.environment import ConfigurationError

_QUERY = "SELECT key_fingerprint FROM accounts_store WHERE id = 1"
_PARAMETERS = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}


def fingerprint_in(database: dict[str, Any]) -> str:
    """The fingerprint; empty if the store was never used. Raises ConfigurationError if it does not answer."""
    import psycopg

    given = {parameter: database[name] for parameter, name in _PARAMETERS.items() if database.get(name)}
    try:
        with psycopg.connect(**{**database.get("OPTIONS", {}), **given}) as connection:
            found = connection.execute(_QUERY).fetchone()
    except psycopg.errors.UndefinedTable:
        return ""
    except psycopg.Error as error:
        raise ConfigurationError(f"The store cannot be used: {' '.join(str(error).split())}") from None
    return str(found[0]) if found else ""
