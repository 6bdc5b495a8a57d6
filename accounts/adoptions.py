"""Adoptions that are not finished, as settings under the old id that the settings API does not show
(docs/decisions/accounts.md#adopting-an-archive)."""

from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts import archives, setting_rows
from accounts.models import Setting, User
from archive_site.lib.storage.transaction_locks import take_lock

_KEY = "adoption"


class HeirGone(Exception):
    """The account that was to get the data was deleted."""


@dataclass(frozen=True)
class Adoption:
    """The archive under an old id, the account that gets it, how many records were moved, and of how many erased days
    the sums were left out."""

    old_id: int
    heir_id: int
    moved: int = 0
    left_out: int = 0


def begin(old_id: int, heir: User) -> Adoption:
    """Note that the heir adopts an archive; gives the adoption that it began before, if there is one.

    Raises ValidationError while another account adopts it, or if the heir would have too many archives.
    """
    with transaction.atomic():
        # One for all: an heir may adopt several at once.
        take_lock("adoption")
        known = _of(old_id)
        if known and known.heir_id == heir.pk:
            return known
        other = known and User.objects.filter(pk=known.heir_id).first()
        if other:
            raise ValidationError(f"{other.username} is adopting the archive of {old_id}.")
        coming = [old_id, *(one.old_id for one in unfinished() if one.heir_id == heir.pk)]
        further = sum(len(archives.further_of(each)) for each in coming)
        if further + len(archives.of_account(heir.pk)) > archives.MOST:
            raise ValidationError(f"{heir.username} would have more than {archives.MOST} archives.")
        new = Adoption(old_id, heir.pk)
        _note(new)
    return new


def unfinished() -> list[Adoption]:
    return [_read(row) for row in Setting.objects.filter(key=_KEY).order_by("user_id")]


def note_moved(old_id: int, heir_id: int, moved: int, left_out: int = 0) -> None:
    """Note how many more records a part moved, and of how many more days it left the sums out, in its transaction.
    Raises HeirGone."""
    # The account stays until the transaction has ended.
    if not User.objects.select_for_update(no_key=True).filter(pk=heir_id).exists():
        raise HeirGone
    known = _of(old_id)
    if known and (moved or left_out):
        _note(Adoption(old_id, heir_id, known.moved + moved, known.left_out + left_out))


def end(old_id: int) -> Adoption | None:
    """Forget an adoption, in the caller's transaction; gives what it did, None where another process has ended it."""
    row = Setting.objects.select_for_update().filter(user_id=old_id, key=_KEY).first()
    if row is None:
        return None
    row.delete()
    return _read(row)


def _of(old_id: int) -> Adoption | None:
    row = Setting.objects.filter(user_id=old_id, key=_KEY).first()
    return _read(row) if row else None


def _note(adoption: Adoption) -> None:
    value = f"{adoption.heir_id} {adoption.moved} {adoption.left_out}"
    setting_rows.store(adoption.old_id, _KEY, value)


def _read(row: Setting) -> Adoption:
    # Those of earlier versions have no third number.
    return Adoption(row.user_id, *map(int, row.value.split()))
