"""Reading packages of credits, and what was paid for them, at the end of a run
(docs/decisions/collection.md#packages)."""

from collections.abc import Callable, Iterator
from functools import partial

from django.db import transaction

from accounts import config
from accounts.credentials import credential
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.runs import lease
from collection.runs.run_progress import RunProgress
from collection.sources.source import Source, SourceFailure
from usage import data_version
from usage.erasure import erase_packages
from usage.models import Record
from usage.packages import stored_orders, stored_packages
from usage.packages.package import Packages


def readings(progress: RunProgress, source: Source) -> Iterator[Callable[[], None]]:
    """The readings of the packages and of the orders, where the instance wants them; it may say otherwise meanwhile."""
    if source.traits.packages and config.wants_packages():
        yield partial(_read, progress, source)
        are_due = progress.is_account_known and stored_orders.are_due(progress.run.archive_id, clock.now())
        if are_due and config.wants_packages():
            yield partial(_read_orders, progress, source)


def _read(progress: RunProgress, source: Source) -> None:
    """Read the packages and keep them. Without them nothing of the run is lost, so no answer about them fails it."""
    archive_id = progress.run.archive_id
    try:
        packages = source.packages(stored_packages.wanted(archive_id))
    except SourceFailure as failure:
        progress.tell(Message("packages_unread", why=failure.beside_calls))
        return
    if packages is None:
        return
    begins_anew = _begins_anew(progress, packages)
    if not progress.is_account_known:
        if not begins_anew and not stored_packages.has_any_of(archive_id, packages):
            progress.tell(Message("packages_unread", why=Message("packages_of_unknown")))
            return
        # They are of the account, and so are its orders.
        progress.know_account()
    with transaction.atomic():
        lease.require(progress.token)
        if stored_packages.store(archive_id, packages):
            data_version.raise_version(archive_id)
            progress.confirm_account()
    if packages.unreadable:
        progress.tell(Message("packages_skipped", count=packages.unreadable))


def _begins_anew(progress: RunProgress, packages: Packages) -> bool:
    """Whether the packages that are known are of another account, whose credential the archive had before; then forget
    them and its orders. The archive is of the account whose calls it has."""
    archive_id = progress.run.archive_id
    calls = Record.objects.filter(archive_id=archive_id)
    # As long as nothing tells whose the credential is, only its own calls count.
    own = calls if progress.is_account_known else calls.filter(run_id=progress.run.pk)
    is_new = stored_packages.were_read_before(archive_id, credential.changes(archive_id))
    if not (is_new and (progress.is_account_known or progress.lacks_calls) and own.exists()):
        return False
    if not stored_packages.are_of_another(archive_id, packages):
        return False
    progress.tell(Message("packages_begun_anew"))
    for _ in erase_packages(archive_id):
        with transaction.atomic():
            lease.require(progress.token)
    return True


def _read_orders(progress: RunProgress, source: Source) -> None:
    """Read the orders and keep them; after a refusal they are asked for a day later, or, where packages were never
    read, by the next run."""
    archive_id, orders = progress.run.archive_id, None
    try:
        orders = source.orders(are_known=stored_orders.has_any(archive_id))
    except SourceFailure as failure:
        progress.tell(Message("orders_unread", why=failure.beside_calls))
    with transaction.atomic():
        lease.require(progress.token)
        stored_orders.note_asked(archive_id, clock.now())
        if orders is not None and stored_orders.store(archive_id, orders):
            data_version.raise_version(archive_id)
    if orders is not None and orders.unreadable:
        progress.tell(Message("orders_skipped", count=orders.unreadable))
