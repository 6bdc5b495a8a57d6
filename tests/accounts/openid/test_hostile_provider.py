"""Answers of a provider that prove nothing (docs/decisions/accounts.md#sign-in-elsewhere)."""

import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from accounts.actor import Actor
from accounts.models import User
from accounts.openid import identities
from audit.models import Entry
from tests.accounts.second_factor.factors_of import is_in
from tests.factories import ApiClient

pytestmark = [pytest.mark.landing, pytest.mark.django_db, pytest.mark.usefixtures("no_captcha")]
_KEY, _OTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))


class Hostile:
    """Signs what a test wants: `claims` and `header` beside the right ones, and who `userinfo` says it is."""

    issuer: str

    def __init__(self) -> None:
        self.claims: dict[str, Any] = {}
        self.description: dict[str, Any] = {}
        self.header: dict[str, str] = {}
        self.key: Any = _KEY
        self.algorithm, self.nonce, self.userinfo = "RS256", "", "alice"
        self.asked: list[dict[str, list[str]]] = []

    def answer(self, path: str) -> Any:
        if path == "/.well-known/openid-configuration":
            return {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/auth",
                "token_endpoint": f"{self.issuer}/token",
                "userinfo_endpoint": f"{self.issuer}/me",
                "jwks_uri": f"{self.issuer}/keys",
                "id_token_signing_alg_values_supported": ["HS256", "none", "RS256"],
                **self.description,
            }
        if path == "/keys":
            return {"keys": [{**jwt.algorithms.RSAAlgorithm.to_jwk(_KEY.public_key(), as_dict=True), "kid": "one"}]}
        if path == "/me":
            return {"sub": self.userinfo}
        return {"access_token": "access-token-of-a-test", "id_token": self.id_token(), "token_type": "Bearer"}

    def id_token(self) -> str:
        now = int(time.time())
        claims = {
            "iss": self.issuer, "aud": "archive", "sub": "alice", "nonce": self.nonce, "iat": now, "exp": now + 300,
            **self.claims,
        }  # fmt: skip
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode(
            kept, "" if self.algorithm == "none" else self.key, self.algorithm, {"kid": "one", **self.header}
        )


@pytest.fixture
def hostile(changed: Callable[..., None]) -> Iterator[Hostile]:
    provider = Hostile()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            if length:
                provider.asked.append(parse_qs(self.rfile.read(length).decode()))
            body = json.dumps(provider.answer(self.path)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET

        def log_message(self, *args: Any) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    provider.issuer = f"http://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    changed(issuer=provider.issuer)
    yield provider
    server.shutdown()
    server.server_close()


def returned(hostile: Hostile, visitor: ApiClient) -> Any:
    """The answer to a visitor who comes back from there."""
    begun = visitor.get("/openid/begin")
    assert begun.status_code == 302, begun.content
    asked = {name: value[0] for name, value in parse_qs(urlsplit(begun.headers["Location"]).query).items()}
    hostile.nonce = asked["nonce"]
    return visitor.client.get(f"/openid/callback?code=x&state={asked['state']}")


def test_what_is_right_signs_in(alice: User, hostile: Hostile) -> None:
    identities.link(alice, hostile.issuer, "alice", Actor("root", None))
    visitor = ApiClient()
    assert returned(hostile, visitor).status_code == 302
    assert is_in(visitor)
    # The verifier of the code that was asked for, and the secret, go to the provider alone.
    assert {"code", "code_verifier", "client_secret", "redirect_uri"} <= hostile.asked[0].keys()


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("claims", {"iss": "https://other.example"}),
        ("claims", {"iss": None}),
        ("claims", {"aud": "another"}),
        ("claims", {"aud": None}),
        ("claims", {"aud": ["archive", "another"]}),
        ("claims", {"aud": ["archive", "another"], "azp": "another"}),
        ("claims", {"azp": "another"}),
        ("claims", {"nonce": "of-another-visit"}),
        ("claims", {"nonce": None}),
        ("claims", {"exp": 1}),
        ("claims", {"exp": None}),
        ("claims", {"sub": None}),
        ("claims", {"sub": "bob"}),
        ("claims", {"sub": "a" * 300}),
        ("userinfo", "bob"),
        ("key", _OTHER),
        ("header", {"kid": "two"}),
        ("algorithm", "none"),
    ],
)
def test_what_proves_nothing_signs_nobody_in(alice: User, hostile: Hostile, change: str, value: Any) -> None:
    identities.link(alice, hostile.issuer, "alice", Actor("root", None))
    setattr(hostile, change, value)
    visitor = ApiClient()
    assert returned(hostile, visitor).status_code == 400
    assert not is_in(visitor)
    assert Entry.objects.get(action="login_failed").actor == ""


def test_a_token_signed_with_the_public_secret_of_the_client_is_none(alice: User, hostile: Hostile) -> None:
    identities.link(alice, hostile.issuer, "alice", Actor("root", None))
    hostile.algorithm, hostile.key = "HS256", "a-secret-of-this-test-alone-of-32-bytes"
    visitor = ApiClient()
    assert returned(hostile, visitor).status_code == 400
    assert not is_in(visitor)


@pytest.mark.parametrize(
    "description",
    [
        {"issuer": "https://other.example"},
        {"token_endpoint": "http://other.example/token"},
        {"token_endpoint": "file:///etc/passwd"},
        {"jwks_uri": None},
        {"id_token_signing_alg_values_supported": ["none", "HS256"]},
        {"id_token_signing_alg_values_supported": "RS256"},
    ],
)
def test_a_description_of_something_else_is_none(alice: User, hostile: Hostile, description: dict[str, Any]) -> None:
    hostile.description = description
    assert ApiClient().get("/openid/begin").status_code == 503


def test_nothing_of_the_way_is_kept(alice: User, hostile: Hostile, caplog: pytest.LogCaptureFixture) -> None:
    hostile.claims = {"nonce": "of-another-visit"}
    returned(hostile, ApiClient())
    said = caplog.text + "".join(str(entry.detail) + entry.actor for entry in Entry.objects.all())
    for secret in ("access-token-of-a-test", "a-secret-of-this-test-alone", "eyJ"):
        assert secret not in said
