"""How many queries the parts of a request take that depend on the servers which an instance has."""

from django.conf import settings

from archive_site.lib.storage import engine

# The session of a visitor who has just signed in is in Redis, if there is one:
# `accounts/session_stores/session_cache.py`.
SESSION = 0 if settings.REDIS_URL else 1
# Only PostgreSQL has several nodes, each with files that the others list: `usage/node_files.py`.
FILES_OF_OTHER_NODES = 0 if engine.IS_SQLITE else 1
