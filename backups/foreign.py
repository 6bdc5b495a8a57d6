"""Archives from elsewhere: checked as a restore would, and copied to the others (design 7)."""

import os
import shutil
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext_lazy

from archive_site.lib.errors import ApiError
from archive_site.lib.words import filled
from backups import creating, names, opening, shelf
from backups.errors import InvalidArchive


def bring_in(path: Path) -> shelf.Archive:
    """Copy an archive under its own name, or under one of its time where that is no name of a backup or is taken.

    Raises ApiError: 409 `busy`, 400 `backup`.
    """
    failed = filled(gettext_lazy("%(name)s was not copied"), name=path.name)
    with names.exclusion(), creating.unfinished(failed) as folder:
        draft = folder / "backup.zip"
        with path.open("rb") as source, draft.open("xb") as copy:
            shutil.copyfileobj(source, copy, 2**20)
            copy.flush()
            os.fsync(copy.fileno())
        # The copy, since the other may change meanwhile.
        try:
            manifest = opening.verify(draft)
        except InvalidArchive as error:
            raise ApiError(400, "backup", str(error)) from None
        named = names.parse(path.name)
        if named and not (settings.DATA_FOLDER.backups / path.name).exists():
            return shelf.place(draft, named.at, named.trigger)
        return shelf.place(draft, manifest.created_at, "manual")
