"""GET /runs and /runs/<id>, and collection in the frame and on the settings page (docs/api.md#pages)."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.credentials import credential
from accounts.models import Setting, User
from collection.maintenance_actions import ACTIONS
from collection.models import Progress, Run
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from usage.models import CoverageDay

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
NOON = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)
REFUSED = "data-cookie-refused"
MISSING = "data-missing"


@pytest.fixture(autouse=True)
def noon(time: SetClock) -> None:
    time.now = NOON


def run_of(user: User, exit_code: int | None = 0, *, minutes_ago: float = 0, **fields: Any) -> Run:
    at = NOON - timedelta(minutes=minutes_ago)
    values = {"trigger": "manual", "status": "ok", "created_at": at, "started_at": at, **fields}
    return Run.objects.create(archive_id=user.pk, exit_code=exit_code, **values)


def cookie_of(user: User, *, minutes_ago: float) -> None:
    credential.store(user.pk, "session=1|2|3; marker=1")
    Setting.objects.filter(key="cookie").update(updated_at=NOON - timedelta(minutes=minutes_ago))


def page_of(visitor: ApiClient, path: str) -> str:
    return str(visitor.get(path).content, "utf-8")


@pytest.mark.parametrize("path", ["/runs", "/runs/1"])
def test_anonymous_visitors_are_led_to_the_sign_in(path: str, anonymous: ApiClient) -> None:
    response = anonymous.get(path)
    assert (response.status_code, response.headers["Location"]) == (302, f"/login?next={path}")


def test_an_own_run_has_its_page(alice: User, api_of: ApiOf) -> None:
    run = run_of(alice)
    assert f'data-id="{run.pk}"' in page_of(api_of(alice), f"/runs/{run.pk}")


def test_another_accounts_run_is_a_missing_page(alice: User, bob: User, api_of: ApiOf) -> None:
    run = run_of(bob)
    response = api_of(alice).get(f"/runs/{run.pk}")
    assert (response.status_code, response.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
    assert "There is nothing at this address." in response.content.decode()


def test_an_administrator_sees_the_own_runs_only(root: User, bob: User, api_of: ApiOf) -> None:
    assert api_of(root).get(f"/runs/{run_of(bob).pk}").status_code == 404


@pytest.mark.parametrize("run_id", ["999", "0", "-1", "x", "1.0", "9" * 30, "²"])
def test_an_id_that_names_no_run_is_a_missing_page(run_id: str, alice: User, api_of: ApiOf) -> None:
    run_of(alice)
    assert api_of(alice).get(f"/runs/{run_id}").status_code == 404


def test_a_run_that_was_asked_to_stop_says_so(alice: User, api_of: ApiOf) -> None:
    asked, other = (run_of(alice, status="running", stop_requested=requested) for requested in (True, False))
    assert ["data-asked" in page_of(api_of(alice), f"/runs/{run.pk}") for run in (asked, other)] == [True, False]


@pytest.mark.parametrize("path", ["/runs", "/runs/{}"])
def test_the_pages_have_no_inline_style_or_handler(path: str, alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice), path.format(run_of(alice).pk))
    assert " style=" not in page
    assert " onclick=" not in page


@pytest.mark.parametrize("path", ["/runs", "/runs/{}"])
def test_a_post_is_405(path: str, alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).post(path.format(run_of(alice).pk)).status_code == 405


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("/", "Overview"),
        ("/runs", "Runs"),
        ("/runs/{}", "Runs"),
        ("/summaries/week/2026-03-02", "Summaries"),
        ("/summaries/month/2026-02-01", "Summaries"),
        ("/statements/2026-02", "Summaries"),
    ],
)
def test_one_entry_of_the_bar_and_its_menus_is_marked(path: str, entry: str, alice: User, api_of: ApiOf) -> None:
    page = page_of(api_of(alice), path.format(run_of(alice).pk))
    links = [line for line in page.splitlines() if "<a href=" in line and " aria-current=" in line]
    # The links of the bar are in its menu, too.
    assert {re.sub("<[^>]*>", "", link).strip() for link in links} == {entry}


@pytest.mark.parametrize("path", ["/", "/runs", "/config", "/profile"])
def test_a_refused_cookie_is_shown_on_every_page(path: str, alice: User, api_of: ApiOf) -> None:
    cookie_of(alice, minutes_ago=60)
    run_of(alice, 4, minutes_ago=30)
    assert REFUSED in page_of(api_of(alice), path)


@pytest.mark.parametrize("later", [5, 6, None])
def test_a_cookie_stays_refused_after_a_run_that_did_not_try_it(later: int | None, alice: User, api_of: ApiOf) -> None:
    cookie_of(alice, minutes_ago=60)
    run_of(alice, 4, minutes_ago=30)
    run_of(alice, later, minutes_ago=10)
    assert REFUSED in page_of(api_of(alice), "/runs")


def test_a_success_lifts_the_refusal(alice: User, api_of: ApiOf) -> None:
    cookie_of(alice, minutes_ago=60)
    run_of(alice, 4, minutes_ago=30)
    run_of(alice, 0, minutes_ago=10)
    assert REFUSED not in page_of(api_of(alice), "/runs")


def test_a_new_cookie_lifts_the_refusal(alice: User, api_of: ApiOf) -> None:
    run_of(alice, 4, minutes_ago=30)
    cookie_of(alice, minutes_ago=10)
    assert REFUSED not in page_of(api_of(alice), "/runs")


def test_another_accounts_refusal_is_not_shown(alice: User, bob: User, api_of: ApiOf) -> None:
    cookie_of(alice, minutes_ago=60)
    run_of(bob, 4, minutes_ago=30)
    assert REFUSED not in page_of(api_of(alice), "/runs")


def test_a_missing_cookie_is_shown_before_any_script_asks_unless_it_is_there(alice: User, api_of: ApiOf) -> None:
    sentence = "No cookie is set, so nothing new is collected."
    assert sentence in page_of(api_of(alice), "/runs")
    # The first steps have a better message.
    assert sentence not in page_of(api_of(alice), "/")
    cookie_of(alice, minutes_ago=60)
    assert sentence not in page_of(api_of(alice), "/runs")


def asked(user: User, *days: str) -> None:
    """Days that runs have read to their end; 2026-09-08 is today."""
    CoverageDay.objects.bulk_create(CoverageDay(archive_id=user.pk, day=day) for day in days)


def complete_through(user: User, **ago: float) -> None:
    Progress.objects.create(archive_id=user.pk, complete_through=NOON - timedelta(**ago))


def test_the_days_that_no_run_has_read_are_shown(alice: User, api_of: ApiOf) -> None:
    asked(alice, "2026-09-01", "2026-09-04", "2026-09-06", "2026-09-07")
    complete_through(alice, hours=1)
    expected = f'{MISSING}="3" data-missing-from="2026-09-02" data-missing-to="2026-09-05"'
    assert expected in page_of(api_of(alice), "/runs")


@pytest.mark.parametrize("status", ["interrupted", "failed"])
def test_the_days_that_the_last_run_did_not_come_to_are_shown(status: str, alice: User, api_of: ApiOf) -> None:
    asked(alice, "2026-09-04", "2026-09-05")
    complete_through(alice, days=2)
    run_of(alice, 6, status=status)
    expected = f'{MISSING}="2" data-missing-from="2026-09-06" data-missing-to="2026-09-07"'
    assert expected in page_of(api_of(alice), "/runs")


@pytest.mark.parametrize("status", ["ok", "running"])
def test_the_days_after_a_run_that_ended_well_wait_for_the_next_one(status: str, alice: User, api_of: ApiOf) -> None:
    asked(alice, "2026-09-04", "2026-09-05")
    complete_through(alice, days=2)
    run_of(alice, 6, status="failed", minutes_ago=60)
    run_of(alice, status=status)
    assert MISSING not in page_of(api_of(alice), "/runs")


def test_a_run_of_chosen_days_says_nothing_of_those_that_the_last_one_left(alice: User, api_of: ApiOf) -> None:
    asked(alice, "2026-09-05")
    complete_through(alice, days=2)
    run_of(alice, 6, status="failed", minutes_ago=60)
    run_of(alice, is_ranged=True)
    run_of(alice, kind="verification")
    assert MISSING in page_of(api_of(alice), "/runs")


def test_the_missing_days_of_another_account_are_not_shown(alice: User, bob: User, api_of: ApiOf) -> None:
    asked(bob, "2026-09-01")
    complete_through(bob, days=2)
    run_of(bob, 6, status="failed")
    assert MISSING not in page_of(api_of(alice), "/runs")


def actions_on(page: str) -> set[str]:
    return {part.split('"')[0] for part in page.split('data-action="')[1:]}


def test_the_settings_offer_each_action_to_those_who_may_run_it(alice: User, root: User, api_of: ApiOf) -> None:
    assert actions_on(page_of(api_of(root), "/config")) == set(ACTIONS)
    everybodys = {name for name, action in ACTIONS.items() if not action.for_admins}
    assert actions_on(page_of(api_of(alice), "/config")) == everybodys


def test_the_next_runs_stand_where_the_schedule_is_edited(root: User, api_of: ApiOf) -> None:
    paths = ("/config", "/config/instance")
    assert ['id="next-runs"' in page_of(api_of(root), path) for path in paths] == [False, True]
