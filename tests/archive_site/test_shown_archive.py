"""Which archive the pages show, as their address or the browser says: docs/api.md#pages."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.credentials import credential
from accounts.models import Archive, User
from archive_site.lib import clock
from archive_site.lib.http.operations import operations
from archive_site.lib.resources import RESOURCES
from collection.models import Run, RunReport
from collection.runs import runs
from tests.factories import ApiClient, further_archive
from tests.usage.record_factories import archive, call

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
PAGES = ["/", "/records", "/repeated", "/runs", "/import", "/config", "/profile", "/notices", "/archives", "/audit"]
ARCHIVE_PAGES = [
    "/", "/records", "/repeated", "/config", "/archives", "/runs", "/import", "/summaries/week", "/statements/2026-08",
]  # fmt: skip
COOKIE = "session=abcdefghijklmnop1234"


def shown(page: Any) -> str:
    """The archive that a page names to its scripts; empty for the first one."""
    found = re.search(r'<html[^>]* data-archive="(\d+)"', page.content.decode())
    return found[1] if found else ""


def choose(api: ApiClient, text: object) -> None:
    api.client.cookies["archive"] = str(text)


@pytest.mark.parametrize("path", PAGES)
def test_an_account_with_one_archive_has_no_choice(path: str, alice: User, bob: User, api_of: ApiOf) -> None:
    further_archive(bob)
    page = api_of(alice).get(path)
    assert (page.status_code, shown(page)) == (200, "")
    assert not re.search(r"data-archive-choice|[?&]archive=", page.content.decode())


@pytest.mark.parametrize("path", PAGES)
def test_the_address_wins_over_the_browser_which_wins_over_the_first(path: str, alice: User, api_of: ApiOf) -> None:
    second, third, api = further_archive(alice), further_archive(alice, "At home"), api_of(alice)
    assert shown(api.get(path)) == ""
    choose(api, second)
    assert shown(api.get(path)) == str(second)
    assert shown(api.get(path, archive=third)) == str(third)
    assert shown(api.get(path, archive=alice.pk)) == ""
    assert api.get(path).content.decode().count("data-archive-choice") == 6


@pytest.mark.parametrize("text", ["", "x", "0", "-1", "1" * 19, "4294967299999", "all", '"1"'])
def test_a_cookie_that_names_none_of_the_account_is_ignored(text: str, alice: User, api_of: ApiOf) -> None:
    further_archive(alice)
    api = api_of(alice)
    choose(api, text)
    for path in ARCHIVE_PAGES[:4]:
        page = api.get(path)
        assert (page.status_code, shown(page)) == (200, "")


@pytest.mark.parametrize("text", ["", "x", "0", "-1", "1" * 19, "4294967299999", "٤", "all"])
def test_an_address_that_names_none_of_the_account_is_a_404_page(text: str, alice: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    choose(api, second)
    for path in ARCHIVE_PAGES:
        page = api.get(path, archive=text)
        # With the head of the chosen one, so that there is a way back.
        assert (page.status_code, shown(page)) == (404, str(second))


@pytest.mark.parametrize("path", ARCHIVE_PAGES)
def test_that_of_another_account_is_shown_by_no_way(path: str, alice: User, bob: User, api_of: ApiOf) -> None:
    other, api = further_archive(bob, "Of bob"), api_of(alice)
    further_archive(alice)
    for archive_id in (other, bob.pk):
        choose(api, archive_id)
        page = api.client.get(path, follow=True)
        assert (page.status_code, shown(page), "Of bob" in page.content.decode()) == (200, "", False)
        assert api.get(path, archive=archive_id).status_code == 404


def test_a_deleted_one_is_shown_no_more(alice: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    choose(api, second)
    Archive.objects.filter(pk=second).update(deleted_at=timezone.now())
    assert shown(api.get("/records")) == ""
    assert api.get("/records", archive=second).status_code == 404


def test_the_api_does_not_read_the_cookie(alice: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    archive(second, call("a"))
    choose(api, second)
    assert api.get("/api/records").json()["total"] == 0
    assert api.get("/api/records", archive=second).json()["total"] == 1


@pytest.mark.engine
def test_pages_have_the_facts_of_the_shown_archive(alice: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    archive(second, call("a", ts="2026-08-01 10:00:00"))
    credential.store(second, COOKIE)
    run = runs.begin(second, Run.Trigger.MANUAL, clock.now(), clock.now())
    first = api.get("/records").content.decode()
    assert re.search(r'id="set-cookie"[^>]* href="#first-steps">', first)
    assert re.search(r'id="last-run"[^>]* hidden', first)
    further = api.get("/records", archive=second).content.decode()
    assert re.search(rf'id="set-cookie"[^>]* href="/archives#archive-{second}" hidden', further)
    assert not re.search(r'id="last-run"[^>]* hidden', further)
    assert 'data-first="2026-08-01"' in further
    RunReport.objects.create(run=run, text="of it\n")
    assert f'"/runs/{run.pk}/report?archive={second}"' in api.get(f"/runs/{run.pk}", archive=second).content.decode()
    assert api.get(f"/runs/{run.pk}/report", archive=second).content == b"of it\n"
    assert api.get(f"/runs/{run.pk}/report").status_code == 404


def test_the_overview_asks_ahead_for_what_its_scripts_ask_for(alice: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    for one in (alice.pk, second):
        archive(one, call("a"))
    for archive_id, ending in ((alice.pk, ""), (second, f"archive={second}")):
        page = api.get("/", archive=archive_id).content.decode()
        asked = re.findall(r'rel="preload" as="fetch"[^>]* href="([^"]+)"', page)
        assert asked
        assert all(re.search(rf"[?;]{ending}$" if ending else "^(?!.*archive=)", address) for address in asked)


def test_a_run_of_another_archive_is_led_to(alice: User, bob: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    run, others = (runs.begin(one, Run.Trigger.MANUAL, clock.now(), clock.now()) for one in (second, bob.pk))
    answer = api.get(f"/runs/{run.pk}")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/runs/{run.pk}?archive={second}")
    assert api.client.get(answer.headers["Location"]).status_code == 200
    assert api.get(f"/runs/{run.pk}", archive=alice.pk).status_code == 404
    assert api.get(f"/runs/{others.pk}").status_code == 404


def test_a_summary_keeps_the_archive_of_its_address(alice: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    assert api.get("/summaries/week", archive=second).headers["Location"].endswith(f"?archive={second}")
    assert "archive" not in api.get("/summaries/week").headers["Location"]


def queries_of(api: ApiClient, path: str) -> list[str]:
    with CaptureQueriesContext(connection) as captured:
        assert api.get(path).status_code == 200
    return [one["sql"] for one in captured]


@pytest.mark.parametrize(("path", "more"), [("/records", 3), ("/runs", 3), ("/profile", 2), ("/audit", 2)])
def test_the_choice_costs_no_query_and_a_chosen_archive_few(
    path: str, more: int, alice: User, bob: User, api_of: ApiOf
) -> None:
    one, several, chosen = (api_of(user) for user in (alice, bob, bob))
    second = further_archive(bob)
    choose(chosen, second)
    asked = queries_of(one, path)
    own = [sql for sql in asked if 'FROM "accounts_archive"' in sql]
    # The only one that asks whether there was a run.
    assert own == [sql for sql in asked if "EXISTS" in sql or 'FROM "collection_run"' in sql and "SELECT 1" in sql]
    assert len(own) == 1
    assert len(queries_of(several, path)) == len(asked)
    assert len(queries_of(chosen, path)) == len(asked) + more


def test_scripts_name_the_archive_where_the_api_takes_it() -> None:
    script = (Path(RESOURCES) / "static/js/shared/own_archive.js").read_text()
    found = re.search(r"const ABOUT_ONE = /(.*)/;", script)
    assert found
    about_one = re.compile(found[1].replace("\\/", "/"))
    paths = {one.path: one.description.names_archive for one in operations() if "/report" not in one.path}
    assert {path for path, names in paths.items() if bool(about_one.search(path)) != names} == set()


def test_the_page_lists_what_each_archive_holds(alice: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    archive(second, call("a", ts="2026-08-01 10:00:00"), call("b", ts="2026-08-03 10:00:00"))
    credential.store(second, COOKIE)
    page = api.get("/archives").content.decode()
    card = page[page.index(f'id="archive-{second}"') :]
    for words in ("At work", "CodeBuddy", "2 records", "2026-08-01 to 2026-08-03", f"set, {len(COOKIE)} chars"):
        assert words in card
    assert COOKIE not in page
    assert "It cannot be deleted" in page[: page.index(f'id="archive-{second}"')]


def test_no_more_than_twenty_are_offered(alice: User, api_of: ApiOf) -> None:
    for _ in range(19):
        further_archive(alice)
    page = api_of(alice).get("/archives").content.decode()
    assert re.search(r'id="new-archive"[^>]* disabled', page)
    assert "at most 20 archives" in page


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 400), ("/archives", 400), ("/summaries/39", 404), ("/nothing", 404), ("/runs", 400), ("/profile", 200)],
)
def test_more_parameters_than_are_read_are_no_failure(path: str, status: int, alice: User, api_of: ApiOf) -> None:
    further_archive(alice)
    assert api_of(alice).client.get(f"{path}?{'&'.join(['q=7'] * 1001)}").status_code == status
