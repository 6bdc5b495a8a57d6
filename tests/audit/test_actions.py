"""A change and its audit entry share one transaction: docs/decisions/audit.md#one-transaction-with-the-change."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection

from accounts.models import Setting, Store, User
from accounts.signin.first_run import create_first_admin, issue_token
from accounts.store_identity import open_store
from archive_site.lib import clock
from archive_site.lib.storage import engine
from archive_site.lib.stored_message import Message
from audit.models import Entry
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import API, OK, RunOutcome
from tests.accounts.page_forms import instance, register
from tests.factories import PASSWORD, ApiClient, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
NEW = "another Horse 8"
Change = Callable[[User], object]


def api(path: str, **body: Any) -> Change:
    """A POST by the administrator; `{}` stands for the id of another account."""

    def send(admin: User) -> object:
        return ApiClient.signed_in(admin).post(f"/api/{path.format(User.objects.get(username='other').pk)}", body)

    return send


def finish(outcome: RunOutcome) -> Change:
    def end(admin: User) -> object:
        run = Run.objects.get(archive_id=admin.pk)
        return runs.finish(run, outcome, Message("stopped"), runs.Journal(run.pk), actor=admin.username)

    return end


def sign_in(admin: User) -> object:
    visitor = ApiClient()
    fields = {"username": admin.username, "password": PASSWORD, "_csrf": visitor.token}
    return visitor.client.post("/login", fields)


def make_first(admin: User) -> object:
    token = issue_token()
    assert token
    return create_first_admin(token, "ada", PASSWORD, PASSWORD)


def register_carol(admin: User) -> object:
    return register(ApiClient(), "carol")


def command(*arguments: str) -> Change:
    return lambda admin: call_command(*arguments)


CHANGES: dict[str, tuple[str, Change]] = {
    "settings": ("settings", api("settings", timeout="60")),
    "some settings": ("settings_rejected", api("settings", timeout="60", page_size="none")),
    "settings by command": ("settings", command("config", "set", "timeout", "60")),
    "password": ("password", api("password", old=PASSWORD, new=NEW, new2=NEW)),
    "profile": ("profile", api("profile", display_name="Somebody")),
    "new account": ("user_create", api("users", username="carol", password=NEW, password2=NEW)),
    "account": ("user_update", api("users/{}", status="disabled")),
    "deleted account": ("user_delete", api("users/{}/delete", keep_data=True)),
    "registration": ("register", register_carol),
    "sign-in": ("login", sign_in),
    "collection": ("collect", finish(OK)),
    "failed collection": ("collect_failed", finish(API)),
}  # fmt: skip


def kept() -> list[Any]:
    """The data that the changes need."""
    return [list(model.objects.values()) for model in (User, Setting, Run, Store)]


@pytest.fixture
def admin(root: User) -> User:
    """An administrator with a run under way, beside another account."""
    make_user("other")
    instance(allow_register="1")
    now = clock.now()
    Run.objects.create(archive_id=root.pk, trigger="manual", status="running", created_at=now, started_at=now)
    return root


_FULL = (
    ("CREATE TEMP TRIGGER full_log BEFORE INSERT ON main.audit_entry BEGIN SELECT RAISE(ABORT, 'full'); END",)
    if engine.IS_SQLITE
    else (
        "CREATE FUNCTION full_log() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE unique_violation; END $$",
        "CREATE TRIGGER full_log BEFORE INSERT ON audit_entry EXECUTE FUNCTION full_log()",
    )
)


@pytest.fixture
def full_log() -> None:
    """Writing an audit entry fails."""
    with connection.cursor() as cursor:
        for statement in _FULL:
            cursor.execute(statement)


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_has_its_entry(name: str, admin: User) -> None:
    action, change = CHANGES[name]
    before = kept()
    change(admin)
    written = list(Entry.objects.order_by("pk").values_list("action", flat=True))
    # Registration signs the new account in.
    assert written == ([action, "login"] if action == "register" else [action])
    assert kept() != before


@pytest.mark.parametrize("name", CHANGES)
def test_without_its_entry_nothing_is_changed(name: str, admin: User, full_log: None) -> None:
    _, change = CHANGES[name]
    before = kept()
    try:
        response = change(admin)
    except (DatabaseError, CommandError):
        pass
    else:
        assert getattr(response, "status_code", None) == 500
    assert kept() == before


def test_the_first_administrator_is_made_with_an_entry_or_not_at_all(db: None) -> None:
    open_store()
    make_first(User())
    assert Entry.objects.get().action == "first_run"


@pytest.mark.engine
def test_without_an_entry_the_first_run_link_stays_good(full_log: None) -> None:
    open_store()
    with pytest.raises(DatabaseError):
        make_first(User())
    assert not User.objects.exists()
    assert Store.objects.get().first_run_token
