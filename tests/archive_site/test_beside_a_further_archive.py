"""Notices name the further archive that they are about; summaries and metrics are of the first one."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from accounts import archive_changes, notice_checks
from accounts.actor import Actor
from accounts.credentials import credential
from accounts.delivery import choices
from accounts.delivery.choices import Choices
from accounts.models import CookieLifetime, Notice, Setting, User
from archive_site import notice_causes
from archive_site.lib import clock, stored_message
from archive_site.lib.stored_message import Message
from collection import watermark
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import API, COOKIE_EXPIRED, RunOutcome
from tests.archive_site.metrics_page import Scraper
from tests.factories import further_archive
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.models import Budget, CoverageDay

pytestmark = pytest.mark.django_db
# A Monday.
NOW = datetime(2026, 9, 7, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def monday(time: SetClock) -> None:
    time.now = NOW


def fill(archive_id: int, *outcomes: RunOutcome) -> None:
    """Give cause for a notice of each kind: an end of the cookie, failures, days to be lost, a budget and a spike."""
    archive(archive_id, *[call(f"u{n}", ts=f"2026-08-{n:02} 09:00:00", credits=9) for n in range(10, 31)])
    archive(archive_id, call("w1", ts="2026-09-03 09:00:00", credits=9))
    archive(archive_id, call("t1", ts="2026-09-07 09:00:00", credits=900))
    Budget.objects.create(archive_id=archive_id, period="month", credits=10**6, thresholds="[50]")
    CoverageDay.objects.create(archive_id=archive_id, day="2026-08-08", upstream=5)
    watermark.ensure_mark(archive_id, NOW)
    credential.store(archive_id, f"session=x|{int((NOW + timedelta(days=1)).timestamp())}|0123abcd")
    for outcome in outcomes:
        run = runs.begin(archive_id, Run.Trigger.SCHEDULE, clock.now(), clock.now())
        runs.finish(run, outcome, Message("stopped"), runs.Journal(run.pk), actor="scheduler")


def notices(user: User) -> list[tuple[str, str]]:
    notice_causes.look()
    found = Notice.objects.filter(user_id=user.pk).order_by("event", "pk")
    return [(one.event, stored_message.text_of(one.stored_begin)) for one in found]


@pytest.mark.parametrize(
    ("outcomes", "event"), [((API, API, API), "collection_failed"), ((COOKIE_EXPIRED,), "cookie_refused")]
)
def test_a_further_archive_is_reported_like_a_first_one_with_its_name(
    outcomes: tuple[RunOutcome, ...], event: str, alice: User, bob: User
) -> None:
    fill(bob.pk, *outcomes)
    fill(further_archive(alice), *outcomes)
    of_bob = notices(bob)
    assert [each for each, _ in of_bob] == sorted([event, "budget", "cookie_ends", "days_short", "spike"])
    assert notices(alice) == [(each, f"At work: {text}") for each, text in of_bob]
    # Once.
    assert len(notices(alice)) == len(of_bob)


@pytest.mark.engine
def test_a_notice_about_a_further_archive_ends_with_its_cause_alone(alice: User, time: SetClock) -> None:
    second = further_archive(alice)
    for archive_id in (alice.pk, second):
        fill(archive_id, COOKIE_EXPIRED)
    assert [event for event, _ in notices(alice)].count("cookie_refused") == 2
    time.pass_by(minutes=1)
    credential.store(second, f"session=y|{int((NOW + timedelta(days=90)).timestamp())}|0123abcd")
    notice_checks.ask(alice.pk)
    notices(alice)
    ended = Notice.objects.filter(event="cookie_refused", ended_at__isnull=False).get()
    assert stored_message.text_of(ended.stored_end).startswith("At work: ")
    assert Notice.objects.filter(event="cookie_refused", ended_at=None).get().cause == "cookie"


@pytest.mark.engine
def test_a_deleted_archive_ends_its_notices_without_a_word(alice: User) -> None:
    second = further_archive(alice)
    fill(second, COOKIE_EXPIRED)
    begun = notices(alice)
    with transaction.atomic():
        archive_changes.remove(alice.pk, second, "At work", Actor("alice", alice.pk))
    assert not Notice.objects.filter(ended_at=None).exists()
    assert set(Notice.objects.values_list("stored_end", flat=True)) == {""}
    notice_checks.ask(alice.pk)
    assert notices(alice) == begun


def test_notices_and_summaries_of_the_first_archive_are_the_same_beside_a_further_one(alice: User, bob: User) -> None:
    for user in (alice, bob):
        choices.store(user.pk, Choices(summaries=frozenset(["week"])))
        archive(user, call("a1", ts="2026-09-03 09:00:00", credits=5), call("a2", ts="2026-09-07 09:00:00", credits=3))
        Budget.objects.create(archive_id=user.pk, period="month", credits=10 * 10**6, thresholds="[50]")
    fill(further_archive(alice), API, API, API)
    of_first = [one for one in notices(alice) if not one[1].startswith("At work: ")]
    assert of_first == notices(bob)
    assert [event for event, _ in of_first] == ["budget", "summary"]
    assert "5 credits. Calls: 1." in of_first[1][1]


def test_metrics_of_an_account_are_the_same_beside_a_further_archive(alice: User, bob: User, scraper: Scraper) -> None:
    for user in (alice, bob):
        archive(user, call("a1"))
    second = further_archive(alice)
    fill(second, API)
    samples = [sample for family in scraper.read().families.values() for sample in family.samples]
    of_alice, of_bob, of_second = (
        {
            (sample.name, sample.labels.get("state")): sample.value
            for sample in samples
            if sample.labels.get("account") == str(owner)
        }
        for owner in (alice.pk, bob.pk, second)
    )
    assert (of_alice, of_second) == (of_bob, {})
    assert of_alice["usage_archive_records", None] == 1


def test_how_long_a_key_lasted_says_nothing_of_the_next(alice: User) -> None:
    proxy = further_archive(alice, "Proxy", "USD", "litellm")
    CookieLifetime.objects.create(user_id=proxy, cookie_hash="x", set_at=NOW - timedelta(days=9), refused_at=NOW)
    credential.store(proxy, '{"key": "sk-0123456789"}')
    Setting.objects.filter(user_id=proxy).update(updated_at=NOW - timedelta(days=9))
    assert [event for event, _ in notices(alice)] == []
