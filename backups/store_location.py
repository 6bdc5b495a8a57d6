"""The location of the live store."""

from pathlib import Path

from django.conf import settings
from django.db import connection

from archive_site.lib.storage import engine


def live_store() -> Path:
    """The path under which the live store is opened: a file, or after a restore a link to one."""
    return Path(str(connection.settings_dict["NAME"]))


def store_folder() -> Path:
    """The folder of the live store's file, with links resolved; the data folder if the store is not a file."""
    file, home = live_store().resolve(), settings.DATA_FOLDER.home
    return file.parent if engine.IS_SQLITE and file.is_file() else Path(home)
