"""Restoring: sessions end, and work under way stops (docs/api.md#restore-a-backup)."""

import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.http import HttpRequest, HttpResponse
from django_q.models import OrmQ, Schedule, Task

from accounts.actor import Actor
from accounts.api_types import Invited
from accounts.models import ApiToken, Captcha, Invitation, Passkey, Session, Store
from accounts.second_factor import recovery
from accounts.signin import device_cookie, invitations
from accounts.tokens import token_text
from accounts.tokens.token_text import hash_of
from backups import automatic
from collection.models import Heartbeat, ImportProgress, Lease, Run
from collection.runs import lease
from tests.backups.backup_files import alter, made_store, pack_store
from tests.backups.filled_instance import backed_up, restored, user
from tests.factories import ApiClient
from tests.tokens import TokenClient, make_token
from usage.models import MonthHours, MonthSums

pytestmark = pytest.mark.django_db(transaction=True)
NOW = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


def test_every_session_ends(backup: Path) -> None:
    before = ApiClient.signed_in(user("alice"))
    assert before.get("/api/status").status_code == 200
    restored(backup)
    assert (before.get("/api/status").status_code, Session.objects.count()) == (401, 0)


def test_every_device_cookie_dies(backup: Path) -> None:
    answer = HttpResponse()
    device_cookie.remember(answer, user("alice"))
    request = HttpRequest()
    request.COOKIES = {name: cookie.value for name, cookie in answer.cookies.items()}
    assert device_cookie.device_of(request, "alice")
    restored(backup)
    assert not device_cookie.device_of(request, "alice")


def test_a_session_of_the_archive_is_no_key_to_it(settled: None) -> None:
    old = ApiClient.signed_in(user("root"))
    path = backed_up()
    restored(path)
    assert old.get("/api/users").status_code == 401


def test_the_queue_captchas_lease_and_first_run_of_the_past_are_gone(settled: None) -> None:
    OrmQ.objects.create(key="archive", payload="x", lock=NOW)
    Task.objects.create(id="0" * 32, name="t", func="f", started=NOW, stopped=NOW, success=True)
    Captcha.objects.create(id="c", purpose="login", answer_hash="h", expires_at=NOW + timedelta(days=9999))
    Store.objects.update(first_run_token="t" * 64)
    path = backed_up()
    Task.objects.all().delete()
    Lease.objects.update(token="")
    restored(path)
    assert [model.objects.count() for model in (OrmQ, Task, Captcha)] == [0, 0, 0]
    assert Store.objects.get().first_run_token == ""
    assert lease.take()


def test_no_invitation_outlives_a_restore(settled: None) -> None:
    root = Actor("root", user("root").pk)
    before = invitations.create(Invited(), root).token
    path = backed_up()
    after = invitations.create(Invited(), root).token
    restored(path)
    assert (invitations.find(before), invitations.find(after), Invitation.objects.count()) == (None, None, 0)


@pytest.mark.thorough
def test_an_invitation_that_somebody_put_into_a_backup_is_dropped(settled: None, tmp_path: Path) -> None:
    store = made_store(tmp_path / "forged.sqlite3")
    alter(store, _AN_INVITATION)
    restored(pack_store(tmp_path / "forged.zip", store))
    assert (invitations.find("guessed"), Invitation.objects.count()) == (None, 0)


_AN_INVITATION = f"""
    INSERT INTO accounts_invitation (token_hash, username, display_name, created_by, created_at, expires_at)
    VALUES ('{hash_of("guessed")}', '', '', 1, '2026-09-08 10:00:00', '9000-01-01 00:00:00')
"""


def test_no_token_outlives_a_restore(settled: None) -> None:
    before = TokenClient.of(user("alice"))
    path = backed_up()
    after = TokenClient.of(user("alice"))
    assert [one.get("/api/status").status_code for one in (before, after)] == [200, 200]
    restored(path)
    assert [one.get("/api/status").status_code for one in (before, after)] == [401, 401]
    assert ApiToken.objects.count() == 0


def test_second_factors_are_those_of_the_backup(settled: None) -> None:
    alice = user("alice")
    [code, *_] = recovery.renew(alice.pk)
    passkey = Passkey.objects.create(user=alice, name="Laptop", credential_id="lost", public_key="")
    path = backed_up()
    assert recovery.use(alice.pk, code)
    passkey.delete()
    restored(path)
    assert Passkey.objects.get().credential_id == "lost"
    assert recovery.use(alice.pk, code)


