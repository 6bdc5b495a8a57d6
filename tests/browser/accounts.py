"""Accounts and sessions of an instance, written into its store: through its forms they took most of a test's time.

Each password costs a hash that is slow on purpose, and nothing that most tests look at. Tests of signing in and of
creating accounts go through the forms.
"""

from datetime import UTC, datetime, timedelta
from time import time
from typing import Any

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.middleware.csrf import _get_new_csrf_string
from django.test import override_settings
from django.utils.crypto import get_random_string
from playwright.sync_api import BrowserContext

from accounts.models import User, username_key
from accounts.session_stores.session_store import SessionStore
from accounts.signin.reauthentication import note_password
from accounts.signin.sessions import note_beginning
from tests.browser.running_instance import Instance
from tests.browser.settled import quiet

ADMIN = "root"
# The one that tests change the shared password to.
NEW_PASSWORD = "another Horse 8"
AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0 Safari/537.36"
AGE = timedelta(days=7)


def make_account(instance: Instance, name: str, is_admin: bool = False) -> int:
    """A new account with the shared password, beside the administrator; its id."""
    # The hash is the administrator's: the instance would replace one that it had not made itself.
    [(password,)] = instance.sql("SELECT password FROM accounts_user WHERE username = ?", ADMIN)
    [(made,)] = instance.sql(
        "INSERT INTO accounts_user (username, username_key, display_name, password, is_admin, status, created_at,"
        " login_count, session_version) VALUES (?, ?, ?, ?, ?, 'active', ?, 0, 1) RETURNING id",
        name, username_key(name), name, password, is_admin, _text(datetime.now(UTC)),
    )  # fmt: skip
    instance.sql(
        "INSERT INTO accounts_archive (id, user_id, kind, label, unit)"
        " VALUES (?, ?, 'codebuddy', 'CodeBuddy', 'credits')",
        made, made,
    )  # fmt: skip
    return int(made)


def enter(context: BrowserContext, instance: Instance, name: str = ADMIN) -> None:
    """Let the account be signed in here, with a session of its own, and nobody else."""
    leave(context, instance)
    key, token = get_random_string(32), _get_new_csrf_string()
    user_id, content = _session_of(instance, name)
    instance.sql(
        "INSERT INTO accounts_session (session_key, session_data, expire_date, user_id) VALUES (?, ?, ?, ?)",
        key, content, _text(datetime.now(UTC) + AGE), user_id,
    )  # fmt: skip
    values = {settings.SESSION_COOKIE_NAME: key, settings.CSRF_COOKIE_NAME: token}
    rest: Any = {"url": instance.url, "httpOnly": True, "sameSite": "Lax", "expires": time() + AGE.total_seconds()}
    cookies: list[Any] = [{"name": cookie, "value": value, **rest} for cookie, value in values.items()]
    context.add_cookies(cookies)


def forget_passwords(instance: Instance) -> None:
    """Let it be long ago that anybody who is signed in gave the password, and a second factor."""
    store = SessionStore()
    with override_settings(SECRET_KEY=instance.secret_key):
        for key, content in instance.sql(
            "SELECT session_key, session_data FROM accounts_session WHERE user_id IS NOT NULL"
        ):
            older = store.encode({**store.decode(content), "password_given_at": 1, "second_factor_given_at": 1})
            instance.sql("UPDATE accounts_session SET session_data = ? WHERE session_key = ?", older, key)
    # Where Redis counts, it has copies of sessions.
    instance.forget_counts()


def leave(context: BrowserContext, instance: Instance) -> None:
    """End the session whose cookie is here, and forget all cookies, once no page asks for anything with it."""
    for page in context.pages:
        quiet(page)
    for cookie in context.cookies():
        if cookie.get("name") == settings.SESSION_COOKIE_NAME:
            instance.sql("DELETE FROM accounts_session WHERE session_key = ?", cookie.get("value"))
    context.clear_cookies()


def _session_of(instance: Instance, name: str) -> tuple[int, str]:
    """The account's id, and what a session says that has just begun, signed with the instance's key."""
    [(user_id, password, version)] = instance.sql(
        "SELECT id, password, session_version FROM accounts_user WHERE username_key = ?", username_key(name)
    )
    session = SessionStore()
    with override_settings(SECRET_KEY=instance.secret_key):
        session[SESSION_KEY] = str(user_id)
        session[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
        session[HASH_SESSION_KEY] = User(password=password, session_version=version).get_session_auth_hash()
        note_password(session)
        note_beginning(session, "127.0.0.1", AGENT)
        return user_id, session.encode(dict(session.items()))


def _text(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S.%f}"
