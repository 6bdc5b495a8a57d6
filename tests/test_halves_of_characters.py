"""Half of a character (a lone surrogate), which nothing can store or answer, in each part of a request to each route.

No such request is a failure of the server: docs/api.md#requests-and-bodies.
"""

import json
from typing import Any
from urllib.parse import quote

import pytest

from accounts.models import Setting, User
from archive_site.lib import clock
from archive_site.lib.http.described import FORM
from archive_site.lib.http.operations import Operation, operations
from archive_site.lib.http.type_schemas import schema_of
from archive_site.lib.http.utf8_request import Utf8Request
from tests import test_roles
from tests.factories import ApiClient
from tests.test_roles import ROUTES, path_of, visitor
from tests.usage.record_factories import archive, call

pytestmark = pytest.mark.django_db
ids = test_roles.ids
HALVES = ["\ud83d", "a\udc00\ud83db"]
# A charset by which a text without any of them has one.
ESCAPED = "unicode_escape"
WRITES = [one for one in operations() if one.method == "POST"]
PAGE_FIELDS = [
    "username", "password", "password2", "captcha", "display_name", "email", "next", "q", "action", "p", "o", "_csrf",
]  # fmt: skip
NAMES = sorted(
    {parameter.name for one in operations() for parameter in one.description.parameters}
    | {name for one in WRITES for name in schema_of(one.description.body or {}).get("properties", {})}
    | {*PAGE_FIELDS}
)


@pytest.fixture(autouse=True)
def requests_as_served(monkeypatch: pytest.MonkeyPatch) -> None:
    """Django's test client has a class of requests of its own."""
    monkeypatch.setattr("django.test.client.WSGIRequest", Utf8Request)


def wrong(text: str) -> str:
    """The text in an address or a form, as what writes it carelessly would."""
    return quote(text, errors="surrogatepass")


def escaped(text: str) -> str:
    return text.encode(ESCAPED).decode()


def multipart(fields: dict[str, str], charset: str) -> dict[str, Any]:
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'.encode() + text.encode(errors="surrogatepass")
        for name, text in fields.items()
    ]
    file = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nid,credits\r\n'
    body = b"\r\n".join([*parts, file, b"--x--", b""])
    return {"data": body, "content_type": f"multipart/form-data; boundary=x{charset and f'; charset={charset}'}"}


def described(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = schema_of(operation.description.body or {}).get("properties", {})
    return found


def json_bodies(operation: Operation, half: str) -> list[dict[str, Any]]:
    shapes: list[Any] = [half, [half, half], {half: 1}, {"a": {"b": [half]}}]
    return [{half: half}] + [{name: shape} for name in described(operation) for shape in shapes]


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize("operation", WRITES, ids=lambda one: one.path)
def test_in_a_body_it_is_400(operation: Operation, ids: dict[str, Any], settings: Any) -> None:
    # For passkeys.
    settings.ORIGIN = "https://usage.example.org"
    if not described(operation) or operation.description.body_type == FORM:
        return
    path = operation.path.format_map(ids)
    for half in HALVES:
        for body in json_bodies(operation, half):
            answer = visitor("admin").entered().post(path, json.dumps(body))
            # What a path names may be none; a verification first asks for workers.
            expected = {400, 404} if operation.path_names else {400, 503 if path == "/api/verify" else 400}
            assert answer.status_code in expected, (body, answer.content)


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["anonymous", "admin"])
@pytest.mark.parametrize("route", ROUTES)
def test_in_a_form_or_an_address_it_is_no_failure_of_the_server(route: str, role: str, ids: dict[str, Any]) -> None:
    Setting.objects.create(key="allow_register", value="1", updated_at=clock.now())
    for half in HALVES:
        path, client = path_of(route, ids), visitor(role)
        fields = dict.fromkeys(NAMES, half) | {"_csrf": client.token}
        plain = "&".join(f"{name}={wrong(text)}" for name, text in fields.items())
        hidden = "&".join(f"{name}={quote(escaped(text))}" for name, text in fields.items())
        escapes = {name: escaped(text) for name, text in fields.items()}
        form = "application/x-www-form-urlencoded"
        answers = [
            client.client.get(f"{path}?{plain}"),
            client.client.get(f"{path}?{hidden}", headers={"Content-Type": f"text/plain; charset={ESCAPED}"}),
            client.client.post(path, plain, content_type=form),
            client.client.post(path, hidden, content_type=f"{form}; charset={ESCAPED}"),
            client.client.post(path, **multipart(fields, "")),
            client.client.post(path, **multipart(escapes, ESCAPED)),
            client.client.post(f"{path}?{hidden}", "{}", content_type=f"application/json; charset={ESCAPED}",
                               headers={"X-CSRF-Token": client.token}),
        ]  # fmt: skip
        # Without workers a collection is 503.
        assert {answer.status_code for answer in answers if answer.status_code >= 500} <= {503}


