"""POST /api/users/<id>/delete: the account, its sessions, its data (docs/api.md#delete-a-user)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError
from django_q.models import OrmQ

from accounts.models import Captcha, Erasure, Session, Setting, User
from archive_site import account_deletion, tasks
from archive_site.account_deletion import delete_account, erase_data
from archive_site.lib.task_turns import turn_of
from audit.models import Entry
from tests.accounts.page_forms import ApiOf, answer_of
from tests.archive_site.account_data import COMMAND_LINE, OWNED, exports_of, give_everything, owned
from tests.factories import ApiClient, make_user
from tests.usage.record_factories import archive, call
from usage import erasure
from usage.models import ROLLUPS, DayPurposeGroup, Prompt, Record

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(root: User, api_of: ApiOf) -> ApiClient:
    return api_of(root)


def delete(admin: ApiClient, user: User | int, **body: object) -> Any:
    user_id = user if isinstance(user, int) else user.pk
    return admin.post(f"/api/users/{user_id}/delete", body)


def test_the_account_goes_with_all_that_is_its_own(alice: User, bob: User, admin: ApiClient) -> None:
    give_everything(alice)
    give_everything(bob)
    before = owned(bob.pk)
    response = delete(admin, alice)
    assert (response.status_code, answer_of(response)["ok"], set(answer_of(response))) == (200, True, {"ok", "message"})
    assert not User.objects.filter(pk=alice.pk).exists()
    assert owned(alice.pk) == [0] * len(OWNED)
    assert not exports_of(alice).exists()
    assert (owned(bob.pk), Prompt.objects.count(), exports_of(bob).exists()) == (before, 5, True)
    assert not Erasure.objects.exists()


def test_sums_are_erased_in_parts_that_may_end_within_a_day(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasure, "ROWS_OF_SUMS", 2)
    for user in (alice, bob):
        archive(user, *(call(f"r{n}", model=f"m{n % 4}", ts=f"2026-09-0{1 + n // 8} 10:00:00") for n in range(24)))
    assert erasure.erase_archive(alice.pk)
    assert [rollup.objects.filter(archive_id=alice.pk).count() for rollup in ROLLUPS] == [0] * len(ROLLUPS)
    assert DayPurposeGroup.objects.filter(archive_id=bob.pk).count() == 12


def test_what_an_import_that_died_had_received_goes_too(alice: User, admin: ApiClient) -> None:
    left = settings.DATA_FOLDER.imports / "tmp.upload.csv"
    left.write_text("private")
    delete(admin, alice)
    assert not left.exists()


@pytest.mark.parametrize("word", ["1", "true", "on", "yes", True, 1, "YES"])
def test_its_data_is_kept_on_demand(word: object, alice: User, admin: ApiClient) -> None:
    give_everything(alice)
    *before, _, settings_before = owned(alice.pk)
    assert delete(admin, alice, keep_data=word).status_code == 200
    # All but the cookie, and what is known of how long it lasted.
    assert owned(alice.pk) == [*before, 0, settings_before - 1]
    assert not Setting.objects.filter(key="cookie").exists()
    assert (Prompt.objects.count(), exports_of(alice).exists()) == (5, True)


@pytest.mark.parametrize("word", ["0", "false", "no", "", None, False])
def test_any_other_word_keeps_nothing(word: object, alice: User, admin: ApiClient) -> None:
    give_everything(alice)
    delete(admin, alice, keep_data=word)
    assert owned(alice.pk) == [0] * len(OWNED)


@pytest.mark.parametrize("user_id", [99999, 0])
def test_an_unknown_id_is_404(user_id: int, admin: ApiClient) -> None:
    response = delete(admin, user_id)
    assert (response.status_code, set(answer_of(response))) == (404, {"ok", "message"})


def test_nobody_deletes_the_own_account(root: User, admin: ApiClient) -> None:
    make_user("second", is_admin=True)
    response = delete(admin, root)
    assert (response.status_code, set(answer_of(response))) == (400, {"ok", "message"})
    assert User.objects.filter(pk=root.pk).exists()


def test_the_last_active_administrator_is_not_deleted(alice: User, root: User) -> None:
    with pytest.raises(ValidationError, match="last active administrator"):
        delete_account(root.pk, keep_data=False, actor=COMMAND_LINE)


def test_a_refused_deletion_deletes_nothing(root: User, admin: ApiClient) -> None:
    give_everything(root)
    before = owned(root.pk)
    delete(admin, root)
    assert owned(root.pk) == before


def test_its_sessions_die(alice: User, admin: ApiClient, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    delete(admin, alice)
    assert visitor.get("/api/runs").status_code == 401
    assert not Session.objects.filter(user_id=alice.pk).exists()


def test_it_is_in_the_audit_log(alice: User, admin: ApiClient, root: User) -> None:
    delete(admin, alice, keep_data="1")
    entry = Entry.objects.get(action="user_delete")
    assert (entry.actor, entry.user_id, entry.ip) == ("root", root.pk, "127.0.0.1")
    assert all(words in entry.detail for words in ("alice", str(alice.pk), "kept"))


def test_what_the_account_did_stays_in_the_audit_log(alice: User, admin: ApiClient, api_of: ApiOf) -> None:
    api_of(alice).post("/api/profile", {"display_name": "A"})
    delete(admin, alice)
    assert Entry.objects.get(action="profile").user_id == alice.pk


def test_ids_are_never_used_again(alice: User, bob: User, admin: ApiClient) -> None:
    newest = make_user("newest")
    delete(admin, newest)
    assert make_user("newer").pk > newest.pk


def test_the_name_is_free_again_and_finds_nothing_of_the_old_one(alice: User, admin: ApiClient) -> None:
    give_everything(alice)
    delete(admin, alice, keep_data="1")
    assert sum(owned(make_user("alice").pk)) == 0


# Deletions that are interrupted or take long


@pytest.mark.engine
def test_a_broken_off_erasure_is_finished_by_the_housekeeping(
    alice: User, root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_everything(alice)
    with monkeypatch.context() as broken:
        broken.setattr(account_deletion, "erase_data", _break)
        with pytest.raises(InterruptedError):
            delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
    assert not User.objects.filter(pk=alice.pk).exists()
    assert Record.objects.filter(archive_id=alice.pk).count() == 5
    tasks.housekeeping()
    assert owned(alice.pk) == [0] * len(OWNED)
    assert not Erasure.objects.exists()


def test_an_erasure_broken_off_in_the_middle_is_begun_again(
    alice: User, root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    give_everything(alice)
    monkeypatch.setattr(erasure, "ROWS", 2)
    steps: Iterator[Callable[[list[int]], object]] = iter([erasure.delete_records, erasure.delete_records, _break])
    with monkeypatch.context() as broken:
        broken.setattr(erasure, "delete_records", lambda ids: next(steps)(ids))
        with pytest.raises(InterruptedError):
            delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
    assert Record.objects.filter(archive_id=alice.pk).count() == 1
    tasks.housekeeping()
    assert owned(alice.pk) == [0] * len(OWNED)


def test_housekeeping_erases_nothing_else(alice: User) -> None:
    give_everything(alice)
    before = owned(alice.pk)
    tasks.housekeeping()
    assert (owned(alice.pk), Captcha.objects.count()) == (before, 0)


def test_erasing_twice_is_harmless(alice: User, root: User) -> None:
    delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
    erase_data(alice.pk)
    assert not Erasure.objects.exists()


def _break(about: object, **options: object) -> int:
    raise InterruptedError


def test_what_takes_too_long_is_left_to_the_workers(alice: User, root: User, monkeypatch: pytest.MonkeyPatch) -> None:
    give_everything(alice)
    monkeypatch.setattr(account_deletion, "PATIENCE", -1.0)
    delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
    assert [waiting.func() for waiting in OrmQ.objects.all()] == [account_deletion.ERASE_DELETED]


def test_a_task_erases_for_a_while_and_leaves_the_rest_to_another_one(
    alice: User, bob: User, root: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many large accounts are deleted at once, other tasks have their turn between."""
    monkeypatch.setattr(account_deletion, "PATIENCE", -1.0)
    for user in (alice, bob):
        give_everything(user)
        delete_account(user.pk, keep_data=False, actor=COMMAND_LINE)
    assert OrmQ.objects.count() == 1
    OrmQ.objects.all().delete()
    monkeypatch.setattr(tasks, "resume_erasures", partial(account_deletion.resume_erasures, -1.0))
    tasks.erase_deleted()
    assert [waiting.func() for waiting in OrmQ.objects.all()] == [account_deletion.ERASE_DELETED]
    assert Erasure.objects.count() == 2
    monkeypatch.undo()
    with turn_of("deletion-erasure"):
        tasks.erase_deleted()
        assert Erasure.objects.count() == 2
    tasks.erase_deleted()
    assert owned(alice.pk) == owned(bob.pk) == [0] * len(OWNED)
    assert not Erasure.objects.exists()
