"""What an account keeps of prompts from now on (docs/api.md#privacy)."""

from dataclasses import dataclass, field
from typing import Final, Literal

from django.db import transaction
from django.db.models import Sum

from accounts import archives, config
from archive_site.lib import clock
from usage import horizon
from usage.data_version import raise_version
from usage.models import DayTotal, Privacy
from usage.prompt_privacy.hashed_words import MARK, hashed, is_hashed, needle, words_key

Mode = Literal["whole", "beginning", "hash", "nothing"]
WHOLE: Final = "whole"
BEGINNING: Final = "beginning"
HASH: Final = "hash"
NOTHING: Final = "nothing"
MODES: Final[tuple[Mode, ...]] = (WHOLE, BEGINNING, HASH, NOTHING)
# Characters of `beginning`.
USUAL_LENGTH, LONGEST = 100, 10_000


@dataclass(frozen=True)
class Policy:
    """`length`: how many characters are kept in `beginning`. `key` is that of hashes in `hash`. `is_being_applied`: to
    what is stored, too."""

    mode: Mode = WHOLE
    length: int = USUAL_LENGTH
    key: bytes = field(default=b"", repr=False)
    is_being_applied: bool = False

    def most(self, max_prompt: int) -> int:
        """How many characters of a prompt are read, of at most `max_prompt`; 0 where none is kept."""
        if self.mode == NOTHING:
            return 0
        return min(max_prompt, self.length) if self.mode == BEGINNING else max_prompt

    def kept(self, prompt: str) -> str:
        """What is stored of a prompt that is not longer than `most`, and was not stored yet."""
        if self.mode == HASH:
            return hashed(prompt, self.key)
        return _without_mark(prompt)

    def kept_of_stored(self, text: str) -> str:
        """What stays of a text that is stored already; hashes stay as they are wherever prompts are kept."""
        cut = text if is_hashed(text) else text[: self.most(len(text))]
        if self.mode == NOTHING:
            return ""
        return hashed(cut, self.key) if self.mode == HASH and not is_hashed(cut) else cut


def _without_mark(text: str) -> str:
    """A text that nobody takes for hashes."""
    return f"\ufffd{text[1:]}" if text.startswith(MARK) else text


def of_account(user_id: int) -> Policy:
    """What the account has chosen; `whole` without a choice."""
    row = Privacy.objects.filter(user_id=user_id).first()
    if row is None:
        return Policy()
    mode = next(one for one in MODES if one == row.mode)
    key = words_key(user_id) if mode == HASH else b""
    return Policy(mode, row.length, key, is_being_applied=_is_being_applied(row))


def of_archive(archive_id: int) -> Policy:
    """What the account of an archive has chosen."""
    return of_account(archives.owner_of(archive_id))


def searched(archive_id: int, text: str) -> str:
    """What a search for a text compares with the stored ones: in `hash` the hashes of its words."""
    policy = of_archive(archive_id)
    return needle(text, policy.key) if policy.mode == HASH else _without_mark(text)


def most_kept(archive_id: int, max_prompt: int) -> int:
    """How many characters of a prompt the archive keeps, where the instance keeps `max_prompt`; 0 for none."""
    return of_archive(archive_id).most(max_prompt)


def wants_prompts(user_id: int) -> bool:
    """Whether archives of the account keep anything of prompts, by the instance and by its choice. Two queries."""
    return config.wants_prompts() and of_account(user_id).mode != NOTHING


def choose(user_id: int, mode: Mode, length: int) -> bool:
    """Keep prompts so from now on. What is being applied to stored prompts begins again: gives whether that is so."""
    with transaction.atomic():
        if of_account(user_id).mode != mode:
            # The mode says what days lack. The conversion, too, raises the version before it writes this row.
            for archive_id in sorted(archives.of_account(user_id)):
                raise_version(archive_id)
        row, _ = Privacy.objects.select_for_update().get_or_create(user_id=user_id)
        chosen = Privacy.objects.filter(user_id=user_id)
        if _is_being_applied(row):
            begin_again(user_id)
        elif (row.mode, row.length) != (mode, length):
            # Nobody asked yet to apply this one.
            chosen.update(asked_at=None, applied_at=None)
        chosen.update(mode=mode, length=length)
    return _is_being_applied(row)


def begin_again(user_id: int) -> None:
    """Apply the choice to all that is stored, from the beginning; the conversion does it."""
    now, total = clock.now(), sum(_records_of(archive_id) for archive_id in archives.of_account(user_id))
    begun = {"asked_at": now, "applied_at": None, "at_archive": 0, "at_ts": "", "at_request": "", "done": 0}
    Privacy.objects.update_or_create(user_id=user_id, defaults={**begun, "total": total})


def is_asked_of_stored(user_id: int) -> bool:
    """Whether the account has asked to keep less of stored prompts than all, also where that is not done yet."""
    return Privacy.objects.filter(user_id=user_id, asked_at__isnull=False).exclude(mode=WHOLE).exists()


def _is_being_applied(row: Privacy) -> bool:
    return row.asked_at is not None and row.applied_at is None


def _records_of(archive_id: int) -> int:
    kept = DayTotal.objects.filter(archive_id=archive_id, day__gte=horizon.calls_from(archive_id))
    return kept.aggregate(all=Sum("calls"))["all"] or 0


def forget(user_id: int) -> None:
    """Delete what a deleted account has chosen."""
    Privacy.objects.filter(user_id=user_id).delete()
