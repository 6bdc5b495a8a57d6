"""Names of backups: `backup-YYYYMMDD-HHMMSS-<trigger>.zip`, by the server's wall clock (docs/api.md#backup)."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from backups.backup_manifest import TRIGGERS
from usage import node_files

_FORM = re.compile(rf"backup-([0-9]{{8}}-[0-9]{{6}})-({'|'.join(TRIGGERS)})\.zip")
_TIME = "%Y%m%d-%H%M%S"


@dataclass(frozen=True)
class Named:
    """The parts of a name: an aware instant, to the second, and the trigger."""

    at: datetime
    trigger: str


def parse(name: str) -> Named | None:
    """The parts of a backup's name; None for any other name."""
    found = _FORM.fullmatch(name)
    if not found:
        return None
    try:
        at = datetime.strptime(found[1], _TIME)
    except ValueError:
        return None
    return Named(at.replace(tzinfo=timezone.get_default_timezone()), found[2])


def path_of(name: str) -> Path:
    """The backup of this name.

    Raises ApiError: 400 `backup` if it is not a name of a backup, 409 `elsewhere` if only another node has it, 404
    `not_found`.
    """
    if parse(name) is None:
        raise ApiError(400, "backup", gettext("This is not the name of a backup."))
    path: Path = settings.DATA_FOLDER.backups / name
    if path.is_symlink() or not path.is_file():
        node_files.require_here(node_files.BACKUP, name)
        raise ApiError(404, "not_found", gettext("There is no backup %(name)s.") % {"name": name})
    return path


def new_path(at: datetime, trigger: str) -> Path:
    """The first free name from an instant on. Names may be taken, for example in the repeated hour in autumn."""
    while (path := _path(at, trigger)).exists():
        at += timedelta(seconds=1)
    return path


def _path(at: datetime, trigger: str) -> Path:
    folder: Path = settings.DATA_FOLDER.backups
    return folder / f"backup-{timezone.localtime(at).strftime(_TIME)}-{trigger}.zip"
