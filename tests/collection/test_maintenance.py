"""POST /api/maintenance/<action>: roles and intervals (docs/api.md#maintenance)."""

import pytest

from accounts.models import User
from audit.models import Entry
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import set_up
from tests.collection.maintenance_endpoint import ApiOf, ask, audited, refused
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock

INTERVALS = {"fill-prompt": 60, "export-csv": 15, "vacuum": 120, "recount": 5}
# Counters expire by the clock of the test.
pytestmark = pytest.mark.usefixtures("time")


# Roles


def test_it_needs_the_token_then_an_account(anonymous: ApiClient, db: None) -> None:
    assert refused(anonymous, "recount") == (401, "unauthorized")
    assert anonymous.client.post("/api/maintenance/recount").status_code == 400


def test_it_is_a_post(api: ApiClient) -> None:
    assert api.get("/api/maintenance/recount").status_code == 405


@pytest.mark.parametrize("action", ["unknown", "Recount", "fill_prompt", "__class__", "runs"])
def test_an_unknown_action_is_404(api: ApiClient, action: str) -> None:
    assert refused(api, action) == (404, "unknown")


OTHER_PATHS = ["", "/", "recount/", "a/b", "recount/recount", "a%2Fb", "recount%0A", "a%00b", "%ff", "%2e%2e"]


@pytest.mark.parametrize("action", OTHER_PATHS)
def test_any_other_path_is_an_unknown_action_too(api: ApiClient, action: str) -> None:
    assert refused(api, action) == (404, "unknown")
    assert audited() == []


@pytest.mark.parametrize("action", OTHER_PATHS)
def test_an_unknown_action_needs_the_token_then_an_account_and_a_post(
    api: ApiClient, anonymous: ApiClient, action: str
) -> None:
    """The CSRF check comes first, then authentication, then the action."""
    path = f"/api/maintenance/{action}"
    assert anonymous.client.post(path).status_code == 400
    assert api.client.post(path).status_code == 400
    assert refused(anonymous, action) == (401, "unauthorized")
    assert api.get(path).status_code == 405


def test_the_store_is_compacted_for_administrators_only(api: ApiClient) -> None:
    assert refused(api, "vacuum") == (403, "forbidden")
    assert refused(api, "vacuum") == (403, "forbidden")
    assert audited() == []


@pytest.mark.parametrize("action", ["fill-prompt", "export-csv", "recount"])
def test_what_concerns_the_own_data_anybody_may(api: ApiClient, action: str, alice: User) -> None:
    answer = ask(api, action)
    assert (answer.status_code, set(answer.json())) == (200, {"ok", "message"})
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id, entry.ip) == (
        f"maintenance:{action}", "alice", alice.pk, "127.0.0.1"
    )  # fmt: skip
    assert entry.detail == answer.json()["message"]


@pytest.mark.usefixtures("quick_vacuum")
def test_an_administrator_may_do_all(root: User, upstream: Simulator) -> None:
    set_up(root, upstream)
    api = ApiClient.signed_in(root)
    assert [ask(api, action).status_code for action in INTERVALS] == [200] * 4
    assert audited() == [f"maintenance:{action}" for action in INTERVALS]


# How often


@pytest.mark.file_counters
@pytest.mark.usefixtures("quick_vacuum")
@pytest.mark.parametrize(("action", "seconds"), INTERVALS.items())
def test_each_has_its_interval(root: User, upstream: Simulator, time: SetClock, action: str, seconds: int) -> None:
    set_up(root, upstream)
    api = ApiClient.signed_in(root)
    assert ask(api, action).status_code == 200
    time.pass_by(seconds=1)
    answer = ask(api, action)
    assert (answer.status_code, answer.json()["error"]) == (429, "too_frequent")
    assert answer.json()["message"] == f"Done a moment ago: wait {seconds - 1} seconds."
    assert answer.headers["Retry-After"] == str(seconds - 1)
    time.pass_by(seconds=seconds - 1)
    assert ask(api, action).status_code == 200
    assert audited() == [f"maintenance:{action}"] * 2


@pytest.mark.thorough
@pytest.mark.file_counters
@pytest.mark.parametrize("begun", [0.0, 0.25, 0.9])
@pytest.mark.parametrize("later", [0.0, 0.05, 0.11, 3.3, 4.95])
def test_who_waits_as_long_as_asked_is_not_refused_again(
    api: ApiClient, time: SetClock, begun: float, later: float
) -> None:
    time.now = time.now.replace(microsecond=0)
    time.pass_by(seconds=begun)
    ask(api, "recount")
    time.pass_by(seconds=later)
    time.pass_by(seconds=int(ask(api, "recount").headers["Retry-After"]))
    assert ask(api, "recount").status_code == 200


@pytest.mark.file_counters
def test_a_refusal_does_not_make_the_wait_longer(api: ApiClient, time: SetClock) -> None:
    ask(api, "recount")
    for _ in range(4):
        time.pass_by(seconds=1)
        assert refused(api, "recount") == (429, "too_frequent")
    time.pass_by(seconds=1)
    assert ask(api, "recount").status_code == 200


def test_each_account_and_each_action_waits_for_itself(api: ApiClient, bob: User, api_of: ApiOf) -> None:
    ask(api, "recount")
    assert ask(api, "export-csv").status_code == 200
    assert ask(api_of(bob), "recount").status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_is_done(alice: User) -> None:
    apis = [ApiClient.signed_in(alice) for _ in range(4)]
    statuses = together(*[lambda api=api: ask(api, "recount").status_code for api in apis])
    assert sorted(statuses) == [200, 429, 429, 429]
