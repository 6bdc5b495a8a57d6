"""Summaries that are sent on the morning after their week or month, by choice."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from accounts.delivery import choices
from accounts.delivery.choices import Choices
from accounts.models import Notice, User
from archive_site import notice_causes
from archive_site.lib import stored_message
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from tests.usage.retention.kept_archives import keep
from usage.models import CoverageDay

# A Monday.
NOW = datetime(2026, 9, 7, 0, 30, tzinfo=UTC)
MoveTo = Callable[[datetime], None]


@pytest.fixture
def at(time: SetClock, db: None) -> MoveTo:
    def move(instant: datetime) -> None:
        time.now = instant

    return move


@pytest.fixture
def filled(alice: User, at: MoveTo) -> User:
    at(NOW)
    archive(alice, call("a1", ts="2026-09-03 09:00:00", credits=5, model="model-x", prompt="marker prompt"))
    return alice


def sent(user: User) -> list[str]:
    notice_causes.look()
    notices = Notice.objects.filter(user_id=user.pk, event="summary").order_by("pk")
    assert all(one.ended_at for one in notices)
    return [stored_message.text_of(one.stored_begin) for one in notices]


def test_a_summary_of_erased_days_says_so_and_names_no_call_as_the_dearest(filled: User, at: MoveTo) -> None:
    archive(filled, call("a2", ts="2026-09-06 09:00:00", credits=1, model="model-y"))
    choices.store(filled.pk, Choices(summaries=frozenset(["week"])))
    at(NOW + timedelta(hours=9))
    keep(filled, calls_days=2)
    (text,) = sent(filled)
    assert " Calls before 2026-09-05 were erased; their sums stay." in text
    assert "6 credits. Calls: 2." in text
    assert "Dearest calls: 1 (model-y, 2026-09-06 09:00)." in text
    Notice.objects.all().delete()
    keep(filled, calls_days=1)
    archive(filled)
    keep(filled, calls_days=1)
    at(NOW + timedelta(days=1, hours=9))
    keep(filled, calls_days=1)
    (text,) = sent(filled)
    assert "Dearest" not in text
    assert "By model: model-x 5, model-y 1." in text
    page = ApiClient.signed_in(filled).get("/summaries/week/2026-08-31").content.decode()
    assert "Calls before 2026-09-07 were erased; their sums stay." in page


def test_it_is_sent_once_in_the_morning_after(filled: User, at: MoveTo) -> None:
    choices.store(filled.pk, Choices(summaries=frozenset(["week"])))
    assert sent(filled) == []
    for hours in (9, 10, 40):
        at(NOW + timedelta(hours=hours))
        (text,) = sent(filled)
    assert text.startswith("2026-08-31 to 2026-09-06: 5 credits. Calls: 1.")
    assert "By model: model-x 5." in text
    assert "/summaries/week/2026-08-31" in text
    assert "marker" not in text
    CoverageDay.objects.create(archive_id=filled.pk, day="2026-09-08")
    at(NOW + timedelta(days=7, hours=9))
    assert "no calls" in sent(filled)[1]


def test_prompts_are_in_it_only_by_choice(filled: User, at: MoveTo) -> None:
    choices.store(filled.pk, Choices(summaries=frozenset(["week"]), with_prompts=True))
    at(NOW + timedelta(hours=9))
    assert "marker prompt" in sent(filled)[0]


def test_old_ones_are_not_sent_to_who_chooses_them_later(filled: User, at: MoveTo) -> None:
    at(NOW + timedelta(days=4))
    choices.store(filled.pk, Choices(summaries=frozenset(["week", "month"])))
    assert sent(filled) == []


def test_they_are_chosen_by_the_api(filled: User, api_of: Callable[[User], ApiClient]) -> None:
    api = api_of(filled)
    assert api.get("/api/notices").json()["summaries"] == {"week": False, "month": False}
    answer = api.post("/api/notices", {"summaries": {"month": True}, "summary_prompts": True}).json()
    assert (answer["summaries"], answer["summary_prompts"]) == ({"week": False, "month": True}, True)
    assert api.post("/api/notices", {"quiet_from": "", "quiet_to": ""}).json()["summaries"]["month"] is True


@pytest.mark.parametrize(
    "body", [{"summaries": ["week"]}, {"summaries": {"year": True}}, {"summaries": {"week": 1}}, {"summary_prompts": 1}]
)
def test_what_is_wrong_is_refused(body: Any, filled: User, api_of: Callable[[User], ApiClient]) -> None:
    assert api_of(filled).post("/api/notices", body).status_code == 400
