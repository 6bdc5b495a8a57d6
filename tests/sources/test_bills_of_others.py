"""Kinds that give bills of days and no calls, and what these prove: docs/sources.md#bills-of-others."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from django.conf import settings as django_settings

from accounts import config
from accounts.config import MEGABYTE
from accounts.models import INSTANCE, Archive, User
from archive_site.lib import clock
from collection.models import Run
from collection.runs.run_outcomes import ACCOUNT_FULL, API, COOKIE_EXPIRED, OK
from collection.sources import billing, kinds
from collection.sources.anthropic_usage import simulator as anthropic
from collection.sources.openai_costs import simulator as openai
from collection.sources.over_http.simulated_api import SimulatedApi
from tests.collection.collector_run import collected_by
from tests.factories import ApiClient, further_archive
from tests.sources.player import WAITS
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Provenance, Tokens, What
from usage.models import BillDay, BillRead, DayProof
from usage.proofs import day_proofs, stored_bills
from usage.proofs.day_proofs import Proof, ProofState
from usage.source_traits import named_traits

pytestmark = [pytest.mark.django_db, pytest.mark.landing]
NOW = datetime(2026, 9, 15, 9, 59, 30, tzinfo=UTC)
DAYS = [date(2026, 9, number) for number in range(2, 11)]
KINDS = ("openai-costs", "anthropic-usage")
MODELS = {"openai-costs": "example-1", "anthropic-usage": "claude-example-1"}
numbers = count()


class Billed:
    """An organisation whose bills prove the days of a gateway."""

    def __init__(self, kind: str, owner: User, gateway: int, service: Any) -> None:
        self.kind, self.model, self.gateway, self.service = kind, MODELS[kind], gateway, service
        way = kinds.KINDS[kind].way
        assert way
        self.archive_id = Archive.objects.create(
            user_id=owner.pk, kind=kind, label=kind, unit="USD", address=service.base_url, proves_id=gateway
        ).pk
        way.store(self.archive_id, {"key": service.key})

    def use(self, day: date, model: str = "", calls: int = 2) -> None:
        """Calls of a model on a day, there and here."""
        name = model or self.model
        self.bill(day, name, calls)
        archive(self.gateway, *(made(day, name) for _ in range(calls)))

    def bill(self, day: date, model: str, calls: int) -> None:
        """Calls that are there; OpenAI's input has the cached tokens."""
        used = openai.Used if self.kind == "openai-costs" else anthropic.Used
        given = 100 * calls + (30 * calls if self.kind == "openai-costs" else 0)
        self.service.used.append(used(day, model, calls, given, 20 * calls, cached=20 * calls, written=10 * calls))

    def read(self, times: int = 2) -> None:
        for _ in range(times):
            assert collected_by(self.archive_id, "alice").outcome == OK

    def proofs(self, day: date = DAYS[4]) -> list[Proof]:
        return day_proofs.proofs_of(self.gateway, [self.archive_id], day, day)[day]

    def states(self) -> dict[date, bool]:
        """Whether each day is proved; the first one of an archive may not be whole."""
        found = day_proofs.proofs_of(self.gateway, [self.archive_id], DAYS[2], DAYS[-2])
        return {day: day_proofs.is_proved(proofs) for day, proofs in found.items()}


def made(day: date, model: str) -> IncomingRecord:
    moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC) + timedelta(seconds=next(numbers) % 3600)
    ts = moment.astimezone(django_settings.SERVER_ZONE).replace(tzinfo=None).isoformat(" ", "seconds")
    measures = Measures(Provenance.ESTIMATED, Tokens(100, 20, 20, 10), moment)
    return call(f"c{next(numbers)}", ts=ts, model=f"provider/{model}", credits=1, measures=measures)


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(autouse=True)
def standing(time: SetClock, monkeypatch: pytest.MonkeyPatch, settings: Any, alice: User) -> SetClock:
    time.now = NOW
    for module, name, value in WAITS:
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(billing, "PAUSE", 0.0)
    monkeypatch.setattr(billing, "OVERLOAD_WAIT", 0.0)
    settings.SOURCES_PRIVATE = True
    User.objects.filter(pk=alice.pk).update(is_admin=True)
    assert not config.write({"collect_min_interval_seconds": "0"}, archive_id=INSTANCE, may_edit_instance=True).errors
    return time


@pytest.fixture
def gateway(alice: User) -> int:
    return further_archive(alice, "Gateway", "USD", "litellm")


