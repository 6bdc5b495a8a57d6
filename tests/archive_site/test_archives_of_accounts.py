"""Accounts with several archives (docs/decisions/accounts.md#archives-of-an-account)."""

import io
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import connection

from accounts import adoptions, archives, config
from accounts.credentials import credential
from accounts.models import INSTANCE, Archive, Erasure, Setting, User
from archive_site.account_deletion import delete_account
from archive_site.archive_adoption import adopt_archive, resume_adoptions
from archive_site.lib import clock
from audit.models import Entry
from collection import erasure_and_adoption, maintenance_actions
from collection.models import Run
from tests.accounts.page_forms import ApiOf
from tests.archive_site.account_data import COMMAND_LINE, OWNED, PAST, give_archive, give_everything, owned
from tests.factories import further_archive, make_user
from tests.usage.record_factories import archive, call, prompt_of
from usage.budgets import stored_budgets
from usage.export import kept_files
from usage.models import DayTotal, Record, SavedView

pytestmark = pytest.mark.django_db

NOTHING = [0] * len(OWNED)


@pytest.fixture
def second(alice: User) -> int:
    """A second archive of Alice with everything, as in the first one; both have a call of the same id."""
    give_everything(alice)
    made = further_archive(alice)
    calls = [call("r1", ts=PAST, credits=7, prompt="of the second"), call("only here")]
    give_archive(made, calls, "session=of the second")
    Run.objects.create(archive_id=made, trigger="manual", status="queued", created_at=clock.now())
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
    first = further_archive(alice)
    assert first >= Archive.FIRST_OF_FURTHER
    Archive.objects.filter(pk=first).delete()
    assert further_archive(bob) > first
    assert make_user("carol").pk < Archive.FIRST_OF_FURTHER


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_their_ids_begin_where_they_should_after_all_was_deleted() -> None:
    first = further_archive(make_user("alice"))
    call_command("flush", interactive=False, verbosity=0)
    assert Archive.FIRST_OF_FURTHER <= further_archive(make_user("alice")) <= first


@pytest.mark.engine
@pytest.mark.django_db(transaction=True)
def test_their_ids_begin_where_they_should_after_archives_were_loaded(tmp_path: Path) -> None:
    """Django sets PostgreSQL's counter to the highest id that it has loaded."""
    alice, path = make_user("alice"), tmp_path / "archives.json"
    call_command("dumpdata", "accounts.archive", output=str(path), verbosity=0)
    call_command("loaddata", str(path), verbosity=0)
    first, second = further_archive(alice), further_archive(alice)
    assert Archive.FIRST_OF_FURTHER <= first < second


def test_archives_of_an_account_begin_with_the_first(alice: User, bob: User) -> None:
    others = [further_archive(bob), further_archive(alice), further_archive(alice)]
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
    assert credential.state(asked).hint in api.get("/archives").text
    assert credential.state(asked).hint not in api.get("/config").text
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
    # A view is the person's; all else each archive has.
    assert {model for model, *rows in zip(OWNED, owned(alice.pk), owned(second), strict=True) if 0 in rows} == {
        SavedView
    }
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
    assert Run.objects.filter(archive_id=second).latest("pk").status == Run.Status.INTERRUPTED


def test_an_heir_gets_further_ones_as_they_are(second: int, alice: User, bob: User) -> None:
    archive(bob, call("r1", credits=3, prompt="bobs"))
    old_id = alice.pk
    delete_account(old_id, keep_data=True, actor=COMMAND_LINE)
    adopt_archive(old_id, bob)
    assert archives.of_account(bob.pk) == [bob.pk, second]
    assert not Archive.objects.filter(user_id=old_id).exists()
    assert (prompt_of(second), Record.objects.filter(archive_id=bob.pk).count()) == ("of the second", 5)


