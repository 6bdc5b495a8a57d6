"""Manifest, service worker and offline page: docs/api.md#installable-app."""

import json
import re
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from accounts.models import User
from archive_site.lib.resources import RESOURCES
from tests.accounts.page_forms import ApiOf, answer_of, page
from tests.archive_site.test_headers import policy
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
PATHS = ["/app.webmanifest", "/service-worker.js", "/offline"]
STATIC = RESOURCES / "static"


def kept(response: Any) -> dict[str, Any]:
    found = re.match(r"const KEPT = (.*);\n", page(response))
    assert found
    answer: dict[str, Any] = json.loads(found[1])
    return answer


@pytest.mark.parametrize("path", PATHS)
def test_it_is_the_same_for_everybody_and_starts_no_session(path: str, alice: User, api_of: ApiOf) -> None:
    visitor = Client()
    response = visitor.get(path)
    assert response.status_code == 200
    assert not response.cookies
    own = page(api_of(alice).get(path))
    assert own == page(response)
    assert "alice" not in own


@pytest.mark.parametrize("path", PATHS)
def test_browsers_ask_for_it_again(path: str, anonymous: ApiClient) -> None:
    assert re.search("no-cache|no-store", anonymous.get(path).headers["Cache-Control"])


def test_the_manifest_names_scope_and_icons_that_exist(anonymous: ApiClient) -> None:
    response = anonymous.get("/app.webmanifest")
    assert response.headers["Content-Type"] == "application/manifest+json"
    about = answer_of(response)
    assert (about["id"], about["start_url"], about["scope"], about["display"]) == ("/", "/", "/", "standalone")
    assert {icon["sizes"] for icon in about["icons"]} >= {"192x192", "512x512"}
    assert {icon["purpose"] for icon in about["icons"]} == {"any", "maskable"}
    for icon in about["icons"]:
        file = STATIC / icon["src"].removeprefix("/static/")
        assert file.is_file()
        if file.suffix == ".png":
            # Width and height in the header of a PNG.
            sizes = [int.from_bytes(file.read_bytes()[start : start + 4], "big") for start in (16, 20)]
            assert "x".join(map(str, sizes)) == icon["sizes"]


@pytest.mark.parametrize("path", ["/login", "/"])
def test_pages_name_the_manifest(path: str, alice: User, api_of: ApiOf) -> None:
    visitor = ApiClient() if path == "/login" else api_of(alice)
    assert '<link rel="manifest" href="/app.webmanifest">' in page(visitor.get(path))


def test_the_policy_allows_manifest_and_worker_of_this_origin_only(anonymous: ApiClient) -> None:
    found = policy(anonymous.get("/login"))
    assert (found["manifest-src"], found["worker-src"]) == ("'self'", "'self'")


def test_the_worker_is_a_script_for_the_whole_origin(anonymous: ApiClient) -> None:
    response = anonymous.get("/service-worker.js")
    assert response.headers["Content-Type"] == "text/javascript"
    # It lies at the root, so it needs no other scope.
    assert "Service-Worker-Allowed" not in response.headers


def test_it_keeps_the_offline_page_and_its_static_files_only(anonymous: ApiClient) -> None:
    found = kept(anonymous.get("/service-worker.js"))
    assert found["page"] == "/offline"
    assert all(path.startswith("/static/") for path in found["files"])
    addresses = re.findall(r'(?:href|src)="(/static/[^"]+)"', page(anonymous.get("/offline")))
    needed = {path for path in addresses if not re.search(r"icon-192|js/shared/offline_page", path)}
    assert needed
    assert needed <= set(found["files"])


def test_the_worker_stores_nothing_but_that_list() -> None:
    script = (STATIC / "js" / "service_worker.js").read_text()
    assert re.findall(r"\.(?:put|add|addAll)\(.*", script) == [
        '.addAll([new Request(KEPT.page, { cache: "reload" }), ...KEPT.files]);'
    ]


def test_another_language_or_version_is_installed_again(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    english = anonymous.get("/service-worker.js")
    chinese = anonymous.client.get("/service-worker.js", headers={"Accept-Language": "zh-CN"})
    monkeypatch.setattr(settings, "VERSION", "99")
    newer = anonymous.get("/service-worker.js")
    assert len({kept(answer)["name"] for answer in (english, chinese, newer)}) == 3


def test_the_offline_page_holds_no_token_and_nothing_of_an_account(alice: User, api_of: ApiOf) -> None:
    User.objects.filter(pk=alice.pk).update(theme="dark", display_name="Alice L.")
    text = page(api_of(alice).get("/offline"))
    assert "No connection" in text
    assert 'data-theme="auto"' in text
    assert not re.search("csrf|CSRF|nonce|Alice|alice|data-account", text)


def test_the_offline_page_is_in_the_readers_language(anonymous: ApiClient) -> None:
    response = anonymous.client.get("/offline", headers={"Accept-Language": "zh-CN"})
    assert '<html lang="zh-hans"' in page(response)
    assert "No connection" not in page(response)