@pytest.fixture
def organisations(alice: User, gateway: int) -> Iterator[Mapping[str, Billed]]:
    with ExitStack() as running:
        made: dict[str, type[SimulatedApi]] = {
            "openai-costs": openai.Organisation,
            "anthropic-usage": anthropic.Organisation,
        }
        yield {
            kind: Billed(kind, alice, gateway, running.enter_context(service(clock.now)))
            for kind, service in made.items()
        }


@pytest.fixture
def billed(kind: str, organisations: Mapping[str, Billed]) -> Billed:
    """An organisation with use on each day."""
    found = organisations[kind]
    for day in DAYS:
        found.use(day)
    return found


@pytest.mark.engine
def test_days_are_proved_once_two_readings_agree(billed: Billed) -> None:
    billed.read(1)
    assert {proof.state for proof in billed.proofs()} == {ProofState.WAITING}
    billed.read(1)
    assert set(billed.states().values()) == {True}
    assert not DayProof.objects.filter(day=str(DAYS[0])).exists()


@pytest.mark.parametrize(
    ("kind", "above", "what"),
    [
        ("openai-costs", "requests", What.CALLS), ("openai-costs", "input", What.TOKENS_IN),
        ("anthropic-usage", "requests", What.CALLS), ("anthropic-usage", "output", What.TOKENS_OUT),
    ],
)  # fmt: skip
def test_what_differs_is_named(billed: Billed, above: str, what: What) -> None:
    billed.service.quirks.sums_above = {above: 1}
    billed.read()
    assert set(billed.states().values()) == {False}
    assert {proof.state for proof in billed.proofs()} == {ProofState.DIFFERS}
    [one] = {each for proof in billed.proofs() for each in proof.differences}
    assert (one.model, one.what, one.there - (one.here or 0)) == (billed.model, what, 1)
    [first, second] = Run.objects.order_by("pk")
    assert first.message == "93 days of bills read."
    assert second.message.startswith("93 days of bills read, ")
    assert "differ" in second.message


QUIRKS: list[tuple[str, dict[str, Any]]] = [
    ("openai-costs", {"days_of_page": 4}),
    ("openai-costs", {"costs_as_text": True}),
    ("openai-costs", {"without_written": True}),
    ("openai-costs", {"begins_late": True}),
    ("openai-costs", {"ends_with_cursor": True}),
    ("anthropic-usage", {"rows_of_page": 2}),
    ("anthropic-usage", {"rows_of_page": 2, "has_empty_pages": True}),
    ("anthropic-usage", {"without_requests": True}),
    ("anthropic-usage", {"is_older": True}),
    ("anthropic-usage", {"refuses_beta": True}),
]


@pytest.mark.thorough_after(5)
@pytest.mark.parametrize(("kind", "quirk"), QUIRKS)
def test_with_a_quirk_the_days_are_proved_all_the_same(billed: Billed, quirk: dict[str, Any]) -> None:
    vars(billed.service.quirks).update(quirk)
    if "without_written" in quirk:
        # What was written then counts as new input: the sums differ, and no day is wrongly proved.
        billed.read()
        assert set(billed.states().values()) == {False}
        return
    billed.read()
    assert set(billed.states().values()) == {True}


def test_costs_are_kept_to_the_last_digit(billed: Billed) -> None:
    billed.read(1)
    spent = BillDay.objects.filter(archive_id=billed.archive_id, day=str(DAYS[3]), what=What.AMOUNT)
    assert {one.model: one.amount for one in spent} == (
        {billed.model: 5 * 10**11, "-": -5 * 10**10} if billed.kind == "openai-costs" else {billed.model: 5025 * 10**8}
    )


def test_costs_in_another_currency_are_no_bill(billed: Billed) -> None:
    billed.service.quirks.currency = "EUR"
    assert collected_by(billed.archive_id, "alice").outcome == API
    assert not BillDay.objects.exists()


def test_calls_of_models_that_it_does_not_count_leave_the_day_open(billed: Billed) -> None:
    archive(billed.gateway, made(DAYS[4], "other-model"))
    billed.read()
    states = billed.states()
    # A day of the archive touches two in UTC.
    assert [day for day, is_proved in states.items() if not is_proved] == [DAYS[4], DAYS[5]]
    assert {tuple(proof.uncounted) for proof in billed.proofs()} >= {("provider/other-model",)}


