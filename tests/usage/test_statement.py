"""The statement of a month, as a page and as a file (docs/api.md#pages)."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.test.utils import override_script_prefix

from accounts.actor import Actor
from accounts.models import User
from archive_site.account_deletion import delete_account
from archive_site.archive_adoption import adopt_archive
from archive_site.lib import clock
from archive_site.lib.resources import RESOURCES
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.amounts.units import CREDITS
from usage.coverage.ledger import State
from usage.models import CoverageDay, DayTotal, Reach
from usage.record_payloads import exact
from usage.retention import choices, erasing
from usage.retention.choices import Choice
from usage.statements.page import PROMPTLESS, STATES
from usage.statements.statement import Statement, statement

ApiOf = Callable[[User], ApiClient]
NOW = datetime(2026, 9, 4, 10, tzinfo=UTC)
PATH = "/statements/2026-09"


@pytest.fixture(autouse=True)
def _now(at: Callable[[datetime], None]) -> None:
    at(NOW)


def known(user: User, day: str, upstream: int | None, *, is_settled: bool = False) -> None:
    settled_at = NOW if is_settled else None
    checked_at = None if upstream is None else NOW - timedelta(hours=1)
    CoverageDay.objects.create(
        archive_id=user.pk, day=day, upstream=upstream, checked_at=checked_at, empty=0, settled_at=settled_at
    )


@pytest.fixture
def filled(alice: User) -> User:
    """Three days that are over, all complete, and today."""
    archive(
        alice,
        call("a1", ts="2026-09-01 09:00:00", credits=1.25, model="<model-x>", prompt="first"),
        call("a2", ts="2026-09-02 09:00:00", credits=0.000001, model="model-y", prompt="second"),
        call("a3", ts="2026-09-02 10:00:00", credits=0, model="", prompt="third"),
        call("a4", ts="2026-09-04 09:00:00", credits=1200, model="<model-x>", prompt="fourth"),
        call("august", ts="2026-08-31 09:00:00", credits=77, prompt="before"),
    )
    for day, upstream in (("2026-09-01", 1), ("2026-09-02", 2), ("2026-09-03", 0)):
        known(alice, day, upstream)
    return alice


def of(user: User, month: date = date(2026, 9, 1)) -> Statement:
    return statement(user.pk, month, wants_prompts=True)


def text_of(page: str) -> str:
    """What a page says, without its tags."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.partition("<h1>")[2]).split())


def page_of(api: ApiClient, path: str = PATH) -> str:
    answer = api.get(path)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_the_sums_of_models_and_of_days_are_the_total(filled: User) -> None:
    found = of(filled)
    assert (found.total.credits, found.total.calls, found.total.free) == (1_201_250_001, 4, 1)
    for amounts in (found.models, [day.amount for day in found.days]):
        assert sum(one.credits for one in amounts) == found.total.credits
        assert sum(one.calls for one in amounts) == found.total.calls
    assert [one.name for one in found.models] == ["<model-x>", "model-y", ""]
    assert [day.amount.name for day in found.days] == [f"2026-09-0{day}" for day in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("micro", "text"),
    [(0, "0.00"), (1, "0.000001"), (1_500_000, "1.50"), (1_201_250_001, "1,201.250001"), (-1_250_000, "-1.25")],
)
def test_amounts_have_all_their_digits(micro: int, text: str) -> None:
    assert exact(micro, CREDITS) == text


def test_a_month_whose_days_agree_with_the_service_is_proved(filled: User) -> None:
    proof = of(filled).proof
    assert (proof.over, proof.compared, proof.listed, proof.here, proof.lacking) == (3, 3, 3, 3, 0)
    assert proof.is_whole
    assert proof.last_compared == NOW - timedelta(hours=1)


def test_a_day_that_lacks_a_call_and_one_that_was_not_read_are_counted(filled: User, api_of: ApiOf) -> None:
    CoverageDay.objects.filter(archive_id=filled.pk, day="2026-09-01").update(upstream=2)
    CoverageDay.objects.filter(archive_id=filled.pk, day="2026-09-03").delete()
    proof = of(filled).proof
    assert (proof.lacking, proof.is_whole, proof.listed, proof.here) == (2, False, 4, 3)
    page = page_of(api_of(filled))
    assert "2 days lack calls, or are not compared." in page
    assert "is here." not in page
    for words in ("calls missing", "not read", "not over yet"):
        assert words in page


