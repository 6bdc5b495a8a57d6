"""Moving the data of a deleted account to another account (`manage.py adopt_archive`):
docs/decisions/accounts.md#adopting-an-archive."""

import logging
from functools import partial
from itertools import chain

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts import account_removal, adoptions, archives
from accounts.models import User
from archive_site.lib.storage.transaction_locks import lock_archive
from archive_site.lib.stored_message import Message
from archive_site.lib.waiting_tasks import queue_once
from audit import log as audit
from collection import erasure_and_adoption
from usage import adoption
from usage.budgets import stored_budgets
from usage.export import kept_files
from usage.filters import RecordFilters
from usage.prompt_privacy import policy as privacy
from usage.reads import queries
from usage.tasks import CONVERT_PROMPTS

log = logging.getLogger(__name__)


def adopt_archive(old_id: int, heir: User) -> int:
    """Move the records and runs kept under an old id to the heir; return how many records it got.

    The heir keeps its own settings, and gets the further archives of the old account as they are. Where both have a
    call, the record that was updated last stays; sums of erased days on which the heir has calls itself are left out,
    as the audit log says. Where the heir asked to keep less of stored prompts, a task makes all that it got the same.
    The housekeeping finishes an adoption that was interrupted. Raises ValidationError if the id belongs to an account,
    nothing is kept under it, another account adopts it, or the heir has the calls of another account of the source,
    would have too many archives, or is deleted meanwhile.
    """
    if User.objects.filter(pk=old_id).exists():
        raise ValidationError(f"{old_id} is the id of an account that exists.")
    if old_id in account_removal.unfinished_erasures():
        raise ValidationError(f"The data of {old_id} is being erased.")
    if not _is_kept(old_id):
        raise ValidationError(f"Nothing is kept under the id {old_id}.")
    if others := erasure_and_adoption.other_account(old_id, heir.pk):
        old, own = others
        raise ValidationError(
            f"The archive of {old_id} is of the account {old} at its source, that of {heir.username} of {own}."
        )
    begun = adoptions.begin(old_id, heir)
    try:
        return _work_off(begun)
    except adoptions.HeirGone:
        raise ValidationError(f"{heir.username} was deleted meanwhile. What was not moved yet is kept.") from None


def resume_adoptions() -> int:
    """Finish the adoptions that were interrupted; return their number. One without an heir ends: the rest is kept."""
    waiting = adoptions.unfinished()
    for begun in waiting:
        try:
            _work_off(begun)
        except adoptions.HeirGone:
            log.warning("the account %s, which adopted the archive of %s, is gone", begun.heir_id, begun.old_id)
    return len(waiting)


def _work_off(begun: adoptions.Adoption) -> int:
    """Move what is left; gives how many records the heir got by the whole adoption. Raises HeirGone."""
    old_id, heir_id = begun.old_id, begun.heir_id
    note = partial(adoptions.note_moved, old_id, heir_id)
    try:
        for _ in adoption.move_erased_days(old_id, heir_id, note):
            pass
        adoption.move_records(old_id, heir_id, note)
        for _ in chain(
            erasure_and_adoption.move_runs(old_id, heir_id, note),
            adoption.move_packages(old_id, heir_id, note),
            adoption.erase_rest(old_id),
        ):
            pass
        # They have the name of the old account; the heir can write its own.
        for archive_id in archives.of_account(old_id):
            kept_files.remove_exports(archive_id)
        got = _end(old_id, heir_id)
    except adoptions.HeirGone:
        with transaction.atomic():
            adoptions.end(old_id)
        raise
    if privacy.is_asked_of_stored(heir_id):
        queue_once(CONVERT_PROMPTS)
    return got


def _end(old_id: int, heir_id: int) -> int:
    """Move the few rows that are left, with the entry of the audit log, in one transaction."""
    with transaction.atomic():
        adoptions.note_moved(old_id, heir_id, 0)
        # As pages of the heir do, before the ledger.
        lock_archive(heir_id)
        done = adoptions.end(old_id)
        if done is None:
            return 0
        adoption.finish(old_id, heir_id)
        erasure_and_adoption.pass_on_name(old_id, heir_id)
        erasure_and_adoption.forget_mark(old_id)
        got = done.moved + sum(queries.count_records(one.pk, RecordFilters()) for one in archives.further_of(old_id))
        archives.hand_over(old_id, heir_id)
        if privacy.is_asked_of_stored(heir_id):
            # A conversion that is under way may be past the places of what has come.
            privacy.begin_again(heir_id)
        account_removal.erase_settings(old_id)
        detail = Message("archive_adopted", count=got, id=old_id, name=User.objects.get(pk=heir_id).username)
        if done.left_out:
            detail = Message("archive_adopted_without", adopted=detail, count=done.left_out)
        audit.record("user_update", actor="command line", user_id=None, detail=detail)
    return got


def _is_kept(old_id: int) -> bool:
    """Whether something is left that an heir gets, or an adoption was broken off. Settings go to no heir."""
    # A further archive may be that of an account that exists.
    if archives.is_further(old_id):
        return False
    if any(begun.old_id == old_id for begun in adoptions.unfinished()):
        return True
    checks = (queries.has_records, queries.has_erased_days, erasure_and_adoption.has_runs, stored_budgets.budgets_of)
    return any(check(archive_id) for archive_id in archives.of_account(old_id) for check in checks)