@pytest.mark.parametrize("is_older", [False, True])
def test_a_model_whose_costs_alone_are_billed_is_not_counted(billed: Billed, is_older: bool) -> None:
    if is_older and billed.kind == "anthropic-usage":
        billed.service.quirks.is_older = True
    billed.service.quirks.costs_alone = {"text-example-1"}
    billed.use(DAYS[4], "text-example-1")
    billed.read()
    assert [day for day, is_proved in billed.states().items() if not is_proved] == [DAYS[4], DAYS[5]]
    assert {proof.state for proof in billed.proofs()} == {ProofState.PROVED}
    assert {tuple(proof.uncounted) for proof in billed.proofs()} >= {("provider/text-example-1",)}


def test_a_model_that_is_counted_on_other_days_is_not_on_one_with_costs_alone(billed: Billed) -> None:
    billed.read()
    billed.service.quirks.costs_alone = {billed.model}
    BillDay.objects.filter(archive_id=billed.archive_id, day=str(DAYS[4])).exclude(what=What.AMOUNT).delete()
    DayProof.objects.all().delete()
    billed.read(1)
    [alone] = [proof for proof in billed.proofs(DAYS[4]) if proof.day == DAYS[4]]
    named = f"provider/{billed.model}"
    assert (alone.state, alone.uncounted, day_proofs.is_proved([alone])) == (ProofState.PROVED, [named], False)


@pytest.mark.parametrize("is_older", [False, True])
def test_a_model_that_costs_something_without_any_call_here_differs(billed: Billed, is_older: bool) -> None:
    if is_older and billed.kind == "anthropic-usage":
        billed.service.quirks.is_older = True
    billed.service.quirks.costs_alone = {"embedding-example-1"}
    billed.bill(DAYS[4], "embedding-example-1", 1)
    billed.read()
    assert [day for day, is_proved in billed.states().items() if not is_proved] == [DAYS[4], DAYS[5]]
    [one] = {each for proof in billed.proofs(DAYS[4]) for each in proof.differences}
    cost = 5 * 10**11 if billed.kind == "openai-costs" else 5025 * 10**8
    assert one == ("embedding-example-1", What.AMOUNT, 0, cost)


def test_a_difference_of_costs_is_in_the_unit_of_the_bill(billed: Billed, alice: User) -> None:
    billed.service.quirks.costs_alone = {"embedding-example-1"}
    billed.bill(DAYS[4], "embedding-example-1", 1)
    billed.read()
    Archive.objects.filter(pk=billed.gateway).update(unit="quota")
    found = ApiClient.signed_in(alice).get("/api/coverage", archive=billed.gateway).json()
    [day] = [one for one in found["days"] if one["d"] == str(DAYS[4])]
    differing = [one for proof in day["proofs"] for one in proof["differences"]]
    assert {(one["what"], one["here"], one["there"]) for one in differing} == {
        ("amount", "0", "0.5" if billed.kind == "openai-costs" else "0.5025")
    }


def test_a_day_with_costs_alone_agrees_with_no_calls_of_another_archive(billed: Billed, alice: User) -> None:
    other = further_archive(alice, "Other", "USD", "litellm")
    archive(other, made(DAYS[0], "local-model"))
    Archive.objects.filter(pk=billed.archive_id).update(proves_id=other)
    billed.service.quirks.costs_alone = {billed.model}
    billed.read()
    [proof] = [
        one for one in day_proofs.proofs_of(other, [billed.archive_id], DAYS[4], DAYS[4])[DAYS[4]] if one.day == DAYS[4]
    ]
    assert (proof.state, [one.model for one in proof.differences]) == (ProofState.DIFFERS, [billed.model])


def test_an_amount_that_is_not_known_here_differs_from_no_bill(billed: Billed) -> None:
    billed.bill(DAYS[4], billed.model, 1)
    unknown = made(DAYS[4], billed.model)
    assert unknown.measures
    archive(billed.gateway, replace(unknown, measures=replace(unknown.measures, provenance=Provenance.UNKNOWN)))
    billed.read()
    assert set(billed.states().values()) == {True}


def test_the_bills_of_two_vendors_prove_a_day_together(organisations: Mapping[str, Billed], gateway: int) -> None:
    for each in organisations.values():
        for day in DAYS:
            each.use(day)
    for each in organisations.values():
        each.read()
        assert set(each.states().values()) == {False}
    both = [each.archive_id for each in organisations.values()]
    found = day_proofs.proofs_of(gateway, both, DAYS[2], DAYS[-2])
    assert all(day_proofs.is_proved(proofs) for proofs in found.values())