def test_days_that_the_service_no_longer_gives_are_not_missing(filled: User, api_of: ApiOf) -> None:
    Reach.objects.create(archive_id=filled.pk, first_day="2026-09-02")
    CoverageDay.objects.filter(archive_id=filled.pk, day="2026-09-01").delete()
    assert (of(filled).proof.gone, of(filled).proof.lacking, of(filled).proof.is_whole) == (1, 0, True)
    assert "CodeBuddy no longer gives 1 day." in page_of(api_of(filled))
    Reach.objects.update(first_day="2026-09-04")
    assert not of(filled).proof.is_whole


@pytest.mark.parametrize("settled_at", [None, NOW])
def test_a_day_with_more_calls_than_the_service_lists_has_all_that_it_lists(
    settled_at: datetime | None, filled: User, api_of: ApiOf
) -> None:
    CoverageDay.objects.filter(archive_id=filled.pk, day="2026-09-02").update(upstream=1, settled_at=settled_at)
    found = of(filled)
    assert (found.proof.lacking, found.proof.is_whole) == (0, True)
    assert found.days[1].known.is_final is (settled_at is not None)
    text = text_of(page_of(api_of(filled)))
    assert "Every call that CodeBuddy lists of the days that are over is here." in text
    assert "2026-09-02 0.000001 2 1 1 2026-09-04 11:00 more calls than at CodeBuddy" in text


def test_prompts_that_are_no_longer_given_are_named_as_in_the_ledger(
    filled: User, api_of: ApiOf, at: Callable[[datetime], None]
) -> None:
    DayTotal.objects.filter(archive_id=filled.pk, day="2026-09-01").update(without_prompt=1)
    assert "prompts missing" in page_of(api_of(filled))
    at(datetime(2026, 10, 20, tzinfo=UTC))
    page = page_of(api_of(filled))
    assert "prompts no longer given" in page
    assert "prompts missing" not in page


def test_states_have_the_names_of_the_ledger() -> None:
    script = (RESOURCES / "static" / "js" / "charts" / "ledger_days.js").read_text()
    for state, words in STATES.items():
        assert f'{state}: gettext("{words}")' in script
    assert f'promptless: gettext("{PROMPTLESS}")' in script
    assert STATES.keys() == {*State}


def test_days_whose_calls_were_erased_keep_their_sums(filled: User, api_of: ApiOf) -> None:
    before = of(filled).total
    choices.choose(filled.pk, Choice(calls_days=2))
    assert erasing.go_on()
    for query in ("", "?download=1"):
        page = page_of(api_of(filled), PATH + query)
        assert "calls erased, sums kept" in page
        assert "The calls of 1 day were erased; their sums stay." in page
    assert of(filled).total == before
    assert "calls erased, sums kept" in page_of(api_of(filled), "/statements/2026-08")


def test_a_day_that_was_read_and_not_counted_yet_is_not_proved(filled: User) -> None:
    CoverageDay.objects.filter(archive_id=filled.pk, day="2026-09-03").update(upstream=None, checked_at=None)
    proof = of(filled).proof
    assert (proof.over, proof.compared, proof.lacking, proof.is_whole) == (3, 2, 1, False)


def test_after_an_adoption_no_day_is_proved_until_it_is_counted_again(filled: User, bob: User, api_of: ApiOf) -> None:
    archive(bob, call("b1", ts="2026-09-02 11:00:00", credits=1))
    # The service lists a call of bob that is not here.
    known(bob, "2026-09-02", 2, is_settled=True)
    delete_account(bob.pk, keep_data=True, actor=Actor("command line", None))
    adopt_archive(bob.pk, filled)
    assert (of(filled).proof.lacking, of(filled).proof.compared) == (3, 0)
    assert "3 days lack calls, or are not compared." in page_of(api_of(filled))
    days = api_of(filled).get("/api/coverage", **{"from": "2026-09-01", "to": "2026-09-03"}).json()["days"]
    assert {(day["state"], day["upstream"]) for day in days} == {("checked", None)}


def test_the_page_has_the_sums_the_proof_and_the_days(filled: User, api_of: ApiOf) -> None:
    text = text_of(page_of(api_of(filled)))
    for words in (
        "Statement 2026-09",
        "Every call that CodeBuddy lists of the days that are over is here.",
        "This month is not over yet.",
        "&lt;model-x&gt; 1,201.25 2 0",
        "no model 0.00 1 1",
        "3 of 3",
        "2026-09-02 0.000001 2 1 2 2026-09-04",
    ):
        assert words in text, words
    assert "fourth" not in text
    assert "77.00" not in text


