"""Which second factor an account has, and whether the instance requires one (docs/api.md#second-factor)."""

from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Case, Exists, OuterRef, Q, Value, When

from accounts import config
from accounts.models import Passkey, RecoveryCode, SecondFactor, User
from accounts.second_factor import codes, recovery

NOBODY, ADMINS, EVERYBODY = "nobody", "admins", "everybody"
_REQUIRED_OF = {NOBODY: Q(pk__in=[]), ADMINS: Q(is_admin=True), EVERYBODY: Q(pk__gt=0)}


@dataclass(frozen=True)
class Factors:
    """What an account has: whether codes, and whether the key in force decrypts them; passkeys; recovery codes."""

    has_codes: bool = False
    are_codes_readable: bool = True
    passkeys: list[Passkey] = field(default_factory=list)
    passkeys_alone: bool = False
    recovery_left: int = 0


def of_account(user_id: int) -> Factors:
    """Three queries."""
    row = SecondFactor.objects.filter(user_id=user_id).first()
    has_codes = row is not None and row.sealed != ""
    return Factors(
        has_codes=has_codes,
        are_codes_readable=row is None or not has_codes or codes.are_readable(row),
        passkeys=list(Passkey.objects.filter(user_id=user_id).order_by("pk")),
        passkeys_alone=row is not None and row.passkeys_alone,
        recovery_left=recovery.left(user_id),
    )


def is_required_of(user: User) -> bool:
    required = config.instance_settings().require_second_factor
    return required == EVERYBODY or (required == ADMINS and user.is_admin)


def settle() -> None:
    """Note at all accounts whether they have a second factor, and whether they lack one that is required."""
    User.objects.update(second_factor=_now())


def settled(user: User) -> str:
    """What an account has now, noted at it. Writes only what is new: people sign in on a full disk, too."""
    noted, now = User.objects.filter(pk=user.pk).values_list("second_factor", _now()).get()
    if noted != now:
        User.objects.filter(pk=user.pk).update(second_factor=now)
    user.second_factor = now
    return str(now)


def _now() -> Case:
    """What an account has, as an expression over its row."""
    required = _REQUIRED_OF[config.instance_settings().require_second_factor]
    has_codes = Exists(SecondFactor.objects.filter(user_id=OuterRef("pk")).exclude(sealed=""))
    has_passkeys = Exists(Passkey.objects.filter(user_id=OuterRef("pk")))
    return Case(
        When(has_codes | has_passkeys, then=Value(User.HAS_FACTOR)),
        When(required, then=Value(User.LACKS_FACTOR)),
        default=Value(User.NO_FACTOR),
    )


def remove_all(user_id: int) -> bool:
    """Whether the account had any factor; it has none from then on, and no recovery codes."""
    with transaction.atomic():
        rows, passkeys = SecondFactor.objects.filter(user_id=user_id), Passkey.objects.filter(user_id=user_id)
        had = rows.exclude(sealed="").exists() or passkeys.exists()
        rows.delete()
        passkeys.delete()
        RecoveryCode.objects.filter(user_id=user_id).delete()
        settled(User.objects.get(pk=user_id))
    return had


def forget_recovery_without_factor(user: User) -> None:
    """Recovery codes stand in for a factor: they go with the last one. So does what was chosen of passkeys."""
    if not Passkey.objects.filter(user_id=user.pk).exists():
        SecondFactor.objects.filter(user_id=user.pk, passkeys_alone=True).update(passkeys_alone=False)
    if settled(user) != User.HAS_FACTOR:
        recovery.remove(user.pk)
