"""Asking for the password again: docs/api.md#enter-the-password-again."""

from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as configured
from django.urls import reverse

from accounts.models import Setting, User, Webhook
from accounts.signin.reauthentication import is_needed, note_password
from accounts.signin.throttling import count_try
from audit.models import Entry
from tests.accounts.page_forms import answer_of, page, post, sign_in
from tests.accounts.users_api import NEW
from tests.accounts.webhooks.hooks import make_webhook
from tests.concurrency import together
from tests.factories import PASSWORD, ApiClient
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
WRONG_PASSWORD = "wrong Horse 7"
NEW_PASSWORD = "another Horse 8"
BACKUP = "backup-20260908-120000-manual.zip"
PROTECTED = [
    ("/api/users", NEW),
    ("/api/users/{id}", {"display_name": "A"}),
    ("/api/users/{id}/delete", {}),
    ("/api/password", {"old": PASSWORD, "new": NEW_PASSWORD, "new2": NEW_PASSWORD}),
    ("/api/settings", {"timeout": "77"}),
    (f"/api/backups/{BACKUP}/restore", {}),
    (f"/api/backups/{BACKUP}/delete", {}),
    ("/api/backups/prune", {}),
    ("/api/backups", {"note": "mine"}),
    ("/api/webhooks", {"address": "https://127.0.0.1:9/hook"}),
    ("/api/webhooks/1", {"events": ["notice"]}),
    ("/api/webhooks/1/delete", {}),
    ("/api/notices", {"add": "json://127.0.0.1:9"}),
    ("/api/notices", {"addresses": [], "quiet_from": "22:00", "quiet_to": "07:00"}),
]
ABSENT = (f"/api/backups/{BACKUP}", "/api/webhooks/1")
FREE = [
    ("/api/profile", {"display_name": "A"}),
    ("/api/settings", {"user_agent": "A"}),
    ("/api/notices", {"quiet_from": "22:00", "quiet_to": "07:00", "events": {"spike": False}}),
]


@pytest.fixture(autouse=True)
def minutes(settings: Any) -> None:
    settings.REAUTHENTICATE_MINUTES = 5
    settings.NOTIFY_PRIVATE = True


@pytest.fixture
def stale(root: User) -> ApiClient:
    """An administrator whose session has no recent password."""
    return ApiClient.signed_in(root)


def give(visitor: ApiClient, password: str = PASSWORD) -> Any:
    return visitor.post("/api/reauthenticate", {"password": password})


def signed_in(name: str = "root") -> ApiClient:
    visitor = ApiClient()
    assert sign_in(visitor, name).status_code == 302
    visitor.token = visitor.client.cookies[configured.CSRF_COOKIE_NAME].value
    return visitor


def code(response: Any) -> tuple[int, str]:
    return response.status_code, answer_of(response).get("error", "")


@pytest.mark.parametrize(("path", "body"), PROTECTED)
def test_a_protected_change_asks_and_does_nothing(
    path: str, body: dict[str, str], stale: ApiClient, root: User, alice: User
) -> None:
    before = [*User.objects.values(), *Setting.objects.values()]
    assert code(stale.post(path.format(id=alice.pk), body)) == (403, "reauthenticate")
    assert [*User.objects.values(), *Setting.objects.values()] == before
    assert not Entry.objects.exists()


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize(("path", "body"), PROTECTED)
def test_with_the_password_it_goes_on(path: str, body: dict[str, str], stale: ApiClient, alice: User) -> None:
    assert give(stale).status_code == 200
    response = stale.post(path.format(id=alice.pk), body)
    assert response.status_code == (404 if path.startswith(ABSENT) else 200)


@pytest.mark.parametrize(("path", "body"), PROTECTED)
def test_by_default_nothing_asks(path: str, body: dict[str, str], stale: ApiClient, alice: User, settings: Any) -> None:
    settings.REAUTHENTICATE_MINUTES = 0
    assert code(stale.post(path.format(id=alice.pk), body))[1] != "reauthenticate"


@pytest.mark.parametrize(("path", "body"), FREE)
def test_other_changes_do_not_ask(path: str, body: dict[str, str], stale: ApiClient) -> None:
    assert stale.post(path, body).status_code == 200