def test_a_month_that_is_over_says_so(filled: User, api_of: ApiOf, at: Callable[[datetime], None]) -> None:
    for day in range(4, 31):
        known(filled, f"2026-09-{day:02}", 1 if day == 4 else 0, is_settled=True)
    at(datetime(2026, 10, 2, tzinfo=UTC))
    page = page_of(api_of(filled))
    assert "Every call that CodeBuddy lists of this month is here." in page
    assert "not over yet" not in page
    assert len(of(filled).days) == 30
    assert 'href="/statements/2026-10"' in page


def test_the_file_is_the_same_and_needs_no_other(filled: User, api_of: ApiOf) -> None:
    api = api_of(filled)
    answer = api.get(f"{PATH}?download=1")
    file = answer.content.decode()
    assert answer.headers["Content-Disposition"] == f'attachment; filename="statement-{filled.username}-2026-09.html"'
    assert answer.headers["Content-Type"].startswith("text/html")
    plain = re.sub(r'<link rel="stylesheet" href="data:text/css;base64,[\w+/]+=*">', "", file)
    assert len(plain) < len(file)
    assert not re.search(r"<script|<link|<img|<form|<a\s|\ssrc=|\shref=|url\(|@import", plain)
    body = re.search(r'<section class="card".*</section>', file, re.DOTALL)
    assert body
    assert body[0] in page_of(api)
    assert "&lt;model-x&gt;" in file


@pytest.mark.parametrize(
    ("path", "words"),
    [("2026-07", "Nothing of this month is archived."), ("2026-10", "This month has not begun."),
     ("9999-12", "This month has not begun."), ("1970-01", "Nothing of this month is archived.")],
)  # fmt: skip
def test_a_month_without_data_says_so(path: str, words: str, filled: User, api_of: ApiOf) -> None:
    page = page_of(api_of(filled), f"/statements/{path}")
    assert words in page
    assert "download" not in page


@pytest.mark.parametrize(
    "path",
    ["2026-13", "2026-00", "2026-1", "1969-12", "0000-01", "10000-01", "2026", "2026-09-01", "2026-09 ", "２０２６-09",
     "x", "2026-09%0a", "-2026-09"],
)  # fmt: skip
def test_what_is_no_month_is_not_found(path: str, filled: User, api_of: ApiOf) -> None:
    assert api_of(filled).get(f"/statements/{path}").status_code == 404


def test_a_month_in_which_the_service_had_no_calls_is_a_statement(alice: User, api_of: ApiOf) -> None:
    for day in (1, 2, 3):
        known(alice, f"2026-09-0{day}", 0, is_settled=True)
    text = text_of(page_of(api_of(alice)))
    assert "Every call that CodeBuddy lists of the days that are over is here." in text
    assert "Credits 0.00" in text


def test_another_account_sees_its_own(filled: User, bob: User, api_of: ApiOf) -> None:
    api = api_of(bob)
    for path in (PATH, f"{PATH}?user_id={filled.pk}", f"{PATH}?download=1&user_id={filled.pk}"):
        answer = api.get(path)
        text = answer.content.decode() + str(answer.headers)
        assert "model-x" not in text
        assert filled.username not in text


def test_neighbours_end_with_the_present_month_and_the_first_of_1970(filled: User, api_of: ApiOf) -> None:
    api = api_of(filled)
    page = page_of(api)
    assert 'href="/statements/2026-08"' in page
    assert "/statements/2026-10" not in page
    assert 'href="/statements/2026-09"' in page_of(api, "/statements/2031-05")
    assert "/statements/1969-12" not in page_of(api, "/statements/1970-01")


def test_it_is_linked_from_the_summary_of_the_month_and_from_the_overview(filled: User, api_of: ApiOf) -> None:
    api = api_of(filled)
    assert 'href="/statements/2026-09"' in page_of(api, "/summaries/month/2026-09-01")
    assert "/statements/" not in page_of(api, "/summaries/week/2026-08-31")
    assert f'href="/statements/{clock.today():%Y-%m}"' in page_of(api, "/")


def test_its_addresses_are_under_the_path_of_the_service(filled: User, api_of: ApiOf) -> None:
    api = api_of(filled)
    with override_script_prefix("/usage/"):
        assert 'href="/usage/statements/2026-08"' in page_of(api)


def test_it_costs_few_queries(filled: User, django_assert_max_num_queries: Any) -> None:
    with django_assert_max_num_queries(9):
        of(filled)
