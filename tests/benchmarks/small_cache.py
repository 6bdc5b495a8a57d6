"""The project's settings with a store that caches next to nothing: what memory is left is the project's own."""

from archive_site.settings import *  # noqa: F403
from archive_site.settings import DATABASES

DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA cache_size=-1024"
