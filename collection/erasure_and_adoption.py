"""The runs and the mark of an account: ended and erased with it, or moved to another account."""

from collections.abc import Callable, Iterator

from django.db.models.functions import Length

from archive_site.lib import clock
from archive_site.lib.storage.deletion import ROWS, delete_in_parts, first_rows, parts_by_text
from archive_site.lib.stored_message import Message
from collection.account_of_archive import masked, names_another
from collection.models import AccountOfArchive, Lease, Progress, Run
from collection.runs import lease
from collection.runs.run_outcomes import INTERRUPTED
from usage.data_version import raise_version


def end_collection(archive_id: int) -> None:
    """End the account's runs: a running one loses the lease, so that it stores nothing more."""
    runs = Run.objects.filter(archive_id=archive_id)
    Lease.objects.filter(run_id__in=runs.values("pk")).update(**lease.FREE)
    runs.filter(status=Run.Status.RUNNING).update(stop_requested=True)
    runs.filter(status=Run.Status.QUEUED).update(
        status=INTERRUPTED.status,
        exit_code=INTERRUPTED.exit_code,
        finished_at=clock.now(),
        stored_message=Message("owner_deleted").stored(),
    )


def has_runs(archive_id: int) -> bool:
    return Run.objects.filter(archive_id=archive_id).exists()


def erase_runs(archive_id: int) -> Iterator[int]:
    """Delete the account's runs, part by part, and its mark."""
    yield from delete_in_parts(Run.objects.filter(archive_id=archive_id), text="stored_detail")
    forget_mark(archive_id)


def move_runs(old_id: int, heir_id: int, note: Callable[[int], None]) -> Iterator[int]:
    """Move the runs kept under an old id to the heir, part by part; `note(0)` is called in each, and may raise."""
    parts, left = parts_by_text(), Run.objects.filter(archive_id=old_id)
    while True:
        ids, amount = first_rows(left.values_list("pk", Length("stored_detail"))[:ROWS], parts.size)
        if not ids:
            return
        with parts.part(amount):
            note(0)
            left.filter(pk__in=ids).update(archive_id=heir_id)
            raise_version(heir_id)
        yield len(ids)


def other_account(old_id: int, heir_id: int) -> tuple[str, str] | None:
    """The accounts of the source that an old archive and its heir's have, as they are shown, where these are two."""
    old, heir = (AccountOfArchive.objects.filter(archive_id=archive_id).first() for archive_id in (old_id, heir_id))
    if old and heir and names_another(old, heir.account):
        return masked(old.account), masked(heir.account)
    return None


def pass_on_name(old_id: int, heir_id: int) -> None:
    """Note of an heir of whose account of the source nothing is known that it is that of the old archive."""
    old = AccountOfArchive.objects.filter(archive_id=old_id).exclude(account="").first()
    if old is not None:
        AccountOfArchive.objects.get_or_create(archive_id=heir_id)
        unknown = AccountOfArchive.objects.filter(archive_id=heir_id, account="", confirmed="")
        unknown.update(account=old.account)


def forget_mark(archive_id: int) -> None:
    """Delete the account's mark, and which account of the source it has; an heir keeps its own."""
    for model in (Progress, AccountOfArchive):
        model._default_manager.filter(archive_id=archive_id).delete()