def test_a_day_waits_for_the_bill_of_each_vendor_that_is_asked(
    organisations: Mapping[str, Billed], gateway: int, time: SetClock
) -> None:
    used, unused = (organisations[kind] for kind in KINDS)
    both = [used.archive_id, unused.archive_id]
    for number in range(15):
        used.use(DAYS[0] + timedelta(days=number))

    def is_proved(day: date) -> bool:
        return day_proofs.is_proved(day_proofs.proofs_of(gateway, both, day, day)[day])

    used.read()
    assert is_proved(DAYS[4])
    unused.read(1)
    assert not is_proved(DAYS[4])
    unused.read(1)
    assert is_proved(DAYS[4])
    # A key that is refused from some day on leaves the days after it open.
    time.pass_by(days=4)
    used.read()
    assert not is_proved(DAYS[-1] + timedelta(days=5))
    unused.read()
    assert is_proved(DAYS[-1] + timedelta(days=5))


def test_a_model_that_is_named_later_is_looked_for_on_earlier_days(billed: Billed, time: SetClock) -> None:
    archive(billed.gateway, made(DAYS[4], "new-model"))
    billed.read()
    assert ProofState.DIFFERS not in {proof.state for proof in billed.proofs()}
    billed.bill(DAYS[-1], "new-model", 1)
    time.pass_by(days=2)
    # The bill of that day was complete: it is asked for again, since it differs from nothing, only where it is not.
    DayProof.objects.filter(bill_id=billed.archive_id, day=str(DAYS[-1])).update(differences='[["m", "calls", 0, 1]]')
    billed.read(3)
    assert ProofState.DIFFERS in {proof.state for proof in billed.proofs()}


@pytest.mark.parametrize("fault", ["wrong_key", "no_admin_key"])
def test_a_refused_key_is_said(billed: Billed, fault: str) -> None:
    billed.service.fail(fault)
    result = collected_by(billed.archive_id, "alice")
    assert result.outcome == COOKIE_EXPIRED
    assert billed.service.key not in str(result.run.message) + str(result.run.detail)


@pytest.mark.thorough_after(6)
@pytest.mark.parametrize(
    "fault",
    ["old_cursor", "rows_are_text", "no_second", "page_of_html", "broken_json", "a_list", "another_form", "empty_body",
     "redirect", "teapot", "server_error", "overload"],
)  # fmt: skip
def test_an_answer_that_is_no_bill_fails_the_run_and_proves_nothing(billed: Billed, fault: str) -> None:
    billed.service.fail(fault)
    assert collected_by(billed.archive_id, "alice").outcome == API
    assert not BillDay.objects.exists()
    billed.service.clear()
    billed.read()
    assert set(billed.states().values()) == {True}


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("fault", ["overload_with_time", "unavailable", "gateway_timeout"])
def test_a_busy_service_is_asked_again(billed: Billed, fault: str) -> None:
    billed.service.fail(fault, times=1)
    billed.read()
    assert set(billed.states().values()) == {True}


def test_a_bill_that_grows_takes_the_proof_until_two_readings_agree_again(billed: Billed, time: SetClock) -> None:
    billed.read()
    archive(billed.gateway, made(DAYS[4], billed.model))
    billed.read(1)
    assert not billed.states()[DAYS[4]]
    billed.bill(DAYS[4], billed.model, 1)
    time.pass_by(days=2)
    billed.read(3)
    assert set(billed.states().values()) == {True}


def test_a_bill_that_grows_after_two_equal_readings_is_read_once_more(billed: Billed, time: SetClock) -> None:
    day = DAYS[-1] + timedelta(days=1 if billed.kind == "openai-costs" else 2)
    billed.use(day)
    archive(billed.gateway, made(day + timedelta(days=1), billed.model))
    billed.read()

    def state() -> ProofState:
        return {proof.day: proof.state for proof in billed.proofs(day)}[day]

    assert state() is ProofState.PROVED
    billed.bill(day, billed.model, 1)
    billed.read()
    assert state() is ProofState.PROVED
    time.pass_by(hours=25)
    billed.read()
    assert state() is ProofState.DIFFERS
    # What it says after the time in which it may grow stays.
    time.pass_by(days=7)
    billed.read()
    assert state() is ProofState.DIFFERS
    archive(billed.gateway, made(day, billed.model))
    billed.read(1)
    assert state() is ProofState.PROVED
    time.pass_by(hours=25)
    assert day not in stored_bills.due(billed.archive_id, DAYS[0], named_traits(billed.kind))


