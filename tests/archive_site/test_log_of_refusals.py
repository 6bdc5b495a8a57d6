"""What anonymous requests leave in the log: docs/decisions/accounts.md#anonymous-visitors-leave-little-behind."""

import logging
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import Client

from archive_site.lib.http.csrf import CsrfCheck
from archive_site.wsgi import application
from audit.known_secrets import MASK
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
MOST = 700
BOUNDARY = "b"
FORM = "application/x-www-form-urlencoded"
FORM_OF_PARTS = f"multipart/form-data; boundary={BOUNDARY}"
Send = Callable[[Client], Any]


def part(disposition: str, value: str = "x") -> str:
    return f"--{BOUNDARY}\r\nContent-Disposition: form-data; {disposition}\r\n\r\n{value}\r\n"


def posted(path: str, body: str, kind: str) -> Send:
    return lambda client: client.generic("POST", path, body.encode(), content_type=kind)


FIELDS = "&".join(f"a{number}=1" for number in range(1500))
PARTS = part('name="username"') + f"--{BOUNDARY}--\r\n"
FILES = "".join(part(f'name="f{number}"; filename="f{number}"') for number in range(150)) + f"--{BOUNDARY}--\r\n"
FORGED = quote("/x\r\n2026-01-01 00:00:00 ERROR forged: line\t\x1b[31m\x00\u2028中")
LONG = "/" + "%E4%B8%AD" * 7000
SENT: dict[str, Send] = {
    "a parameter too many": lambda client: client.get(f"/login?{FIELDS}"),
    "a parameter too many on the API": lambda client: client.get(f"/api/summary?{FIELDS}"),
    "a parameter too many on a missing page": lambda client: client.get(f"/missing?{FIELDS}"),
    "a field too many": posted("/login", FIELDS, FORM),
    "a field too many on the API": posted("/api/settings", FIELDS, FORM),
    "a file too many": posted("/login", FILES, FORM_OF_PARTS),
    "parts without a form": posted("/login", "not at all", FORM_OF_PARTS),
    "parts that break off": posted("/login", part('name="a"')[:-9], FORM_OF_PARTS),
    "parts without a boundary": posted("/login", FILES, "multipart/form-data"),
    "a part in an unknown coding": posted(
        "/login", part('name="a"\r\nContent-Transfer-Encoding: base64', "*") + "--b--", FORM_OF_PARTS
    ),
    "an unknown charset": posted("/login", "a=1", f"{FORM}; charset=nothing"),
    "a form in another charset": posted("/login", "a=1", f"{FORM}; charset=utf-16"),
    "parts in a coding that is no charset": posted("/login", PARTS, f"{FORM_OF_PARTS}; charset=hex"),
    "parts in a charset without letters": posted("/login", PARTS, f"{FORM_OF_PARTS}; charset=undefined"),
    "parts in an unknown charset": posted("/login", PARTS, f"{FORM_OF_PARTS}; charset=nothing"),
    "a parameter in another charset": lambda client: client.get("/login?a=1", CONTENT_TYPE="text/html; charset=hex"),
    "parameters too many in a named charset": lambda client: client.get(
        f"/login?{FIELDS}", CONTENT_TYPE="text/html; charset=utf-8"
    ),
    "a charset without an end": lambda client: client.get("/login", CONTENT_TYPE="a; charset*=hex''%41"),
    "a part in a named charset": posted("/login", part("name*=hex''%41") + "--b--", FORM_OF_PARTS),
    "a part in an unknown charset": posted("/login", part("name*=nothing''%41") + "--b--", FORM_OF_PARTS),
    "a part with a long header": posted("/login", part(f'name="{"x" * 60_000}"') + "--b--", FORM_OF_PARTS),
    "a long type": posted("/login", PARTS, FORM_OF_PARTS + "; a=" + "x" * 60_000),
    "a long boundary": posted("/login", PARTS, "multipart/form-data; boundary=" + "x" * 60_000),
    "fields that are no UTF-8": posted("/login", "username=%ff%fe&password=%00", FORM),
    "a long path": lambda client: client.get(LONG),
    "a long path of the API": lambda client: client.get(f"/api{LONG}"),
    "a write to a long path": posted(LONG, "", FORM),
    "a write to a long path of the API": posted(f"/api{LONG}", "{}", "application/json"),
    "a long path without a slash": lambda client: client.get("//" + LONG[1:]),
    "a wrong token": lambda client: client.post("/login", {"_csrf": "wrong"}),
    "a wrong token in the header": lambda client: client.post("/login", headers={"X-CSRF-Token": "x" * 60_000}),
    "another origin": lambda client: client.post("/login", headers={"Origin": "https://evil.example/" + "x" * 60_000}),
    "another page": lambda client: client.post(
        "/login", {"_csrf": "x"}, secure=True, headers={"Referer": "https://evil.example/" + "x" * 60_000}
    ),
    "a wrong first-run token": lambda client: client.get("/first-run/" + "x" * 60_000),
    "a first run by a wrong token": lambda client: client.post("/first-run/" + "x" * 60_000),
    "a bad Host": lambda client: client.get("/login", headers={"Host": "x" * 60_000}),
    "a Host with control characters": lambda client: client.get("/login", headers={"Host": "a\nb"}),
    "deep JSON": posted("/api/settings", "[" * 100_000, "application/json"),
    "a body of unknown length": lambda client: client.post("/login", "x", content_type=FORM, CONTENT_LENGTH="-1"),
    "control characters": lambda client: client.get(FORGED),
    "control characters in a write": posted(FORGED, "", FORM),
    "control characters in a write to the API": posted(f"/api{FORGED}", "{}", "application/json"),
    "a surrogate": lambda client: client.get("/%ed%a0%80"),
    "long cookies": lambda client: client.get("/login", headers={"Cookie": "archive_session=" + "x" * 60_000}),
    "a damaged session": lambda client: client.get("/login", headers={"Cookie": 'archive_session="\\000;'}),
    "a long language": lambda client: client.get("/login", headers={"Accept-Language": "x-" * 20_000}),
    "a long next": lambda client: client.get("/login", {"next": "//" + "x" * 60_000}),
    "a long picture": lambda client: client.get("/captcha.png", {"purpose": "x" * 60_000}),
    "a long method": lambda client: client.generic("X" * 60_000, "/login"),
    "an unknown static file": lambda client: client.get("/static/" + "x" * 60_000),
    "a static file outside": lambda client: client.get("/static/../../settings.py%00"),
    "a range": lambda client: client.get("/static/favicon.svg", headers={"Range": "bytes=" + "0-1," * 9000}),
    "a sign-in on the admin site": lambda client: client.get(f"/admin{LONG}"),
}  # fmt: skip


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Client:
    """A visitor whose wrong tokens are refused, and whose requests and failures are handled as in production."""
    monkeypatch.setattr("django.test.client.WSGIRequest", application.request_class)
    return ApiClient().client