@pytest.mark.parametrize("change", [{"remove": "x"}, {"addresses": ["x"]}, {"add": None}])
def test_each_change_of_where_notices_go_asks(change: dict[str, Any], alice: User) -> None:
    assert code(ApiClient.signed_in(alice).post("/api/notices", change)) == (403, "reauthenticate")


def test_nothing_is_left_of_a_webhook_that_was_not_allowed(alice: User) -> None:
    webhook, _ = make_webhook(alice)
    api = ApiClient.signed_in(alice)
    assert code(api.post(f"/api/webhooks/{webhook.pk}/delete")) == (403, "reauthenticate")
    assert code(api.post("/api/webhooks", {"address": "https://127.0.0.1:9/"})) == (403, "reauthenticate")
    assert Webhook.objects.get() == webhook


def test_the_list_of_accounts_does_not_ask(stale: ApiClient) -> None:
    assert stale.get("/api/users").status_code == 200


def test_a_sign_in_counts(root: User) -> None:
    assert signed_in().post("/api/users", NEW).status_code == 200


def test_it_asks_again_when_the_time_is_over(root: User, time: SetClock) -> None:
    visitor = signed_in()
    time.pass_by(minutes=4, seconds=58)
    assert visitor.post("/api/settings", {"timeout": "77"}).status_code == 200
    time.pass_by(seconds=3)
    assert code(visitor.post("/api/settings", {"timeout": "78"})) == (403, "reauthenticate")


def test_a_password_given_in_the_future_does_not_count(time: SetClock) -> None:
    session: Any = {}
    note_password(session)
    assert not is_needed(session)
    time.pass_by(days=-1)
    assert is_needed(session)


# Other checks come first.


def test_an_anonymous_visitor_is_401(anonymous: ApiClient) -> None:
    assert code(anonymous.post("/api/users", NEW)) == (401, "unauthorized")
    assert code(give(anonymous)) == (401, "unauthorized")


def test_an_ordinary_account_is_403_forbidden(alice: User) -> None:
    assert code(ApiClient.signed_in(alice).post("/api/users", NEW)) == (403, "forbidden")


def test_another_method_is_405(stale: ApiClient) -> None:
    assert stale.get(f"/api/backups/{BACKUP}/restore").status_code == 405


def test_instance_settings_of_an_ordinary_account_are_refused_as_ever(alice: User) -> None:
    assert code(ApiClient.signed_in(alice).post("/api/settings", {"timeout": "77"})) == (400, "invalid")


# Giving the password


def test_a_wrong_password_is_400_and_audited(stale: ApiClient, root: User) -> None:
    response = give(stale, WRONG_PASSWORD)
    assert (response.status_code, set(answer_of(response))) == (400, {"ok", "message"})
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id) == ("reauthenticate_failed", "root", root.pk)
    assert entry.detail == "wrong password"
    assert code(stale.post("/api/users", NEW)) == (403, "reauthenticate")


@pytest.mark.parametrize("body", [{}, {"password": None}, {"password": ["x"]}, {"password": 7}])
def test_what_is_no_password_is_wrong(body: dict[str, Any], stale: ApiClient) -> None:
    assert stale.post("/api/reauthenticate", body).status_code == 400


def test_the_password_of_another_account_is_wrong(stale: ApiClient, alice: User) -> None:
    alice.set_password(NEW_PASSWORD)
    alice.save()
    assert give(stale, NEW_PASSWORD).status_code == 400


def test_the_password_counts_for_its_session_alone(stale: ApiClient, root: User) -> None:
    give(stale)
    assert code(ApiClient.signed_in(root).post("/api/users", NEW)) == (403, "reauthenticate")


def test_guesses_are_throttled_as_at_the_sign_in(stale: ApiClient) -> None:
    assert [give(stale, WRONG_PASSWORD).status_code for _ in range(11)] == [400] * 10 + [429]
    response = give(stale)
    assert code(response) == (429, "too_frequent")
    assert 1 <= int(response.headers["Retry-After"]) <= 900
    assert sign_in(ApiClient(), "root").status_code == 429


def test_failed_sign_ins_count_for_it_too(stale: ApiClient) -> None:
    for number in range(10):
        count_try("root", f"192.0.2.{number}")
    assert give(stale).status_code == 429


