"""Who may change which account: the guards that API and admin site share (docs/api.md#change-a-user)."""

from django.core.exceptions import PermissionDenied, ValidationError
from django.utils.translation import gettext

from accounts.models import User


def begin_change(actor_id: int | None) -> None:
    """Serialise changes of roles and states, in the caller's transaction.

    The rules: docs/decisions/accounts.md#guards-run-one-at-a-time.

    Raises PermissionDenied unless the actor is still an administrator; None is the command line. SQLite's immediate
    transactions need no lock; on other databases the administrators' rows are locked.
    """
    admins = set(User.objects.active_admins().select_for_update().values_list("pk", flat=True))
    if actor_id is not None and actor_id not in admins:
        raise PermissionDenied


def require_may_demote(target: User, actor_id: int | None) -> None:
    """Raises ValidationError for the actor's own role and for the last active administrator."""
    if target.pk == actor_id:
        raise ValidationError(gettext("You cannot remove your own administrator role."))
    _require_another_admin(target)


def require_may_disable(target: User, actor_id: int | None) -> None:
    """Raises ValidationError for the actor's own account and for the last active administrator."""
    if target.pk == actor_id:
        raise ValidationError(gettext("You cannot disable your own account."))
    _require_another_admin(target)


def require_may_delete(target: User, actor_id: int | None) -> None:
    """Raises ValidationError for the actor's own account, the only account, and the last active administrator."""
    if target.pk == actor_id:
        raise ValidationError(gettext("You cannot delete your own account."))
    require_may_leave(target)


def require_may_leave(target: User) -> None:
    """Raises ValidationError for the only account, and for the last active administrator."""
    if User.objects.count() == 1:
        raise ValidationError(gettext("The only account cannot be deleted."))
    _require_another_admin(target)


def _require_another_admin(target: User) -> None:
    is_last = target.is_admin and target.is_active and not User.objects.active_admins().exclude(pk=target.pk).exists()
    if is_last:
        raise ValidationError(gettext("This is the last active administrator."))
