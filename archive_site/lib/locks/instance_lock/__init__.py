"""Locks of the whole instance, by name: files of the data folder, or advisory locks, which all nodes share.

Both are free as soon as their holder is dead.
"""

from archive_site.lib.locks.file_lock import Taken
from archive_site.lib.storage import engine

if engine.IS_SQLITE:
    from archive_site.lib.locks.instance_lock.files import held
else:
    from archive_site.lib.locks.instance_lock.advisory import held

__all__ = ["Taken", "held"]
