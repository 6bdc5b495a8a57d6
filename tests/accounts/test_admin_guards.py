"""One active administrator always remains, also under simultaneous changes: docs/api.md#change-a-user."""

from collections.abc import Callable

import pytest
from django.core.exceptions import PermissionDenied, ValidationError

from accounts import user_changes
from accounts.actor import Actor
from accounts.models import User
from archive_site.account_deletion import delete_account
from tests.concurrency import together
from tests.factories import make_user

ROUNDS = 8
COMMAND_LINE = Actor("command line", None)


def actor(user: User) -> Actor:
    return Actor(user.username, user.pk)


def demote(by: User, target: User) -> object:
    return user_changes.update(target.pk, {"is_admin": "0"}, actor(by))


def disable(by: User, target: User) -> object:
    return user_changes.update(target.pk, {"status": "0"}, actor(by))


def delete(by: User, target: User) -> object:
    return delete_account(target.pk, keep_data=False, actor=actor(by))


Way = Callable[[User, User], object]


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("one", "other"),
    [(demote, demote), (disable, disable), (delete, delete), (demote, disable), (disable, delete), (delete, demote)],
)
def test_two_administrators_against_each_other_leave_one(one: Way, other: Way) -> None:
    for number in range(ROUNDS):
        first = make_user(f"first{number}", is_admin=True)
        second = make_user(f"second{number}", is_admin=True)
        results = together(lambda a=first, b=second: one(a, b), lambda a=first, b=second: other(b, a))  # type: ignore[misc]
        refused = [result for result in results if isinstance(result, Exception)]
        assert [type(error) for error in refused] == [PermissionDenied]
        assert User.objects.active_admins().count() == 1
        User.objects.update(is_admin=False)


@pytest.mark.django_db(transaction=True)
def test_five_administrators_in_a_ring_never_leave_none() -> None:
    admins = [make_user(f"ring{number}", is_admin=True) for number in range(5)]
    pairs = zip(admins, admins[1:] + admins[:1], strict=True)
    together(*[lambda a=a, b=b: demote(a, b) for a, b in pairs])
    assert User.objects.active_admins().count() >= 1


@pytest.mark.django_db
def test_an_administrator_demoted_meanwhile_changes_nothing_more(alice: User, root: User) -> None:
    before = make_user("before", is_admin=True)
    User.objects.filter(pk=before.pk).update(is_admin=False)
    for way in (demote, disable, delete):
        with pytest.raises(PermissionDenied):
            way(before, alice)


@pytest.mark.django_db
@pytest.mark.parametrize("body", [{"is_admin": "0"}, {"status": "disabled"}, {"is_admin": "0", "status": "0"}])
def test_the_last_active_administrator_stays_so_for_anybody(body: dict[str, object], alice: User, root: User) -> None:
    with pytest.raises(ValidationError, match="last active administrator"):
        user_changes.update(root.pk, body, COMMAND_LINE)


@pytest.mark.django_db
def test_a_disabled_administrator_does_not_count_as_another(root: User) -> None:
    make_user("second", is_admin=True, status=User.DISABLED)
    with pytest.raises(ValidationError, match="last active administrator"):
        user_changes.update(root.pk, {"is_admin": "0"}, COMMAND_LINE)
    with pytest.raises(ValidationError, match="last active administrator"):
        delete_account(root.pk, keep_data=False, actor=COMMAND_LINE)


@pytest.mark.django_db
def test_the_only_account_is_not_deleted(alice: User) -> None:
    with pytest.raises(ValidationError, match="only account"):
        delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
