"""The headers of every answer: docs/api.md#response-headers."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from accounts.models import User
from tests.archive_site.commands import ROOT
from tests.factories import ApiClient
from tests.process_stores import environment

pytestmark = pytest.mark.django_db
PATHS = ["/login", "/nothing", "/healthz", "/readyz", "/api/summary"]


def policy(response: Any) -> dict[str, str]:
    directives = response.headers["Content-Security-Policy"].split(";")
    return {name: rest for name, _, rest in (directive.strip().partition(" ") for directive in directives)}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-Frame-Options", "DENY"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ],
)
def test_every_answer_carries_the_header(path: str, name: str, value: str, anonymous: ApiClient) -> None:
    assert anonymous.get(path).headers[name] == value


@pytest.mark.parametrize("feature", ["camera", "microphone", "geolocation", "usb", "payment", "display-capture"])
def test_the_permissions_policy_denies_the_feature(feature: str, anonymous: ApiClient) -> None:
    assert f"{feature}=()" in anonymous.get("/login").headers["Permissions-Policy"].split(", ")


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_loaded_from_elsewhere(path: str, anonymous: ApiClient) -> None:
    found = policy(anonymous.get(path))
    assert (found["default-src"], found["frame-ancestors"], found["base-uri"]) == ("'none'", "'none'", "'none'")
    assert found["form-action"] == "'self'"
    assert not re.search(r"unsafe|https?:|\*", " ".join(found.values()))


def test_a_pages_own_script_has_the_policys_nonce(anonymous: ApiClient) -> None:
    response = anonymous.get("/login")
    nonce = re.search(r"'nonce-([^']+)'", policy(response)["script-src"])
    assert nonce is not None
    scripts = re.findall(r"<script\b[^>]*>", response.content.decode())
    assert scripts
    assert all(f'nonce="{nonce[1]}"' in script or "src=" in script for script in scripts)


def test_a_nonce_serves_one_answer(anonymous: ApiClient) -> None:
    assert policy(anonymous.get("/login"))["script-src"] != policy(anonymous.get("/login"))["script-src"]


def test_no_page_has_handlers_or_styles_within(alice: User, api_of: Callable[[User], ApiClient]) -> None:
    for path in ("/", "/config"):
        page = api_of(alice).get(path).content.decode()
        assert not re.search(r"<[^>]+\s(on\w+|style)=", page)


def test_a_refused_body_carries_the_headers_too(anonymous: ApiClient) -> None:
    response = anonymous.client.post("/login", b"x" * 2_000_000, content_type="text/plain")
    assert response.status_code == 413
    assert {"Content-Security-Policy", "Permissions-Policy", "X-Frame-Options"} <= set(response.headers)


def test_the_tokens_cookie_is_for_this_site_and_out_of_scripts_reach() -> None:
    token = Client().get("/login").cookies["archive_csrf"]
    assert (token["httponly"], token["samesite"]) == (True, "Lax")


def test_the_sessions_cookie_is_for_this_site_and_out_of_scripts_reach(settings: Any) -> None:
    assert settings.SESSION_COOKIE_NAME == "archive_session"
    assert (settings.SESSION_COOKIE_HTTPONLY, settings.SESSION_COOKIE_SAMESITE) == (True, "Lax")
    assert settings.SESSION_COOKIE_AGE == 7 * 86400


_PROBE = """
import django
django.setup()
from django.conf import settings
from django.test import Client, RequestFactory
secure = RequestFactory().get("/", HTTP_X_FORWARDED_PROTO="https").is_secure()
answer = Client().get("/healthz", secure=True)
transport = answer.headers.get("Strict-Transport-Security")
print(secure, settings.SESSION_COOKIE_SECURE, settings.CSRF_COOKIE_SECURE, transport)
print(settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, settings.DEVICE_COOKIE_NAME)
"""
_COOKIES = ["archive_session", "archive_csrf", "archive_device"]


def _probe(home: Path, **variables: str) -> list[str]:
    started = {**environment(home, **variables), "DJANGO_SETTINGS_MODULE": "archive_site.settings"}
    done = subprocess.run(
        [sys.executable, "-c", _PROBE], env=started, cwd=ROOT, capture_output=True, text=True, timeout=30, check=True
    )
    return done.stdout.split()


@pytest.mark.thorough
def test_plain_http_has_plain_cookies_and_trusts_no_proxys_word(tmp_path: Path) -> None:
    assert _probe(tmp_path, ARCHIVE_ALLOWED_HOSTS="testserver") == ["False", "False", "False", "None", *_COOKIES]


@pytest.mark.thorough
def test_behind_https_cookies_are_secure_and_hsts_is_sent(tmp_path: Path) -> None:
    variables = {"ARCHIVE_HTTPS": "1", "ARCHIVE_TRUSTED_PROXIES": "1", "ARCHIVE_ALLOWED_HOSTS": "testserver"}
    prefixed = [f"__Host-{name}" for name in _COOKIES]
    assert _probe(tmp_path, **variables) == ["True", "True", "True", "max-age=31536000", *prefixed]
