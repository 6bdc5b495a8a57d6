"""Copies a backup from elsewhere to the others, after the checks of a restore
(docs/decisions/backups.md#an-archive-is-not-trusted)."""

import os
import shutil
from pathlib import Path

from django.conf import settings

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.stored_message import Message
from backups import catalog, creation, file_names
from backups.backup_manifest import InvalidArchive
from backups.restore import backup_reader


def bring_in(path: Path) -> catalog.Archive:
    """Copy a backup under its name, or under a name from its time if its name is not one of a backup or is taken.

    Raises ApiError: 409 `busy`, 400 `backup`.
    """
    failed = Message("backup_not_copied", name=path.name)
    with maintenance_lock(), creation.unfinished(failed) as folder:
        draft = folder / "backup.zip"
        with path.open("rb") as source, draft.open("xb") as copy:
            shutil.copyfileobj(source, copy, 2**20)
            copy.flush()
            os.fsync(copy.fileno())
        # Check the copy, because the source may change meanwhile.
        try:
            manifest = backup_reader.verify(draft)
        except InvalidArchive as error:
            raise ApiError(400, "backup", str(error)) from None
        named = file_names.parse(path.name)
        if named and not (settings.DATA_FOLDER.backups / path.name).exists():
            return catalog.place(draft, named.at, named.trigger)
        return catalog.place(draft, manifest.created_at, "manual")
