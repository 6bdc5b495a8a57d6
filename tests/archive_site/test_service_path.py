"""A service under a path of its host, behind a proxy that keeps the path and one that strips it.

docs/deploy.md#a-path-of-a-host
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from django.urls import URLPattern, URLResolver, get_resolver

from archive_site.client import main as client
from archive_site.lib.environment import OWN_PATHS
from archive_site.lib.http.next_path import next_path
from archive_site.lib.http.service_path import own_path
from tests.archive_site.commands import Up, first_run_link, is_one_line, manage, signed_in, up
from tests.archive_site.path_proxy import PATH, proxied
from tests.factories import PASSWORD
from tests.usage.import_files import HEADER

pytestmark = pytest.mark.landing
ROW = "r1,1.5,why?,glm,ide,2026-09-07 12:30:00\r\n"
METRICS_TOKEN = "metrics-of-the-tests"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory, running_clock: None) -> Iterator[Up]:
    home = tmp_path_factory.mktemp("path") / "home"
    assert manage("config", "set", "captcha_policy", "off", home=home).returncode == 0
    with up(home, ARCHIVE_PATH=PATH, ARCHIVE_METRICS_TOKEN=METRICS_TOKEN) as instance:
        yield instance


@pytest.fixture(scope="module", params=[False, True], ids=["kept", "stripped"])
def service(request: pytest.FixtureRequest, running: Up) -> Iterator[str]:
    """The address of the service behind a proxy."""
    with proxied(running.url, strips=request.param) as url:
        yield url


@pytest.fixture(scope="module")
def session(running: Up, service: str) -> requests.Session:
    """A session of the administrator, who is made on the first-run page."""
    link = first_run_link(running).replace(running.url, service)
    visitor = requests.Session()
    page = visitor.get(link)
    if page.status_code == 200:
        token = re.findall(r'name="_csrf" value="(\w+)"', page.text)[0]
        form = {"username": "alice", "password": PASSWORD, "password2": PASSWORD, "_csrf": token}
        assert visitor.post(link, form, allow_redirects=False).headers["Location"] == f"{PATH}/"
    return signed_in(Up(running.process, service, running.home, running.lines))


def test_the_link_of_the_first_run_has_the_path(running: Up) -> None:
    assert running.url.endswith(PATH)
    assert first_run_link(running).startswith(f"{running.url}/first-run/")


def test_a_page_leads_to_the_sign_in_and_back(service: str) -> None:
    answer = requests.get(f"{service}/records?size=20", allow_redirects=False)
    assert answer.headers["Location"] == f"{PATH}/login?next={PATH}/records%3Fsize%3D20"


def test_cookies_are_those_of_the_path_alone(session: requests.Session) -> None:
    assert {(cookie.name, cookie.path) for cookie in session.cookies} == {
        (f"archive_usage_{kind}", PATH) for kind in ("session", "csrf", "device")
    }


def test_all_addresses_of_a_page_have_the_path(session: requests.Session, service: str) -> None:
    for page in ("/", "/records", "/profile", "/nowhere"):
        text = session.get(f"{service}{page}").text
        addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', text)
        assert addresses
        assert [address for address in addresses if not address.startswith(f"{PATH}/")] == []
        assert f'data-path="{PATH}"' in text


def test_static_files_are_served_under_hashed_names(session: requests.Session, service: str) -> None:
    (address,) = re.findall(r'src="(/[^"]*shared/theme[^"]*)"', session.get(f"{service}/").text)
    answer = requests.get(service.removesuffix(PATH) + address)
    assert (answer.status_code, "immutable" in answer.headers["Cache-Control"]) == (200, True)


def test_the_app_and_its_worker_are_those_of_the_path(service: str) -> None:
    manifest: Any = requests.get(f"{service}/app.webmanifest").json()
    assert [manifest[name] for name in ("id", "start_url", "scope")] == [f"{PATH}/"] * 3
    worker = requests.get(f"{service}/service-worker.js").text
    assert f'"caches": "offline {PATH} "' in worker
    assert f'"page": "{PATH}/offline"' in worker


def test_the_api_answers_and_its_description_names_the_path(session: requests.Session, service: str) -> None:
    assert session.get(f"{service}/api/openapi.json").json()["servers"] == [{"url": PATH}]
    assert session.post(f"{service}/api/captcha", json={}).json()["image_url"] == f"{PATH}/captcha.png"
    unknown = session.get(f"{service}/api/nowhere")
    assert (unknown.status_code, unknown.json()["error"]) == (404, "not_found")


@pytest.mark.thorough
def test_a_file_over_the_limit_of_other_bodies_can_be_imported(session: requests.Session, service: str) -> None:
    content = (HEADER + ROW).encode() + b"\r\n" * 700_000
    answer = session.post(f"{service}/api/import", files={"file": ("calls.csv", content)}, data={"dry_run": "1"})
    assert (answer.status_code, answer.json()["rows"]) == (200, 1)


def test_parts_of_a_list_name_the_one_that_follows_with_the_path(session: requests.Session, service: str) -> None:
    two = HEADER + ROW + ROW.replace("r1", "r2")
    session.post(f"{service}/api/import", files={"file": ("calls.csv", two.encode())})
    answer = session.get(f"{service}/api/records?format=csv&size=1")
    assert answer.headers["Link"].startswith(f"<{PATH}/api/records?")


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_answer_with_the_path_and_without(path: str, running: Up, service: str) -> None:
    assert requests.get(f"{service}{path}").status_code in (200, 503)
    assert requests.get(f"{running.url.removesuffix(PATH)}{path}").headers["Content-Type"] != "text/html; charset=utf-8"


def test_metrics_answer_and_name_routes_without_the_path(service: str) -> None:
    requests.get(f"{service}/login")
    answer = requests.get(f"{service}/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
    assert answer.status_code == 200
    assert 'route="/login"' in answer.text
    assert PATH not in "".join(re.findall(r'route="[^"]*"', answer.text))


def test_the_command_line_client_takes_the_address(
    session: requests.Session, service: str, capsys: pytest.CaptureFixture[str]
) -> None:
    made = session.post(f"{service}/api/tokens", json={"name": "bar", "scopes": ["read"]})
    assert client.main(["summary", "--json", "--server", f"{service}/", "--token", made.json()["token"]]) == 0
    assert '"credits"' in capsys.readouterr().out


def test_signing_out_leads_to_the_sign_in_of_the_path(running: Up, service: str, session: requests.Session) -> None:
    other = signed_in(Up(running.process, service, running.home, running.lines))
    form = {"_csrf": other.headers["X-CSRF-Token"]}
    assert other.post(f"{service}/logout", form, allow_redirects=False).headers["Location"] == f"{PATH}/login"


def test_the_admin_site_leads_to_its_own_addresses(session: requests.Session, service: str) -> None:
    answer = session.get(f"{service}/admin/password_change/", allow_redirects=False)
    assert answer.headers["Location"] == f"{PATH}/profile"
    assert f'href="{PATH}/"' in session.get(f"{service}/admin/").text


@pytest.mark.thorough
@pytest.mark.usefixtures("running_clock")
def test_under_a_path_secure_cookies_have_the_prefix_that_allows_one(tmp_path: Path) -> None:
    with up(tmp_path / "home", "--no-worker", ARCHIVE_PATH="/a/b", ARCHIVE_HTTPS="1") as running:
        (cookie,) = requests.get(f"{running.url}/login").headers["Set-Cookie"].split(", __")[:1]
    assert cookie.startswith("__Secure-archive_a_b_csrf=")
    assert "Path=/a/b;" in cookie


@pytest.mark.parametrize(
    ("path", "own"),
    [
        ("/usage", "/"),
        ("/usage/", "/"),
        ("/usage/records", "/records"),
        ("/usage/usage/records", "/usage/records"),
        ("/usages", "/usages"),
        ("/records", "/records"),
        ("//usage/records", "//usage/records"),
        ("", ""),
    ],
)
def test_the_path_is_removed_where_it_is_there(path: str, own: str, settings: Any) -> None:
    settings.SERVICE_PATH = PATH
    assert own_path(path) == own
    settings.SERVICE_PATH = ""
    assert own_path(path) == path


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "target",
    ["/", "/other", "/usages", "/usage/../other", "/usage/%2e%2e/other", "/usage\\..\\other", "//usage/x", "/usage/.."],
)
def test_next_never_leaves_the_path(target: str, rf: Any, settings: Any) -> None:
    settings.SERVICE_PATH = PATH
    assert next_path(rf.get("/login", {"next": target})) == ""


@pytest.mark.parametrize("target", ["/usage", "/usage/", "/usage/records?q=../..", "/usage/a/../records"])
def test_next_leads_on_within_the_path(target: str, rf: Any, settings: Any) -> None:
    settings.SERVICE_PATH = PATH
    assert next_path(rf.get("/login", {"next": target})) == target


def test_no_path_begins_as_one_of_the_service_does() -> None:
    assert _first_parts(get_resolver()) | {"static", "healthz", "readyz", "metrics"} == OWN_PATHS


def _first_parts(resolver: URLResolver) -> set[str]:
    found: set[str] = set()
    for pattern in resolver.url_patterns:
        route = str(pattern.pattern).lstrip("^")
        if route:
            found.add(route.split("/")[0])
        elif isinstance(pattern, URLPattern):
            continue
        else:
            found |= _first_parts(pattern)
    return found


@pytest.mark.thorough
def test_a_wrong_path_stops_the_start_with_one_line(tmp_path: Path) -> None:
    failed = manage("up", "--bind", "127.0.0.1:0", home=tmp_path / "home", ARCHIVE_PATH="/records")
    assert is_one_line(failed, "ARCHIVE_PATH", "choose another")
