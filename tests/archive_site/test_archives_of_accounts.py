"""Accounts with several archives (docs/decisions/accounts.md#archives-of-an-account)."""

from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from accounts import archives, config, credential
from accounts.models import FIRST_ARCHIVE, INSTANCE, Archive, Erasure, Setting, User
from archive_site.account_deletion import delete_account
from archive_site.archive_adoption import adopt_archive
from archive_site.lib import clock
from collection import maintenance_actions
from collection.models import Run
from tests.accounts.page_forms import ApiOf
from tests.archive_site.account_data import COMMAND_LINE, OWNED, give_everything, owned
from tests.factories import make_user
from tests.usage.record_factories import archive, call, prompt_of
from usage.export import kept_files
from usage.models import DayTotal, Record

pytestmark = pytest.mark.django_db

NOTHING = [0] * len(OWNED)


def further(user: User) -> int:
    return Archive.objects.create(user_id=user.pk, **{**FIRST_ARCHIVE, "label": "The second"}).pk


@pytest.fixture
def second(alice: User) -> int:
    """A second archive of Alice, who has everything in the first one; both have a call of the same id."""
    give_everything(alice)
    made = further(alice)
    archive(made, call("r1", credits=7, prompt="of the second"), call("only here"))
    Run.objects.create(archive_id=made, trigger="manual", status="queued", created_at=clock.now())
    credential.store(made, "session=of the second")
    return made


def test_each_account_has_one_with_its_own_id(alice: User, root: User) -> None:
    found = Archive.objects.order_by("pk").values_list("pk", "user_id", "kind", "unit")
    assert list(found) == [
        (user.pk, user.pk, "codebuddy", "credits") for user in sorted((alice, root), key=lambda u: u.pk)
    ]
    alice.display_name = "Alice"
    alice.save()
    assert Archive.objects.count() == 2


def test_ids_of_further_ones_meet_no_account_and_are_never_given_again(alice: User, bob: User) -> None:
    first = further(alice)
    assert first >= Archive.FIRST_OF_FURTHER
    Archive.objects.filter(pk=first).delete()
    assert further(bob) > first
    assert make_user("carol").pk < Archive.FIRST_OF_FURTHER


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_their_ids_begin_where_they_should_after_all_was_deleted() -> None:
    first = further(make_user("alice"))
    call_command("flush", interactive=False, verbosity=0)
    assert Archive.FIRST_OF_FURTHER <= further(make_user("alice")) <= first


def test_archives_of_an_account_begin_with_the_first(alice: User, bob: User) -> None:
    others = [further(bob), further(alice), further(alice)]
    assert archives.of_account(alice.pk) == [alice.pk, *others[1:]]
    assert archives.of_account(bob.pk) == [bob.pk, others[0]]


@pytest.mark.usefixtures("second")
def test_nothing_of_the_second_is_in_the_answers_of_the_first(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    found = api.get("/api/records").json()
    assert (found["total"], {item["request_id"] for item in found["items"]}) == (5, {f"r{n}" for n in range(5)})
    assert api.get("/api/summary").json()["calls"] == 5
    assert api.get("/api/records?q=of%20the%20second").json()["total"] == 0
    assert api.get("/api/records/only%20here").status_code == 404
    assert len(api.get("/api/runs").json()["items"]) == 1


@pytest.fixture
def asked(second: int, alice: User, monkeypatch: pytest.MonkeyPatch) -> int:
    """The second archive, where the one function takes what is asked of Alice for questions about it."""
    monkeypatch.setattr(archives, "first_of", {alice.pk: second}.__getitem__)
    return second


def test_settings_are_those_of_the_archive_that_is_asked(asked: int, alice: User, api_of: ApiOf) -> None:
    api, before = api_of(alice), credential.reveal(alice.pk)
    assert api.get("/api/settings").json()["cookie_hint"] == credential.state(asked).hint
    assert credential.state(asked).hint in api.get("/config").text
    assert api.post("/api/settings", {"cookie": "session=new", "user_agent": "New/1.0"}).status_code == 200
    assert (credential.reveal(asked), config.user_agent(asked)) == ("session=new", "New/1.0")
    assert (credential.reveal(alice.pk), config.user_agent(alice.pk)) == (before, "agent")


def test_maintenance_is_that_of_the_archive_that_is_asked(asked: int, alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    assert api.post("/api/maintenance/export-csv", {}).status_code == 200
    [path] = kept_files.exports_of(asked)
    assert "only here" in path.read_text()
    credential.clear(asked)
    assert api.post("/api/maintenance/fill-prompt", {}).json()["error"] == "no_cookie"


@pytest.mark.parametrize("command", ["collect", "verify"])
def test_commands_are_about_the_archive_that_is_asked(asked: int, command: str) -> None:
    # Where the first one was asked, its cookie would meet a closed port.
    config.write({"api_base": "http://127.0.0.1:9"}, archive_id=INSTANCE, may_edit_instance=True)
    credential.clear(asked)
    with pytest.raises(CommandError, match="No cookie"):
        call_command(command, "alice")


@pytest.mark.engine
def test_a_deletion_takes_all_of_them(second: int, alice: User, bob: User) -> None:
    give_everything(bob)
    before = owned(bob.pk)
    delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
    assert (owned(alice.pk), owned(second)) == (NOTHING, NOTHING)
    assert list(Archive.objects.values_list("pk", flat=True)) == [bob.pk]
    assert (owned(bob.pk), Erasure.objects.count()) == (before, 0)


@pytest.mark.usefixtures("root")
def test_kept_data_stays_in_each_without_the_credentials(second: int, alice: User) -> None:
    delete_account(alice.pk, keep_data=True, actor=COMMAND_LINE)
    assert archives.of_account(alice.pk) == [alice.pk, second]
    assert (Record.objects.filter(archive_id=alice.pk).count(), Record.objects.filter(archive_id=second).count()) == (
        5,
        2,
    )
    assert not Setting.objects.filter(key="cookie").exists()
    # What waited to run does not.
    assert Run.objects.get(archive_id=second).status == Run.Status.INTERRUPTED


def test_an_heir_gets_further_ones_as_they_are(second: int, alice: User, bob: User) -> None:
    archive(bob, call("r1", credits=3, prompt="bobs"))
    old_id = alice.pk
    delete_account(old_id, keep_data=True, actor=COMMAND_LINE)
    adopt_archive(old_id, bob)
    assert archives.of_account(bob.pk) == [bob.pk, second]
    assert not Archive.objects.filter(user_id=old_id).exists()
    assert (prompt_of(second), Record.objects.filter(archive_id=bob.pk).count()) == ("of the second", 5)


def test_a_recount_repairs_each(second: int, alice: User) -> None:
    DayTotal.objects.filter(archive_id=second).update(calls=99)
    said = str(maintenance_actions.recount(alice, alice.pk, {}))
    assert "7 records" in said
    assert sum(DayTotal.objects.filter(archive_id=second).values_list("calls", flat=True)) == 2
    assert str(maintenance_actions.recount(alice, alice.pk, {})) != said


@pytest.mark.engine
def test_the_migration_makes_one_for_each_account_and_each_id_that_was_kept(alice: User, bob: User) -> None:
    give_everything(bob)
    delete_account(bob.pk, keep_data=True, actor=COMMAND_LINE)
    Archive.objects.all().delete()
    import_module("accounts.migrations.0011_archives").fill(apps, connection.schema_editor())
    assert set(Archive.objects.values_list("pk", "user_id")) == {(alice.pk, alice.pk), (bob.pk, bob.pk)}