def test_a_known_device_has_tries_of_its_own(root: User) -> None:
    visitor = signed_in()
    for number in range(10):
        count_try("root", f"192.0.2.{number}")
    assert give(visitor).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_parallel_guesses_are_at_most_ten(root: User) -> None:
    visitors = [ApiClient.signed_in(root) for _ in range(14)]
    codes = together(*[lambda visitor=visitor: give(visitor, WRONG_PASSWORD).status_code for visitor in visitors])
    assert (codes.count(400), codes.count(429)) == (10, 4)


# Download of a backup


@pytest.fixture
def backup() -> Any:
    path = Path(configured.DATA_FOLDER.backups) / BACKUP
    path.write_bytes(b"zip")
    yield f"/api/backups/{BACKUP}"
    path.unlink()


def test_a_download_asks(backup: str, stale: ApiClient) -> None:
    assert code(stale.get(backup)) == (403, "reauthenticate")
    assert stale.client.head(backup).status_code == 403
    assert not Entry.objects.exists()


def test_with_the_password_it_is_downloaded(backup: str, stale: ApiClient) -> None:
    give(stale)
    assert b"".join(stale.get(backup).streaming_content) == b"zip"


def test_a_browser_is_led_to_the_form_and_back(backup: str, stale: ApiClient) -> None:
    response = stale.client.get(backup, headers={"Accept": "text/html,*/*"})
    assert response.headers["Location"].startswith("/reauthenticate?next=")
    form = stale.client.get(response.headers["Location"])
    assert f'name="next" value="{backup}"' in page(form)
    assert post(stale, "/reauthenticate", password=PASSWORD, next=backup).headers["Location"] == backup


# The page


def test_the_form_needs_a_session(anonymous: ApiClient) -> None:
    assert "/login" in anonymous.get("/reauthenticate").headers["Location"]
    assert "/login" in post(anonymous, "/reauthenticate", password=PASSWORD).headers["Location"]


def test_the_form_needs_the_token(stale: ApiClient) -> None:
    assert stale.client.post("/reauthenticate", {"password": PASSWORD}).status_code == 400


def test_the_form_refuses_a_wrong_password(stale: ApiClient) -> None:
    response = post(stale, "/reauthenticate", password=WRONG_PASSWORD)
    assert response.status_code == 400
    assert "The password is wrong." in page(response)
    assert WRONG_PASSWORD not in page(response)


def test_guesses_in_the_form_are_throttled(stale: ApiClient) -> None:
    codes = [post(stale, "/reauthenticate", password=WRONG_PASSWORD).status_code for _ in range(11)]
    assert codes == [400] * 10 + [429]
    assert "Retry-After" in post(stale, "/reauthenticate", password=PASSWORD).headers


@pytest.mark.parametrize("target", ["https://evil.example", "//evil.example", "javascript:alert(1)", ""])
def test_the_form_leads_to_this_origin_only(target: str, stale: ApiClient) -> None:
    assert post(stale, "/reauthenticate", password=PASSWORD, next=target).headers["Location"] == "/"


def test_pages_hold_the_dialog_only_where_it_is_asked_for(stale: ApiClient, settings: Any) -> None:
    assert 'id="password-again"' in page(stale.get("/records"))
    settings.REAUTHENTICATE_MINUTES = 0
    assert 'id="password-again"' not in page(stale.get("/records"))
    # A second factor is set up there.
    assert 'id="password-again"' in page(stale.get("/profile"))


# The admin site


def act(visitor: ApiClient, user: User) -> Any:
    path = reverse("admin:accounts_user_changelist")
    return post(visitor, path, action="disable", _selected_action=str(user.pk))


def test_an_action_of_the_admin_site_asks(stale: ApiClient, alice: User) -> None:
    assert act(stale, alice).headers["Location"].startswith("/reauthenticate?next=%2Fadmin")
    assert User.objects.get(pk=alice.pk).is_active


def test_with_the_password_the_action_is_done(stale: ApiClient, alice: User) -> None:
    give(stale)
    act(stale, alice)
    assert not User.objects.get(pk=alice.pk).is_active
