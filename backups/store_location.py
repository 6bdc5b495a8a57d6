"""Where the live store is."""

from pathlib import Path

from django.conf import settings
from django.db import connection


def live_store() -> Path:
    """The live store as everybody opens it: a file, or since a restore a link to one."""
    return Path(str(connection.settings_dict["NAME"]))


def store_folder() -> Path:
    """The folder, and so the disk, on which its file really lies; the data folder where it is no file."""
    file, home = live_store().resolve(), settings.DATA_FOLDER.home
    return file.parent if connection.vendor == "sqlite" and file.is_file() else Path(home)
