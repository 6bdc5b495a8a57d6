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
from usage.packages.stored_packages import has_any_of


def readings(progress: RunProgress, source: Source) -> Iterator[Callable[[], None]]:
    """The readings of the packages and of the orders, where the instance wants them; it may say otherwise meanwhile."""
    if source.traits.packages and config.wants_packages():
        yield partial(_read, progress, source)
        archive_id = progress.run.archive_id
        is_known = progress.is_account_known and not _may_be_of_another(archive_id)
        if is_known and stored_orders.are_due(archive_id, clock.now()) and config.wants_packages():
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
    of_another = _may_be_of_another(archive_id) and stored_packages.are_of_another(archive_id, packages)
    if of_another:
        _forget(progress)
    if of_another is None or not (progress.is_account_known or of_another or has_any_of(archive_id, packages)):
        progress.tell(Message("packages_unread", why=Message("packages_of_unknown")))
        return
    if not progress.is_account_known:
        # They are of the account, and so are its orders.
        progress.know_account()
    with transaction.atomic():
        lease.require(progress.token)
        if stored_packages.store(archive_id, packages):
            data_version.raise_version(archive_id)
            progress.confirm_account()
    if packages.unreadable:
        progress.tell(Message("packages_skipped", count=packages.unreadable))


def _may_be_of_another(archive_id: int) -> bool:
    """Whether the packages that are known were read with another credential, before the archive had calls: it is of the
    account whose calls it has."""
    read_at, changes = stored_packages.last_read_at(archive_id), credential.changes(archive_id)
    if read_at is None or not changes or max(changes) <= read_at:
        return False
    calls = Record.objects.filter(archive_id=archive_id)
    return calls.exists() and not calls.filter(first_seen_at__lte=read_at).exists()


def _forget(progress: RunProgress) -> None:
    """Forget the packages and orders of another account, under the lease."""
    progress.tell(Message("packages_begun_anew"))
    for _ in erase_packages(progress.run.archive_id):
        with transaction.atomic():
            lease.require(progress.token)


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