def logged(send: Send, client: Client) -> tuple[int, bytes]:
    # The first line creates the file.
    logging.getLogger(__name__).warning("before")
    before = settings.DATA_FOLDER.log.stat().st_size
    status = send(client).status_code
    return status, settings.DATA_FOLDER.log.read_bytes()[before:]


@pytest.mark.parametrize("name", SENT)
def test_an_anonymous_request_leaves_one_short_line_at_most(name: str, client: Client) -> None:
    status, text = logged(SENT[name], client)
    assert status < 500
    assert (len(text) < MOST, text.count(b"\n") <= 1, b"Traceback" in text) == (True, True, False), text[:2000]


def test_a_refusal_names_its_reason_and_the_beginning_of_its_path(client: Client) -> None:
    _, text = logged(SENT["a write to a long path of the API"], client)
    assert b"WARNING django.security.csrf: Forbidden (CSRF token missing.): /api/" in text
    assert text.endswith(b"...\n")


def test_a_refusal_cannot_forge_a_line(client: Client) -> None:
    _, text = logged(SENT["control characters in a write to the API"], client)
    assert text.isascii()
    assert b"/api/x\\r\\n2026-01-01 00:00:00 ERROR forged: line\\t\\x1b[31m\\x00\\u2028\\u4e2d\n" in text


def test_a_secret_in_the_path_of_a_refusal_is_masked(client: Client) -> None:
    _, text = logged(posted("/api/password=hunter22hunter22", "{}", "application/json"), client)
    assert (b"hunter22" in text, f"password={MASK}".encode() in text) == (False, True)


def test_a_failure_of_this_side_keeps_its_traceback_and_the_beginning_of_its_path(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*values: object) -> None:
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(CsrfCheck, "process_view", fail)
    status, text = logged(lambda visitor: visitor.get(f"/api{LONG}"), client)
    (event,) = re.findall(rb"event ([0-9a-f]{8}): GET /api/%E4", text)
    assert (status, b"Traceback" in text, b"broken on purpose" in text, len(event)) == (500, True, True, 8)
    assert len(text) < 5000