@pytest.fixture
def kept(second: int, alice: User, root: User) -> int:
    """The id of an account that was deleted, whose two archives are kept."""
    old_id = alice.pk
    delete_account(old_id, keep_data=True, actor=COMMAND_LINE)
    return old_id


@pytest.mark.parametrize(("what", "records"), [("records", 1), ("runs", 0)])
@pytest.mark.usefixtures("root")
def test_data_in_a_further_one_alone_is_adopted(what: str, records: int, alice: User, bob: User) -> None:
    second, old_id = further_archive(alice), alice.pk
    if what == "records":
        archive(second, call("r1"))
    else:
        Run.objects.create(archive_id=second, trigger="manual", status="ok", created_at=clock.now())
    delete_account(old_id, keep_data=True, actor=COMMAND_LINE)
    assert adopt_archive(old_id, bob) == records
    assert archives.of_account(bob.pk) == [bob.pk, second]


def test_the_records_of_all_are_counted(kept: int, bob: User) -> None:
    said = io.StringIO()
    call_command("adopt_archive", str(kept), "bob", stdout=said)
    assert said.getvalue() == "bob has 7 more records.\n"
    assert Entry.objects.get(action="user_update").detail == f"archive adopted: 7 records of id {kept} for bob"


def test_a_further_one_is_not_adopted_by_its_own_id(second: int, alice: User, bob: User) -> None:
    with pytest.raises(ValidationError, match="Nothing is kept"):
        adopt_archive(second, bob)
    assert Record.objects.filter(archive_id=second).count() == 2


@pytest.mark.parametrize("begun", [0, 1])
def test_an_heir_of_too_many_is_refused_before_anything_moves(begun: int, kept: int, bob: User, root: User) -> None:
    """Those of an adoption that it has begun count, too."""
    others = make_user("carol")
    for user, number in ((bob, archives.MOST - 1 - begun), (others, begun)):
        for _ in range(number):
            further_archive(user)
    archive(others.pk, call("r1"))
    delete_account(others.pk, keep_data=True, actor=COMMAND_LINE)
    if begun:
        adoptions.begin(others.pk, bob)
    with pytest.raises(ValidationError, match="bob would have more than 20 archives"):
        adopt_archive(kept, bob)
    assert (Record.objects.filter(archive_id=kept).count(), owned(bob.pk)) == (5, NOTHING)
    Archive.objects.filter(pk=archives.further_of(bob.pk)[-1].pk).delete()
    adopt_archive(kept, bob)
    assert len(archives.of_account(bob.pk)) == archives.MOST - begun


