"""Moving the data of a deleted account to another account (`manage.py adopt_archive`)."""

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts import account_removal
from accounts.models import INSTANCE, User
from archive_site.lib.stored_message import Message
from audit import log
from collection import erasure_and_adoption
from usage import adoption, queries


def adopt_archive(old_id: int, heir: User) -> int:
    """Move the records and runs kept under an old id to the heir; return the number of records moved.

    The heir keeps its own settings. Where both have a call, the record that was updated last stays. An interrupted
    adoption can be repeated. Raises ValidationError if the id belongs to an account or nothing is kept under it.
    """
    if User.objects.filter(pk=old_id).exists():
        raise ValidationError(f"{old_id} is the id of an account that exists.")
    if old_id in account_removal.unfinished_erasures():
        raise ValidationError(f"The data of {old_id} is being erased.")
    if not _is_kept(old_id):
        raise ValidationError(f"Nothing is kept under the id {old_id}.")
    moved = adoption.move_records(old_id, heir.pk)
    # Last, in one transaction: until then, the rest under the old id marks the adoption as unfinished.
    with transaction.atomic():
        erasure_and_adoption.move_runs(old_id, heir.pk)
        adoption.drop_sums(old_id, heir.pk)
        account_removal.erase_settings(old_id)
        detail = Message("archive_adopted", count=moved, id=old_id, name=heir.username)
        log.record("user_update", actor="command line", user_id=None, detail=detail)
    return moved


def _is_kept(old_id: int) -> bool:
    # The settings under id 0 are those of the instance.
    if old_id == INSTANCE:
        return False
    return queries.has_records(old_id) or erasure_and_adoption.has_runs(old_id) or account_removal.has_settings(old_id)
