"""The project's settings with a minimal SQLite cache, so that the measured memory is that of the project."""

from archive_site.settings import *  # noqa: F403
from archive_site.settings import DATABASES

DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA cache_size=-1024"
