"""Receives the file of a request in `imports/`, with a lock that shows that its process lives."""

import os
from typing import Any

from django.core.files.uploadhandler import TemporaryFileUploadHandler

from archive_site.lib.locks.file_lock import is_taken


class LockedUpload(TemporaryFileUploadHandler):
    """Django's handler; the lock of the file goes when it is closed or its process dies (`work_folder`)."""

    def new_file(self, *args: Any, **kwargs: Any) -> None:
        super().new_file(*args, **kwargs)
        # Until it has its lock, it looks as if its process had died.
        while not (is_taken(self.file.fileno()) and os.fstat(self.file.fileno()).st_nlink):
            self.file.close()
            super().new_file(*args, **kwargs)
