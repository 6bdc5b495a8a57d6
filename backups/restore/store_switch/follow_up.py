"""The parts of a switch that are the same for all engines: the key, and what follows."""

import logging
import os
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.contrib.contenttypes.models import ContentType

from accounts import store_identity
from accounts.session_stores import session_cache
from usage.export.kept_files import remove_exports_of_others

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


def sync(path: Path) -> None:
    """Sync a file or folder to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