@pytest.mark.thorough
@pytest.mark.parametrize("route", [route for route in ROUTES if "<" in route or "(?" in route])
def test_in_a_path_it_is_no_failure_of_the_server(route: str, ids: dict[str, Any]) -> None:
    client = visitor("admin")
    for half in HALVES:
        path = path_of(route, dict.fromkeys(ids, wrong(half))).replace("unknown", wrong(half))
        answers = [client.get(path), client.post(path), client.client.post(path, {"_csrf": client.token})]
        assert {answer.status_code for answer in answers if answer.status_code >= 500} <= {503}


HEADERS = ["Accept", "Accept-Language", "Authorization", "Cookie", "Host", "If-None-Match", "Origin", "Referer",
           "User-Agent", "X-CSRF-Token", "X-Forwarded-For"]  # fmt: skip


@pytest.mark.thorough_after(11)
@pytest.mark.parametrize("header", HEADERS)
@pytest.mark.parametrize("path", ["/", "/login", "/api/summary", "/api/settings", "/records/export"])
def test_in_a_header_it_is_no_failure_of_the_server(path: str, header: str, alice: User) -> None:
    client = ApiClient.signed_in(alice)
    for half in HALVES:
        # As the web server hands on the bytes of a header.
        text = half.encode(errors="surrogatepass").decode("latin-1")
        for answer in (client.client.get(path, headers={header: text}), client.post(path, **{header: text})):
            assert answer.status_code < 500


NAMES_OF_FILES = [
    """filename="a.csv"; filename*=unicode_escape''%5Cud83d""", """filename*=utf-7''+2D0-.csv""",
    """filename*=utf-8''%ED%A0%BD.csv""", """filename*=utf-16''%3D%D8.csv""",
    'filename="a\xed\xa0\xbd.csv"', """filename="a.csv"; name*=unicode_escape''file%5Cud83d""",
]  # fmt: skip
FILE = "RequestID,Credits,User Prompt,Model,Client,Time\r\nr1,1.5,p,m,c,2026-09-07 12:30:00\r\n"


@pytest.mark.parametrize("name", NAMES_OF_FILES)
@pytest.mark.parametrize("dry_run", ["0", "1"])
def test_in_the_name_of_a_file_it_is_no_failure_of_the_server(name: str, dry_run: str, alice: User) -> None:
    client = ApiClient.signed_in(alice)
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="dry_run"\r\n\r\n{dry_run}',
        f'--x\r\nContent-Disposition: form-data; name="file"; {name}\r\n\r\n{FILE}',
        "--x--\r\n",
    ]
    body, kind = "\r\n".join(parts).encode("latin-1"), "multipart/form-data; boundary=x"
    answer = client.client.post("/api/import", body, content_type=kind, headers={"X-CSRF-Token": client.token})
    assert answer.status_code in (200, 400)


@pytest.mark.parametrize("charset", ["utf-16", "unicode_escape", "hex", "latin-1", "none such"])
def test_an_address_is_read_as_utf_8_whatever_the_charset(charset: str, alice: User) -> None:
    archive(alice, call(model="模型"))
    client = ApiClient.signed_in(alice).client
    answer = client.get("/api/records?model=%E6%A8%A1%E5%9E%8B", headers={"Content-Type": f"text/x; charset={charset}"})
    assert answer.json()["total"] == 1
