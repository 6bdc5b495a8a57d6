"""Secrets are redacted in messages, arguments and tracebacks: docs/decisions/audit.md#redaction."""

import io
import json
import logging
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.conf import settings

from audit.known_secrets import MASK, guard
from audit.log import record
from audit.models import Entry
from audit.redaction import JsonFormatter, RedactingFormatter, redacted

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


# Lines of JSON


def as_json(text: str, *arguments: object, **more: Any) -> dict[str, Any]:
    record = logging.LogRecord("tests.redaction", logging.ERROR, __file__, 1, text, arguments, more.get("exc_info"))
    line = JsonFormatter().format(record)
    assert "\n" not in line
    return dict(json.loads(line))


def test_a_line_of_json_has_its_fields() -> None:
    found = as_json("page %s of %s, “quoted” and\nbroken", 3, 7)
    assert (found["level"], found["logger"]) == ("ERROR", "tests.redaction")
    assert found["message"] == "page 3 of 7, “quoted” and\nbroken"
    assert abs(datetime.fromisoformat(found["time"]) - datetime.now(UTC)) < timedelta(minutes=1)


# Escaped for JSON, the quotes in such a value would hide it from the patterns and from the comparison.
@pytest.mark.parametrize("cookie", [f'a="{MARKER} b"; c={MARKER}', f"session={MARKER}"])
def test_a_secret_is_masked_before_a_line_becomes_json(cookie: str) -> None:
    assert as_json("sent %s", {"Cookie": cookie})["message"] == f"sent {{'Cookie': {MASK}}}"


def test_a_known_cookie_with_quotes_is_masked_in_json() -> None:
    cookie = 'sid="q8Zr2Lw0Xc7Vb5"'
    guard(cookie, account=ACCOUNT)
    message = as_json(f"the upstream said: <{cookie}>")["message"]
    assert message == f"the upstream said: <{MASK}>"


def test_a_traceback_is_masked_and_stands_in_the_message() -> None:
    try:
        raise ValueError(f"password={MARKER}")
    except ValueError:
        message = as_json("failed", exc_info=sys.exc_info())["message"]
    assert message.startswith("failed\nTraceback")
    assert MARKER not in message
