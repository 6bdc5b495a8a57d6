"""Signing in while the disk is full (docs/decisions/store.md#a-full-disk)."""

from uuid import uuid4

import pytest
from django.conf import settings
from django.contrib.sessions.backends.base import UpdateError
from django.core.cache import caches

from accounts.actor import Actor
from accounts.models import Captcha, Session, Store, User
from accounts.session_stores import spare_sessions
from accounts.signin import captcha, sessions
from accounts.store_identity import open_store
from archive_site.lib import seldom_log
from audit.models import Entry
from tests.accounts.page_forms import ANSWER, sign_in
from tests.archive_site.api_answers import refusal
from tests.archive_site.locked_store import nothing_fits
from tests.factories import ApiClient

pytestmark = [pytest.mark.sqlite_only, pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("stored_alice")]


@pytest.fixture
def stored_alice(transactional_db: None, alice: User, monkeypatch: pytest.MonkeyPatch) -> User:
    monkeypatch.setattr(seldom_log, "_last", {})
    monkeypatch.setattr(captcha, "random_answer", lambda length: ANSWER)
    open_store()
    return alice


@pytest.fixture
def inside(anonymous: ApiClient) -> ApiClient:
    """Somebody who signed in while the disk was full, after which it has room."""
    with nothing_fits():
        assert anonymous.get("/captcha.png").status_code == 200
        assert sign_in(anonymous, captcha=ANSWER).status_code == 302
    assert not Session.objects.exists()
    anonymous.token = anonymous.client.cookies[settings.CSRF_COOKIE_NAME].value
    return anonymous


def test_the_page_the_picture_and_the_sign_in_work(anonymous: ApiClient) -> None:
    with nothing_fits():
        assert anonymous.get("/login").status_code == 200
        assert anonymous.get("/captcha.png").headers["Content-Type"] == "image/png"
        assert sign_in(anonymous, captcha=ANSWER).status_code == 302
        for path in ("/", "/records", "/api/records", "/api/summary", "/api/status"):
            assert anonymous.get(path).status_code == 200, path
    assert not Captcha.objects.exists()


def test_what_is_written_then_is_507(anonymous: ApiClient) -> None:
    with nothing_fits():
        anonymous.get("/captcha.png")
        sign_in(anonymous, captcha=ANSWER)
        anonymous.token = anonymous.client.cookies[settings.CSRF_COOKIE_NAME].value
        assert refusal(anonymous.post("/api/settings", {"cookie": "session=abc"})) == (507, "no_space")


def test_a_wrong_password_and_a_wrong_captcha_are_refused_as_always(anonymous: ApiClient) -> None:
    with nothing_fits():
        anonymous.get("/captcha.png")
        assert sign_in(anonymous, password="wrong", captcha=ANSWER).status_code == 400
        anonymous.get("/captcha.png")
        assert sign_in(anonymous, captcha="wrong").status_code == 400
        assert anonymous.get("/api/summary").status_code == 401


def test_a_captcha_is_used_up_by_one_check(anonymous: ApiClient) -> None:
    with nothing_fits():
        anonymous.get("/captcha.png")
        assert sign_in(anonymous, password="wrong", captcha=ANSWER).status_code == 400
        assert sign_in(anonymous, captcha=ANSWER).status_code == 400


def test_a_captcha_for_registering_signs_nobody_in(anonymous: ApiClient) -> None:
    with nothing_fits():
        anonymous.get("/captcha.png?purpose=register")
        assert sign_in(anonymous, captcha=ANSWER).status_code == 400


def test_a_visitor_from_before_the_disk_was_full_signs_in(anonymous: ApiClient) -> None:
    anonymous.get("/captcha.png")
    assert Session.objects.exists()
    with nothing_fits():
        anonymous.get("/captcha.png")
        assert sign_in(anonymous, captcha=ANSWER).status_code == 302
        assert anonymous.get("/api/summary").status_code == 200


def test_the_log_has_the_sign_in_that_the_audit_lacks(
    anonymous: ApiClient, alice: User, caplog: pytest.LogCaptureFixture
) -> None:
    with nothing_fits():
        anonymous.get("/captcha.png")
        sign_in(anonymous, captcha=ANSWER)
    assert not Entry.objects.filter(action="login").exists()
    lines = [line.getMessage() for line in caplog.records]
    assert f"the disk is full, and the audit lacks login by account {alice.pk} (alice) at 127.0.0.1" in lines


def test_the_session_moves_to_the_store_once_that_has_room(inside: ApiClient, alice: User) -> None:
    assert inside.get("/api/summary").status_code == 200
    assert list(Session.objects.values_list("user_id", flat=True)) == [alice.pk]
    caches["spare"].clear()
    assert inside.get("/api/summary").status_code == 200


def test_signing_out_ends_it(inside: ApiClient) -> None:
    assert inside.client.post("/logout", {"_csrf": inside.token}).status_code == 302
    assert inside.get("/api/summary").status_code == 401
    assert not Session.objects.filter(user_id__isnull=False).exists()


def test_signing_out_elsewhere_ends_it(inside: ApiClient, alice: User) -> None:
    sessions.end_others(alice, None, Actor("alice", alice.pk))
    assert inside.get("/api/summary").status_code == 401


def test_a_new_password_ends_it(inside: ApiClient, alice: User) -> None:
    alice.set_password("another Horse 8")
    alice.save()
    assert inside.get("/api/summary").status_code == 401


def test_a_restore_ends_it(inside: ApiClient) -> None:
    Store.objects.update(store_id=uuid4())
    assert inside.get("/api/summary").status_code == 401


def test_a_session_that_was_ended_does_not_come_back(inside: ApiClient, alice: User) -> None:
    assert inside.get("/api/summary").status_code == 200
    session = Session.objects.get()
    store = session.get_session_store_class()(session.pk)
    store["seen"] = 1
    Session.objects.all().delete()
    with nothing_fits(), pytest.raises(UpdateError):
        store.save()
    assert spare_sessions.read(session.pk) is None


def test_a_session_from_before_goes_on_with_what_changed_in_it(alice: User) -> None:
    visitor = ApiClient.signed_in(alice)
    with nothing_fits():
        session = visitor.client.session
        session["seen"] = 1
        session.save()
        assert visitor.get("/api/summary").status_code == 200
    assert visitor.get("/api/summary").status_code == 200
    assert Session.objects.get().get_decoded()["seen"] == 1


def test_a_session_of_the_store_is_not_ended_where_that_cannot_be_written(alice: User) -> None:
    visitor = ApiClient.signed_in(alice)
    with nothing_fits():
        assert visitor.client.post("/logout", {"_csrf": visitor.token}).status_code == 507
