"""The parts of a switch that are the same for all engines: the key, and what follows."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.contenttypes.models import ContentType

from accounts import session_cache, store_identity
from accounts.models import User
from usage.export.kept_files import exports_of, is_of

log = logging.getLogger(__name__)


def stage_key(key: Path) -> None:
    """Copy a key beside the instance key, which may be on another disk. It takes effect once the store names it."""
    staged: Path = settings.DATA_FOLDER.staged_key
    staged.write_bytes(key.read_bytes())
    sync(staged)
    sync(staged.parent)


def follow(*retire: Callable[[], object]) -> None:
    """Do what follows a switch, with what an engine does about the old store. The store is restored, whichever of these
    steps fails."""
    forget = (session_cache.forget_all, ContentType.objects.clear_cache)
    for step in (store_identity.settle_key, *retire, remove_exports_of_others, *forget):
        tried(step)


def tried(step: Callable[[], object]) -> None:
    """Run a step after the switch. Its failure is logged, because the store is restored anyway."""
    try:
        step()
    except Exception:
        log.exception("the store is restored, but something that follows failed")


def remove_exports_of_others() -> None:
    """Remove the exports of ids that now belong to another account: their file names have another user name."""
    names = dict(User.objects.values_list("pk", "username"))
    for folder in settings.DATA_FOLDER.exports.glob("*"):
        user_id = int(folder.name) if folder.name.isascii() and folder.name.isdecimal() else 0
        if user_id not in names:
            continue
        for path in exports_of(user_id):
            if not is_of(names[user_id], path.name):
                path.unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Sync a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
