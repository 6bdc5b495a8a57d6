"""GET /api/bundle: all data of a dashboard in one answer (docs/api.md#bundle)."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from archive_site.combined_answers import bundle
from tests.factories import ApiClient
from tests.query_counts import SESSION
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, plans_of

ApiOf = Callable[[User], ApiClient]
Ask = Callable[..., dict[str, Any]]
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def still(time: SetClock) -> None:
    time.now = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


@pytest.fixture
def ask(alice: User, api_of: ApiOf) -> Ask:
    def answer(**params: object) -> dict[str, Any]:
        response = api_of(alice).get("/api/bundle", **params)
        assert response.status_code == 200
        body: dict[str, Any] = response.json()
        return body

    return answer


@pytest.fixture
def archived(alice: User) -> User:
    archive(
        alice,
        call("a", credits=1, ts="2026-09-01 10:00:00", prompt="x" * 500),
        call("b", credits=5, ts="2026-09-02 10:00:00", model="kimi"),
        call("c", credits=0, ts="2026-09-03 10:00:00", client="cli"),
    )
    return alice


def ids(records: list[dict[str, Any]]) -> list[str]:
    return [record["id"] for record in records]


def test_an_empty_archive_has_every_key(ask: Ask) -> None:
    answer = ask()
    assert list(answer) == [
        "manifest", "daily", "dims", "top", "records", "recordsTotal", "recordsCap", "recordsTruncated", "totals",
        "window",
    ]  # fmt: skip
    assert (answer["daily"], answer["top"], answer["records"], answer["recordsTotal"]) == ([], [], [], 0)
    assert (answer["recordsCap"], answer["recordsTruncated"]) == (20000, False)
    assert answer["window"] == {"from": None, "to": None, "days": None}


@pytest.mark.parametrize("params", [{}, {"from": "2026-09-02"}, {"from": "2026-09-01", "to": "2026-09-02"}])
def test_its_parts_are_those_of_the_single_reads(
    archived: User, api_of: ApiOf, ask: Ask, params: dict[str, str]
) -> None:
    visitor, answer = api_of(archived), ask(**params)
    assert answer["manifest"] == visitor.get("/api/manifest").json()
    assert answer["daily"] == visitor.get("/api/daily", **params).json()["days"]
    assert answer["dims"] == visitor.get("/api/dims", **params).json()
    assert answer["top"] == visitor.get("/api/top", **params).json()
    summary = visitor.get("/api/summary", **params).json()
    assert answer["window"] == summary["window"]
    assert answer["totals"] == {name: summary[name] for name in answer["totals"]}
    assert set(answer["totals"]) == {"credits", "calls", "free", "paid", "models", "clients"}


@pytest.mark.usefixtures("archived")
def test_records_are_in_the_short_form_newest_first(ask: Ask) -> None:
    answer = ask(**{"to": "2026-09-02"})
    assert answer["records"] == [
        {"id": "b", "c": 5, "m": "kimi", "cl": "ide", "t": "2026-09-02 10:00:00", "px": ""},
        {"id": "a", "c": 1, "m": "glm", "cl": "ide", "t": "2026-09-01 10:00:00", "px": "x" * 120},
    ]
    assert (answer["recordsTotal"], answer["recordsTruncated"]) == (2, False)


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(("cap", "truncated"), [(2, True), (3, False)])
def test_more_than_the_cap_gives_the_newest_and_says_so(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, cap: int, truncated: bool
) -> None:
    monkeypatch.setattr(bundle, "RECORDS_CAP", cap)
    answer = ask()
    assert ids(answer["records"]) == ["c", "b", "a"][:cap]
    assert (answer["recordsTotal"], answer["recordsCap"], answer["recordsTruncated"]) == (3, cap, truncated)


@pytest.mark.usefixtures("archived")
@pytest.mark.parametrize(("n", "found"), [("1", ["b"]), ("0", ["b"]), ("2", ["b", "a"]), ("x", ["b", "a", "c"])])
def test_top_n_says_how_many_of_the_dearest(ask: Ask, n: str, found: list[str]) -> None:
    assert ids(ask(topN=n)["top"]) == found


def test_top_n_is_30_by_default_and_1000_at_most(alice: User, ask: Ask) -> None:
    archive(alice, *(call(f"r{number}", credits=number) for number in range(1001)))
    assert [len(ask(**params)["top"]) for params in ({}, {"topN": "1001"})] == [30, 1000]


@pytest.mark.usefixtures("archived")
def test_model_and_client_are_no_parameters_of_it(ask: Ask) -> None:
    assert ask(model="kimi", client="cli") == ask()


def test_ordinary_users_see_no_sources(archived: User, root: User, api_of: ApiOf, ask: Ask) -> None:
    assert "sources" not in ask()["manifest"]
    assert api_of(root).get("/api/bundle").json()["manifest"]["sources"]


def test_anonymous_is_401_and_a_bad_date_400(anonymous: ApiClient, alice: User, api_of: ApiOf) -> None:
    assert anonymous.get("/api/bundle").status_code == 401
    assert api_of(alice).get("/api/bundle", **{"from": "soon"}).status_code == 400


# Its cost.


def test_the_number_of_queries_is_the_same_whatever_the_size(alice: User, api_of: ApiOf) -> None:
    visitor, numbers = api_of(alice), set()
    for size in (1, 300, 3000):
        archive(alice, *(call(f"r{number}", ts=f"2026-09-{number % 28 + 1:02} 10:00:00") for number in range(size)))
        with CaptureQueriesContext(connection) as captured:
            visitor.get("/api/bundle", **{"from": "2026-09-01", "to": "2026-09-30"})
        numbers.add(len(captured))
    # Account, cookie, choice, tag; manifest 5, daily 1, dims 3, top 4, records 2; totals, horizon, number of records.
    assert numbers == {SESSION + 28}


@pytest.mark.sqlite_only
def test_no_part_of_it_scans_or_sorts_the_records(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    plans = [plan for plan in plans_of(lambda: visitor.get("/api/bundle")) if "usage_record" in plan]
    assert len(plans) == 3
    assert not [plan for plan in plans if "SCAN" in plan or "TEMP" in plan]


def test_a_full_bundle_of_chinese_prompts_stays_under_25_megabytes(alice: User, api_of: ApiOf) -> None:
    archive(
        alice,
        *(
            call(f"{number:036}", model="模型" * 10, client="c" * 20, credits=number + 0.123456, prompt="提" * 5000)
            for number in range(400)
        ),
    )
    # JSON is sent unescaped: three bytes a character.
    records = len(api_of(alice).get("/api/bundle", topN=1).content) / 400
    assert records * (bundle.RECORDS_CAP + 1000) < 25_000_000
