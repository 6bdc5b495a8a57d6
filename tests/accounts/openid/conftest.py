"""A real provider of sign-ins on loopback, and what a browser does there."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urljoin, urlsplit

import pytest
import requests
from django.utils.html import escape

from accounts.openid import provider as provider_module
from archive_site.lib.environment import OpenId
from tests.accounts.openid.provider_process import SECRET, provider_for
from tests.factories import ApiClient

ORIGIN = "https://usage.example.org"
# What the instance answers to a visitor who comes back from there.
Enter = Callable[..., Any]


@pytest.fixture(scope="session")
def issuer() -> Iterator[str]:
    with provider_for(ORIGIN) as found:
        yield found


@pytest.fixture(autouse=True)
def elsewhere(issuer: str, settings: Any, running_clock: None) -> OpenId:
    """The instance lets people sign in there."""
    provider_module.known.forget()
    settings.ORIGIN = ORIGIN
    settings.OPENID = OpenId(issuer, "archive", SECRET, "Example ID", "openid profile email", False, "", "", "")
    settings.AUTHENTICATION_BACKENDS = [
        "django.contrib.auth.backends.ModelBackend", "accounts.openid.backend.ProviderBackend",
    ]  # fmt: skip
    found: OpenId = settings.OPENID
    return found


@pytest.fixture
def changed(elsewhere: OpenId, settings: Any) -> Callable[..., None]:
    """Change what the environment says of the provider."""

    def change(**values: Any) -> None:
        settings.OPENID = replace(settings.OPENID, **values)

    return change


def way_back(address: str, name: str) -> str:
    """What a browser does at the provider that signs this person in: gives where it is led back to."""
    browser = requests.Session()
    for _ in range(12):
        answer = browser.get(address, allow_redirects=False, timeout=20)
        while answer.is_redirect:
            address = urljoin(address, answer.headers["Location"])
            if address.startswith(ORIGIN):
                parts = urlsplit(address)
                return f"{parts.path}?{parts.query}"
            answer = browser.get(address, allow_redirects=False, timeout=20)
        form = re.search(r'action="([^"]+)"', answer.text)
        prompt = re.search(r'name="prompt" value="(\w+)"', answer.text)
        assert form, answer.text
        assert prompt, answer.text
        filled = {"prompt": prompt[1], **({"login": name, "password": "x"} if prompt[1] == "login" else {})}
        answer = browser.post(urljoin(address, form[1]), filled, allow_redirects=False, timeout=20)
        address = urljoin(address, answer.headers["Location"])
    raise AssertionError("The provider leads nowhere.")


def begin_link(visitor: ApiClient) -> Any:
    """The answer to the form of the profile."""
    token = visitor.client.cookies["archive_csrf"].value
    return visitor.client.post("/openid/begin", {"_csrf": token})


def led_out(answer: Any) -> str:
    """Where a page leads at once, which a form cannot be redirected to."""
    assert answer.status_code == 200, answer.content
    address = str(answer.headers["Refresh"]).removeprefix("0; url=")
    assert f'href="{escape(address)}"' in answer.content.decode()
    return address


@pytest.fixture
def enter() -> Enter:
    """The answer of the instance to a visitor who comes back from there."""

    def go(visitor: ApiClient, name: str, **query: str) -> Any:
        if query.get("for") == "link":
            return visitor.client.get(way_back(led_out(begin_link(visitor)), name))
        begun = visitor.get("/openid/begin", **query)
        assert begun.status_code == 302, begun.content
        return visitor.client.get(way_back(begun.headers["Location"], name))

    return go