@pytest.fixture
def broken_off(kept: int, bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bob's adoption of both, whose process died after the records of the first had moved."""

    def die(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as broken:
        broken.setattr(erasure_and_adoption, "move_runs", die)
        with pytest.raises(InterruptedError):
            adopt_archive(kept, bob)


@pytest.mark.usefixtures("broken_off")
def test_the_housekeeping_hands_further_ones_over_after_a_death(kept: int, second: int, bob: User) -> None:
    assert archives.of_account(kept) == [kept, second]
    assert resume_adoptions() == 1
    assert archives.of_account(bob.pk) == [bob.pk, second]


@pytest.mark.usefixtures("broken_off")
def test_further_ones_stay_kept_where_the_heir_is_deleted_meanwhile(kept: int, second: int, bob: User) -> None:
    delete_account(bob.pk, keep_data=False, actor=COMMAND_LINE)
    assert resume_adoptions() == 1
    assert archives.of_account(kept) == [kept, second]
    carol = make_user("carol")
    adopt_archive(kept, carol)
    assert archives.of_account(carol.pk) == [carol.pk, second]
    assert (prompt_of(second), Record.objects.filter(archive_id=second).count()) == ("of the second", 2)


@pytest.mark.parametrize("keep_data", [True, False])
def test_neither_deletion_nor_adoption_leaves_an_export(
    keep_data: bool, second: int, alice: User, bob: User, root: User
) -> None:
    old_id, of_bob = alice.pk, kept_files.write_export(bob, bob.pk)
    written = [kept_files.write_export(alice, archive_id) for archive_id in (old_id, second)]
    delete_account(old_id, keep_data=keep_data, actor=COMMAND_LINE)
    assert [path.exists() for path in written] == [keep_data] * 2
    if keep_data:
        adopt_archive(old_id, bob)
    assert [path for path in settings.DATA_FOLDER.exports.rglob("*") if path.is_file()] == [of_bob]


def test_exports_with_the_name_of_another_account_go_after_a_restore(second: int, alice: User, bob: User) -> None:
    own, others = (kept_files.write_export(user, second) for user in (alice, bob))
    kept_files.remove_exports_of_others()
    assert kept_files.exports_of(second) == [own]
    User.objects.filter(pk=alice.pk).delete()
    kept_files.write_export(bob, second)
    kept_files.remove_exports_of_others()
    assert sorted(kept_files.exports_of(second)) == [own, others]


def test_exports_are_those_of_one_archive(second: int, alice: User, bob: User, api_of: ApiOf) -> None:
    path = kept_files.write_export(alice, second)
    lines = path.read_bytes().splitlines()
    assert (path.parent.name, path.name[: len("usage-alice-")], len(lines)) == (str(second), "usage-alice-", 3)
    assert [one.name for one in kept_files.newest_first(second)] == [path.name]
    assert kept_files.find_export(second, path.name) == path
    for user in (alice, bob):
        assert kept_files.find_export(user.pk, path.name) is None
        assert api_of(user).get(f"/exports/{path.name}").status_code == 404


def test_a_recount_repairs_each(second: int, alice: User) -> None:
    DayTotal.objects.filter(archive_id=second).update(calls=99)
    said = str(maintenance_actions.recount(alice, alice.pk, {}))
    assert said.startswith("5 records; ")
    assert sum(DayTotal.objects.filter(archive_id=second).values_list("calls", flat=True)) == 2
    assert str(maintenance_actions.recount(alice, alice.pk, {})) == "5 records."
    assert str(maintenance_actions.recount(alice, second, {})) == "2 records."


@pytest.mark.engine
def test_the_migration_makes_one_for_each_account_and_each_id_that_was_kept(alice: User, bob: User) -> None:
    """None for an id whose archive was adopted: nothing is kept under it any more."""
    carol = make_user("carol")
    for user in (bob, carol):
        give_everything(user)
        delete_account(user.pk, keep_data=True, actor=COMMAND_LINE)
    adopt_archive(carol.pk, alice)
    Archive.objects.all().delete()
    import_module("accounts.migrations.0011_archives").fill(apps, connection.schema_editor())
    assert set(Archive.objects.values_list("pk", "user_id")) == {(alice.pk, alice.pk), (bob.pk, bob.pk)}


@pytest.mark.parametrize("kept", ["a setting", "a budget", "a run", "a record"])
def test_the_migration_makes_one_for_what_can_be_adopted(kept: str, alice: User, root: User) -> None:
    old_id = 777
    if kept == "a setting":
        Setting.objects.create(user_id=old_id, key="user_agent", value="Mozilla", updated_at=clock.now())
    elif kept == "a budget":
        stored_budgets.create(old_id, {"period": "month", "credits": 100})
    elif kept == "a run":
        Run.objects.create(archive_id=old_id, trigger="manual", status="ok", created_at=clock.now())
    else:
        archive(old_id, call("r1"))
    Archive.objects.all().delete()
    import_module("accounts.migrations.0011_archives").fill(apps, connection.schema_editor())
    is_made = Archive.objects.filter(pk=old_id).exists()
    assert is_made is (kept != "a setting")
    with nullcontext() if is_made else pytest.raises(ValidationError, match="Nothing is kept"):
        adopt_archive(old_id, alice)