def test_older_days_are_read_also_where_a_run_a_day_always_has_new_ones(billed: Billed, time: SetClock) -> None:
    for _ in range(13):
        billed.read(1)
        time.pass_by(days=1)
    assert BillRead.objects.filter(archive_id=billed.archive_id, is_complete=True).count() > 360


def test_a_test_of_the_key_says_what_it_shows(billed: Billed, alice: User) -> None:
    answer = ApiClient.signed_in(alice).post(f"/api/archives/{billed.archive_id}/test").json()
    assert answer["ok"] is True
    assert "bills of the organisation" in answer["message"]
    assert "no call" not in answer["message"]


@pytest.mark.parametrize("path", ["collect/older", "verify", "maintenance/fill-prompt"])
def test_it_has_no_calls_to_read(path: str, billed: Billed, alice: User) -> None:
    answer = ApiClient.signed_in(alice).post(f"/api/{path}?archive={billed.archive_id}")
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")


def test_the_ledger_of_the_proved_archive_says_it(billed: Billed, alice: User) -> None:
    billed.read()
    api = ApiClient.signed_in(alice)
    days = api.get(f"/api/coverage?archive={billed.gateway}&from={DAYS[4]}&to={DAYS[4]}").json()["days"]
    assert {proof["bill"] for proof in days[0]["proofs"]} == {billed.archive_id, billed.gateway} | {
        other.pk for other in Archive.objects.filter(proves_id=billed.gateway)
    }
    assert {proof["state"] for proof in days[0]["proofs"] if proof["bill"] == billed.archive_id} == {"proved"}
    listed = {one["id"]: one for one in api.get("/api/archives").json()["items"]}
    assert (listed[billed.archive_id]["proves"], listed[billed.gateway]["proves"]) == (billed.gateway, None)


def test_another_archive_is_proved_from_now_on(billed: Billed, alice: User) -> None:
    billed.read()
    api, other = ApiClient.signed_in(alice), further_archive(alice, "Other", "USD", "litellm")
    assert api.post(f"/api/archives/{billed.archive_id}", {"proves": other}).status_code == 200
    assert not DayProof.objects.filter(bill_id=billed.archive_id).exists()
    assert api.post(f"/api/archives/{billed.archive_id}", {"proves": None}).status_code == 200
    billed.read()
    assert not DayProof.objects.filter(bill_id=billed.archive_id).exists()


def test_a_deleted_archive_is_proved_no_more_and_deleted_bills_prove_nothing(billed: Billed, alice: User) -> None:
    billed.read()
    api = ApiClient.signed_in(alice)
    assert api.post(f"/api/archives/{billed.gateway}/delete", {"label": "Gateway"}).status_code == 200
    listed = {one["id"]: one for one in api.get("/api/archives").json()["items"]}
    assert listed[billed.archive_id]["proves"] is None
    billed.read(1)
    assert api.post(f"/api/archives/{billed.archive_id}/delete", {"label": billed.kind}).status_code == 200
    assert not BillDay.objects.filter(archive_id=billed.archive_id).exists()


def test_what_bills_may_prove(billed: Billed, alice: User, bob: User) -> None:
    api, theirs = ApiClient.signed_in(alice), further_archive(bob, "Theirs", "USD", "litellm")
    for proves in (alice.pk, theirs, billed.archive_id, 7, "x", True, [1]):
        body = {"kind": billed.kind, "label": "Bills", "proves": proves}
        assert api.post("/api/archives", body).json()["field"] == "proves"
        assert api.post(f"/api/archives/{billed.archive_id}", {"proves": proves}).json()["field"] == "proves"
    assert api.post("/api/archives", {"kind": billed.kind, "label": "B", "proves": billed.gateway}).status_code == 200


def test_a_run_whose_account_has_no_room_for_bills_fails(alice: User, billed: Billed) -> None:
    archive(alice, call("large", prompt="x" * MEGABYTE), max_prompt=MEGABYTE)
    assert not config.write({"max_account_megabytes": "1"}, archive_id=INSTANCE, may_edit_instance=True).errors
    assert collected_by(billed.archive_id, "alice").outcome == ACCOUNT_FULL
    assert not BillDay.objects.exists()
