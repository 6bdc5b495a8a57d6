"""Secrets are redacted in messages, arguments and tracebacks: docs/decisions.md#redaction."""

import io
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings

from audit.known_secrets import MASK, guard
from audit.log import record
from audit.models import Entry
from audit.redaction import RedactingFormatter, redacted

MARKER = "marker-7f3a"
# No account of another test has this id.
ACCOUNT = 10**9


@pytest.fixture
def written() -> Iterator[tuple[logging.Logger, io.StringIO]]:
    """A logger and what its handler writes, formatted as the application's log is."""
    stream, log = io.StringIO(), logging.getLogger("tests.redaction")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(RedactingFormatter("%(name)s: %(message)s"))
    log.addHandler(handler)
    log.propagate = False
    yield log, stream
    log.removeHandler(handler)


@pytest.mark.parametrize(
    "text",
    [
        f"Cookie: session={MARKER}; session_2={MARKER}",
        f'Cookie: a="{MARKER}"; b={MARKER}',
        f"Set-Cookie: session={MARKER}; Path=/",
        f"{{'Cookie': 'session={MARKER}; b={MARKER}'}}",
        f'{{"cookie": "a=\\"{MARKER}\\"; b={MARKER}"}}',
        f"curl -H 'cookie: a={MARKER}; b={MARKER}' -b 'c={MARKER}'".replace(" -b", "\n-b").split("\n")[0],
        f"GET /?session={MARKER}",
        f"archive_session={MARKER}",
        f"archive_csrf={MARKER}",
        f"archive_device={MARKER}",
        f"username=ada&password={MARKER}&password2={MARKER}",
        f"{{'password': 'blanks in {MARKER}'}}",
        f'{{"password": "a quote \\" in {MARKER}"}}',
        f"password={MARKER}",
        f"token: {MARKER}",
        f"X-CSRF-Token: {MARKER}",
        f"csrfmiddlewaretoken={MARKER}",
        f"SECRET = '{MARKER}'",
        f"Authorization: Bearer {MARKER}",
        f"postgres://archive:{MARKER}@localhost/archive",
        f"GET /first-run/{MARKER} failed",
    ],
)
def test_what_looks_like_a_secret_is_masked(text: str) -> None:
    assert MARKER not in redacted(text)
    assert MASK in redacted(text)


def test_a_stored_cookie_is_masked_though_it_is_encrypted() -> None:
    token = Fernet(Fernet.generate_key()).encrypt(b"cookie").decode()
    assert redacted(f"value {token} end") == f"value {MASK} end"


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-09: page 3, 200 rows of 412, 180 new",
        "changed cookie, user_agent",
        "GET http://127.0.0.1:8000/api/records?q=a@b failed",
        "session_version 3",
        "The stored cookie cannot be read under this instance's key",
    ],
)
def test_what_holds_no_secret_stays_as_it_is(text: str) -> None:
    assert redacted(text) == text


def test_a_mask_ends_where_the_secret_does() -> None:
    assert redacted(f"password={MARKER}&page=3") == f"password={MASK}&page=3"
    assert redacted(f"Cookie: {MARKER}\nnext line") == f"Cookie: {MASK}\nnext line"


def test_a_secret_in_a_message_is_not_logged(written: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = written
    log.error(f"Cookie: {MARKER}")  # noqa: G004 - the message itself is at stake
    assert stream.getvalue() == f"tests.redaction: Cookie: {MASK}\n"


def test_a_secret_in_an_argument_is_not_logged(written: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = written
    log.error("sent %s to %s", {"Cookie": f"session={MARKER}"}, "upstream")
    assert MARKER not in stream.getvalue()
    assert "to upstream" in stream.getvalue()


def test_a_secret_in_a_traceback_is_not_logged(written: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = written
    try:
        try:
            raise ValueError(f"Cookie: {MARKER}")
        except ValueError as cause:
            raise RuntimeError(f"password={MARKER}") from cause
    except RuntimeError:
        log.exception("failed")
    assert (MARKER in stream.getvalue(), stream.getvalue().count("Traceback")) == (False, 2)


def test_a_known_secret_in_a_stack_is_not_logged(written: tuple[logging.Logger, io.StringIO]) -> None:
    log, stream = written
    guard(f"stack-{MARKER}", account=ACCOUNT)
    try:
        raise ValueError(f"stack-{MARKER}")
    except ValueError:
        log.error("failed", exc_info=True, stack_info=True)
    assert MARKER not in stream.getvalue().replace('f"stack-{MARKER}"', "")


def test_every_handler_of_the_application_redacts() -> None:
    logging_settings: Any = settings.LOGGING
    formatters = {handler["formatter"] for handler in logging_settings["handlers"].values()}
    kinds = {logging_settings["formatters"][name]["()"] for name in formatters}
    assert kinds == {"audit.redaction.RedactingFormatter"}


@pytest.mark.django_db
def test_an_audit_detail_is_masked() -> None:
    record("settings", actor="ada", user_id=1, detail=f"Cookie: {MARKER}")
    assert Entry.objects.get().detail == f"Cookie: {MASK}"


@pytest.mark.django_db
def test_an_audit_detail_is_cut_and_the_actor_too() -> None:
    record("settings", actor="a" * 100, user_id=1, detail="b" * 5000)
    entry = Entry.objects.get()
    assert (len(entry.actor), len(entry.detail)) == (64, 2000)