def test_a_token_that_somebody_put_into_a_backup_is_dropped(settled: None, tmp_path: Path) -> None:
    text = token_text.new_text()
    store = made_store(tmp_path / "forged.sqlite3")
    alter(
        store,
        "INSERT INTO accounts_apitoken (user_id, name, scopes, beginning, token_hash, created_at) "
        f"VALUES (1, 'cron', 'read', 'ua_', '{hash_of(text)}', '2026-09-08 10:00:00')",
    )
    restored(pack_store(tmp_path / "forged.zip", store))
    assert (TokenClient(text).get("/api/status").status_code, ApiToken.objects.count()) == (401, 0)


def test_a_backup_has_no_token(settled: None) -> None:
    token, text = make_token(user("alice"))
    with zipfile.ZipFile(backed_up()) as archive:
        packed = b"".join(archive.read(name) for name in archive.namelist())
    assert [part for part in (text, token.token_hash, token.beginning) if part.encode() in packed] == []


def test_the_rollups_of_months_in_a_backup_are_dropped(settled: None) -> None:
    # Answers are made from their JSON, and anybody may have written it.
    MonthSums.objects.create(archive_id=1, month="2026-01", sums="forged", sums_of_purposes="forged")
    MonthHours.objects.create(archive_id=1, month="2026-01", dimension="model", name="glm", days="forged")
    restored(backed_up())
    assert [model.objects.count() for model in (MonthSums, MonthHours)] == [0, 0]


def test_a_lease_that_was_held_when_the_backup_was_made_is_free(settled: None) -> None:
    token = lease.take_or_refuse()
    path = backed_up()
    lease.release(token)
    restored(path)
    held = Lease.objects.get()
    assert (held.token, held.holder, held.run_id, held.expires_at) == ("", "", None, None)


@pytest.mark.parametrize("status", ["queued", "running"])
def test_runs_that_were_under_way_are_interrupted(status: str, settled: None) -> None:
    run = Run.objects.create(archive_id=2, trigger="manual", status=status, created_at=NOW, stored_detail="before\n")
    path = backed_up()
    Run.objects.all().delete()
    restored(path)
    run.refresh_from_db()
    assert (run.status, run.exit_code, run.finished_at is not None) == ("interrupted", 6, True)
    # The owner of the run learns of no backup.
    assert run.message == "Interrupted. The next run completes it."
    assert run.detail.startswith("before\n20")
    assert run.message in run.detail
    assert list(Run.objects.order_by("pk").values_list("status", flat=True)) == ["ok", "interrupted"]


def test_an_import_that_was_under_way_has_to_be_begun_again(settled: None) -> None:
    run = Run.objects.create(archive_id=2, kind="import", trigger="manual", status="running", created_at=NOW)
    ImportProgress.objects.create(run=run, folder="of the time of the backup", stored=7)
    path = backed_up()
    restored(path)
    run.refresh_from_db()
    assert (run.status, ImportProgress.objects.count()) == ("interrupted", 0)
    assert "import the file again for the rest" in run.message


def test_schedules_and_the_workers_heartbeat_stay_as_they_are(settled: None) -> None:
    Schedule.objects.create(name="old", func="old.task")
    Heartbeat.objects.create(name="scheduler", at=NOW)
    path = backed_up()
    Schedule.objects.all().delete()
    Schedule.objects.create(name="tick", func="collection.tasks.tick", next_run=NOW)
    Heartbeat.objects.update(at=NOW + timedelta(hours=1))
    before = (list(Schedule.objects.values()), list(Heartbeat.objects.values()))
    restored(path)
    assert (list(Schedule.objects.values()), list(Heartbeat.objects.values())) == before


@pytest.mark.thorough
def test_the_queues_results_stay_as_they_are(settled: None) -> None:
    path = backed_up()
    Task.objects.create(id="0" * 32, name="t", func="f", started=NOW, stopped=NOW, success=True)
    before = list(Task.objects.values())
    restored(path)
    assert list(Task.objects.values()) == before


def test_when_the_last_automatic_backup_was_made_stays_as_it_is(settled: None) -> None:
    """`last_auto` belongs to the instance: restoring an older backup does not change it."""
    automatic.remember(NOW - timedelta(days=9))
    path = backed_up()
    automatic.remember(NOW - timedelta(days=1))
    restored(path)
    assert automatic.last_auto() == NOW - timedelta(days=1)


def test_the_store_is_another_one_each_time(backup: Path) -> None:
    ids: set[UUID] = {Store.objects.get().store_id}
    for _ in range(2):
        restored(backup)
        ids.add(Store.objects.get().store_id)
    assert len(ids) == 3


def test_what_was_answered_before_is_no_answer_now(backup: Path) -> None:
    visitor = ApiClient.signed_in(user("alice"))
    tag = visitor.get("/api/summary").headers["ETag"]
    restored(backup)
    again = ApiClient.signed_in(user("alice")).client.get("/api/summary", headers={"If-None-Match": tag})
    assert again.status_code == 200
