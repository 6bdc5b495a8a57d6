"""Reading the packages of credits at the end of a run (docs/decisions/collection.md#packages)."""

from collections.abc import Callable, Iterator
from functools import partial

from django.db import transaction

from accounts.config import InstanceSettings
from archive_site.lib.stored_message import Message
from collection.runs import lease
from collection.runs.run_progress import RunProgress
from collection.sources.source import Source, SourceFailure
from usage import data_version
from usage.packages import stored_packages


def readings(progress: RunProgress, source: Source, instance: InstanceSettings) -> Iterator[Callable[[], None]]:
    """The reading of the packages, where the instance wants it."""
    if instance.packages:
        yield partial(_read, progress, source)


def _read(progress: RunProgress, source: Source) -> None:
    """Read the packages and keep them. Without them nothing of the run is lost, so no answer about them fails it."""
    archive_id = progress.run.archive_id
    try:
        packages = source.packages(stored_packages.wanted(archive_id))
    except SourceFailure as failure:
        progress.tell(Message("packages_unread", why=failure.message))
        return
    if packages is None:
        return
    with transaction.atomic():
        lease.require(progress.token)
        if stored_packages.store(archive_id, packages):
            data_version.raise_version(archive_id)
    if packages.unreadable:
        progress.tell(Message("packages_skipped", count=packages.unreadable))
