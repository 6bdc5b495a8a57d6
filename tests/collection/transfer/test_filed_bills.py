"""Importing reports with sums of days: docs/sources/files.md#bills."""

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from accounts.models import Archive, User
from archive_site.lib import clock
from collection import tasks
from collection.models import Lease, Run
from collection.runs import lease
from collection.transfer import account_export
from collection.transfer.import_run import Importer, import_file, preview
from tests.collection.transfer.test_account_file import Members, members_of, packed, resealed
from tests.collection.transfer.test_archive_of_files import counts, event, listed, made, sent, text
from tests.factories import ApiClient, further_archive
from tests.standing_clock import SetClock
from tests.usage.import_files import file_of
from tests.usage.record_factories import archive, call
from tests.usage.test_service_files import COPILOT as USES
from tests.usage.test_service_reports import ANTHROPIC_USAGE, COPILOT, OPENAI_COSTS, OPENAI_USAGE, credit
from usage.importing.file_format import Options
from usage.importing.unreadable_file import UnreadableFile
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Provenance, Tokens, What
from usage.models import BillDay, BillRead, DataVersion, DayProof, Record
from usage.proofs import day_proofs, stored_bills
from usage.proofs.bill import Sum
from usage.stored_size import SUM_BYTES, repair

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 12, 1, 10, tzinfo=UTC)
DAYS = [date(2026, 11, number) for number in range(1, 11)]


@pytest.fixture(autouse=True)
def _now(time: SetClock) -> None:
    time.now = NOW


@pytest.fixture
def api(alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


@pytest.fixture
def gateway(alice: User) -> int:
    """An archive with a call at noon of each day."""
    found = further_archive(alice, "Gateway", "USD", "litellm")
    archive(found, *(at(day) for day in DAYS))
    return found


def at(day: date, model: str = "provider/example-1") -> IncomingRecord:
    moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)
    ts = moment.astimezone(settings.SERVER_ZONE).replace(tzinfo=None).isoformat(" ", "seconds")
    measures = Measures(Provenance.ESTIMATED, Tokens(100, 22, 300, 10), moment)
    return call(f"{model}{day}", ts=ts, model=model, credits=1, measures=measures)


def usage(*days: date, calls: int = 1) -> str:
    rows = [f",,{day}T00:00:00+00:00,,,{calls},,,example-1,False,default,410,22,300,10" for day in days]
    return text(*rows, head=OPENAI_USAGE)


def costs(*days: date, amount: str = "1.5") -> str:
    return text(*(f',,{day}T00:00:00+00:00,,{amount},usd,"example-1, output",' for day in days), head=OPENAI_COSTS)


def states(gateway: int, bill: int, first: date = DAYS[2], last: date = DAYS[-1]) -> dict[date, bool]:
    found = day_proofs.proofs_of(gateway, [bill], first, last)
    return {day: day_proofs.is_proved(proofs) for day, proofs in found.items()}


def kept(bill: int, day: date) -> dict[str, int]:
    found = BillDay.objects.filter(archive_id=bill, day=str(day))
    return {f"{one.model} {one.what}".strip(): one.amount for one in found}


@pytest.mark.engine
def test_a_report_proves_the_days_of_another_archive_and_again_changes_nothing(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    # Three days must lie between a day and the end of its file.
    content = usage(*DAYS, date(2026, 11, 20))
    assert counts(sent(api, bill, content, dry_run=True)) == (11, 0, 0, 0, 0)
    assert not BillRead.objects.exists()
    answer = sent(api, bill, content)
    assert counts(answer) == (11, 0, 0, 0, 0)
    assert answer.json()["result"]["days"] == 11
    assert answer.json()["result"]["message"] == "11 days with new sums, 0 already known."
    assert (listed(api, bill)["format"], listed(api, bill)["unit"], listed(api, bill)["proves"]) == (
        "openai", "USD", gateway,
    )  # fmt: skip
    assert set(states(gateway, bill, last=DAYS[-2]).values()) == {True}
    assert not Record.objects.filter(archive_id=bill).exists()
    before = list(BillDay.objects.values())
    assert counts(sent(api, bill, content)) == (0, 11, 0, 0, 0)
    assert list(BillDay.objects.values()) == before
    assert set(states(gateway, bill, last=DAYS[-2]).values()) == {True}


def test_the_ledger_of_an_archive_of_files_says_which_days_are_proved(api: ApiClient) -> None:
    calls, bill = made(api), made(api, label="Bill")
    archive(calls, *(at(day) for day in DAYS), at(DAYS[5], "provider/example-2"))
    assert api.post(f"/api/archives/{bill}", {"proves": calls}).status_code == 200
    sent(api, bill, usage(*DAYS, date(2026, 11, 20)))
    answer = api.get("/api/coverage", archive=calls, **{"from": str(DAYS[2]), "to": str(DAYS[9])}).json()
    # The day with a call that the bill does not count, and the one beside it in UTC.
    assert {day["d"][-2:]: day["state"] for day in answer["days"]} == {
        **{f"{number:02}": "proved" for number in range(3, 11)}, "06": "unasked", "07": "unasked",
    }  # fmt: skip
    assert (answer["counts"]["proved"], answer["counts"]["unasked"]) == (6, 2)


def test_a_day_near_the_end_of_its_file_is_not_complete_until_a_later_one_has_it(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    assert counts(sent(api, bill, usage(*DAYS))) == (10, 0, 0, 0, 0)
    complete = BillRead.objects.filter(archive_id=bill, is_complete=True)
    assert [one.day for one in complete.order_by("day")] == [str(day) for day in DAYS[:6]]
    assert counts(sent(api, bill, usage(*DAYS[5:], date(2026, 11, 20)))) == (1, 5, 0, 0, 0)
    assert complete.count() == 10
    # An earlier file that says the same takes nothing.
    assert counts(sent(api, bill, usage(*DAYS[:8]))) == (0, 8, 0, 0, 0)
    assert complete.count() == 10


@pytest.mark.engine
def test_a_day_that_differs_is_said_in_the_run_and_in_the_ledger(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    answer = sent(api, bill, usage(*DAYS[:5], date(2026, 11, 20), calls=2))
    message = answer.json()["result"]["message"]
    assert message == "6 days with new sums, 0 already known, 4 days differ from the daily sums of OpenAI."
    days = {one["d"]: one for one in api.get(f"/api/coverage?archive={gateway}").json()["days"]}
    [proof] = [one for one in days["2026-11-03"]["proofs"] if (one["bill"], one["day"]) == (bill, "2026-11-03")]
    assert [(one["what"], one["here"], one["there"]) for one in proof["differences"]] == [("calls", "1", "2")]


def test_usage_and_costs_of_a_service_are_beside_each_other(api: ApiClient, gateway: int) -> None:
    bill, day = made(api, proves=gateway), DAYS[2]
    assert counts(sent(api, bill, costs(day, DAYS[-1]))) == (2, 0, 0, 0, 0)
    assert kept(bill, day) == {"example-1 amount": 1_500_000_000_000}
    assert counts(sent(api, bill, usage(day))) == (1, 0, 0, 0, 0)
    assert len(kept(bill, day)) == 6
    # The file ends with this day: what it counts may still grow, whatever that of the costs says.
    assert not BillRead.objects.get(archive_id=bill, day=str(day)).is_complete
    assert counts(sent(api, bill, costs(day, date(2026, 11, 25), amount="1.75"))) == (2, 0, 0, 0, 0)
    assert kept(bill, day)["example-1 amount"] == 1_750_000_000_000
    assert not BillRead.objects.get(archive_id=bill, day=str(day)).is_complete
    assert counts(sent(api, bill, costs(day, date(2026, 11, 25), amount="1.75"))) == (0, 2, 0, 0, 0)
    assert counts(sent(api, bill, usage(day, date(2026, 11, 25)))) == (1, 1, 0, 0, 0)
    assert BillRead.objects.get(archive_id=bill, day=str(day)).is_complete


def test_a_later_file_counts_also_for_less(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    assert counts(sent(api, bill, usage(*DAYS, date(2026, 11, 20), calls=3))) == (11, 0, 0, 0, 0)
    assert counts(sent(api, bill, usage(*DAYS, date(2026, 11, 20)))) == (11, 0, 0, 0, 0)
    assert set(states(gateway, bill, last=DAYS[-2]).values()) == {True}


@pytest.mark.parametrize(
    "row",
    [",,2026-11-05T00:00:00+00:00,,,1,,,example-1,False,default,1.5,22,300,10",
     ",,2026-11-05T00:00:00+00:00,,,1,,,,False,default,410,22,300,10"],
)  # fmt: skip
def test_a_file_with_rows_that_cannot_be_read_makes_no_day_complete(row: str, api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    assert counts(sent(api, bill, f"{usage(*DAYS, date(2026, 11, 20))}{row}\r\n")) == (11, 0, 0, 0, 1)
    assert not BillRead.objects.filter(archive_id=bill, is_complete=True).exists()


def test_a_report_that_ends_within_another_takes_nothing_from_its_days(api: ApiClient) -> None:
    bill = made(api)
    assert counts(sent(api, bill, costs(*DAYS, amount="2"))) == (10, 0, 0, 0, 0)
    # It was downloaded on the morning of its last day.
    earlier = costs(DAYS[1], DAYS[2], DAYS[5]).replace(f"{DAYS[2]}T", f"{date(2026, 10, 31)}T")
    assert counts(sent(api, bill, earlier)) == (2, 1, 0, 0, 0)
    for day, amount in ((DAYS[1], 15), (DAYS[5], 20), (date(2026, 10, 31), 15)):
        assert kept(bill, day)["example-1 amount"] == amount * 10**11, day
    # What it counts and the other report does not is taken.
    assert counts(sent(api, bill, usage(DAYS[5]))) == (1, 0, 0, 0, 0)
    assert kept(bill, DAYS[5])["example-1 calls"] == 1


def test_a_report_that_is_downloaded_again_at_the_end_of_its_month_counts(api: ApiClient) -> None:
    bill, last = made(api), date(2026, 10, 31)
    assert counts(sent(api, bill, costs(date(2026, 10, 29), last, amount="1"))) == (2, 0, 0, 0, 0)
    assert counts(sent(api, bill, costs(*DAYS))) == (10, 0, 0, 0, 0)
    assert counts(sent(api, bill, costs(date(2026, 10, 29), last, amount="1.25"))) == (2, 0, 0, 0, 0)
    assert kept(bill, last)["example-1 amount"] == 1_250_000_000_000


def test_days_without_use_do_not_say_when_a_file_was_made(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    empty = "".join(f",,2026-11-{day}T00:00:00+00:00,,,,,,,,,,,,\r\n" for day in range(11, 31))
    assert counts(sent(api, bill, usage(*DAYS) + empty)) == (30, 0, 0, 0, 0)
    complete = BillRead.objects.filter(archive_id=bill, is_complete=True).order_by("day")
    assert [one.day for one in complete] == [str(day) for day in DAYS[:6]]


def test_an_earlier_file_takes_nothing_from_a_complete_day(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    assert counts(sent(api, bill, usage(*DAYS, date(2026, 11, 20)))) == (11, 0, 0, 0, 0)
    before = list(BillDay.objects.values())
    assert counts(sent(api, bill, usage(*DAYS[:3], calls=7), dry_run=True)) == (0, 3, 0, 0, 0)
    assert counts(sent(api, bill, usage(*DAYS[:3], calls=7))) == (0, 3, 0, 0, 0)
    assert list(BillDay.objects.values()) == before
    assert set(states(gateway, bill, last=DAYS[-2]).values()) == {True}


def test_what_is_named_after_both_were_imported_is_compared_without_another_import(api: ApiClient) -> None:
    files, bill = made(api), made(api)
    used = [event(f"{day}T12:00:00.000Z", "0.5", tokens="110,300,22,432") for day in DAYS]
    assert counts(sent(api, files, text(*used))) == (10, 0, 0, 0, 0)
    assert counts(sent(api, bill, usage(*DAYS, date(2026, 11, 20)))) == (11, 0, 0, 0, 0)
    assert api.post(f"/api/archives/{bill}", {"proves": files}).status_code == 200
    assert not DayProof.objects.exists()
    token = lease.take(archive_id=files)
    assert token
    tasks.compare_files()
    assert not DayProof.objects.exists()
    lease.release(token)
    tasks.compare_files()
    compared = list(DayProof.objects.order_by("day").values())
    assert [one["day"] for one in compared] == [str(day) for day in DAYS[1:]]
    tasks.compare_files()
    assert list(DayProof.objects.order_by("day").values()) == compared
    assert not Lease.objects.exclude(token="").exists()


def test_a_change_of_a_bill_is_a_change_of_what_the_ledger_says(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    assert counts(sent(api, bill, usage(*DAYS, date(2026, 11, 20)))) == (11, 0, 0, 0, 0)
    tag = api.get(f"/api/coverage?archive={gateway}").headers["ETag"]
    assert counts(sent(api, bill, usage(date(2026, 11, 20), calls=3))) == (1, 0, 0, 0, 0)
    assert api.get(f"/api/coverage?archive={gateway}").headers["ETag"] != tag


def test_an_archive_does_not_prove_itself(api: ApiClient) -> None:
    bill = made(api)
    answer = api.post(f"/api/archives/{bill}", {"proves": bill})
    assert (answer.status_code, answer.json()["field"]) == (400, "proves")


def test_a_day_to_come_makes_no_other_complete(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    assert counts(sent(api, bill, usage(NOW.date() - timedelta(days=2), date(2099, 12, 31)))) == (2, 0, 0, 0, 0)
    assert not BillRead.objects.filter(archive_id=bill, is_complete=True).exists()


def test_costs_alone_prove_nothing(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    assert counts(sent(api, bill, costs(*DAYS, date(2026, 11, 20)))) == (11, 0, 0, 0, 0)
    assert set(states(gateway, bill).values()) == {False}
    assert not DayProof.objects.exists()


def test_costs_of_days_without_usage_say_nothing_of_their_calls(api: ApiClient, gateway: int) -> None:
    bill = made(api, proves=gateway)
    assert counts(sent(api, bill, usage(*DAYS[:3], date(2026, 11, 20)))) == (4, 0, 0, 0, 0)
    assert counts(sent(api, bill, costs(*DAYS, date(2026, 11, 20)))) == (11, 0, 0, 0, 0)
    assert {one.day for one in DayProof.objects.filter(bill_id=bill)} <= {"2026-11-02", "2026-11-03", "2026-11-20"}
    assert not DayProof.objects.exclude(differences="[]").exists()


@pytest.mark.parametrize("file_format", [None, "copilot"])
def test_credits_of_copilot_are_sums_of_an_archive_in_ai_credits(file_format: str | None, api: ApiClient) -> None:
    bill = made(api, format=file_format)
    assert counts(sent(api, bill, text(credit(), credit(), head=COPILOT))) == (1, 0, 0, 0, 0)
    assert (listed(api, bill)["format"], listed(api, bill)["unit"]) == ("copilot", "ai-credits")
    [day] = api.get(f"/api/bills?archive={bill}").json()["items"]
    assert (day["amount"], day["calls"], day["models"][0]["model"]) == ("39", None, "Example 1")
    # The single uses of before count in another unit.
    use = '"2025-06-11T05:13:27Z","me-example","gpt-example","1.00","False","300"'
    answer = sent(api, bill, text(use, head=USES))
    assert (answer.status_code, answer.json()["error"]) == (400, "unreadable")
    assert not Record.objects.exists()


def test_calls_and_sums_are_in_no_archive_together(api: ApiClient) -> None:
    bill, calls = made(api), made(api, label="Calls")
    own = "request_id,credits,model,client,ts\r\na,0.5,m,c,2026-11-01 10:26:40\r\n"
    assert counts(sent(api, bill, usage(DAYS[0]))) == (1, 0, 0, 0, 0)
    refused = sent(api, bill, own)
    assert (refused.status_code, "sums of days" in refused.json()["message"]) == (400, True)
    assert counts(sent(api, calls, own)) == (1, 0, 0, 0, 0)
    refused = sent(api, calls, usage(DAYS[0]))
    assert (refused.status_code, "has calls" in refused.json()["message"]) == (400, True)
    assert not BillRead.objects.filter(archive_id=calls).exists()


def test_a_report_of_another_service_or_for_the_first_archive_is_refused(api: ApiClient, alice: User) -> None:
    bill = made(api, format="anthropic")
    assert "OpenAI" in sent(api, bill, usage(DAYS[0])).json()["message"]
    assert sent(api, alice.pk, usage(DAYS[0])).status_code == 400
    row = "2026-11-01,claude-example-1,key,Default,standard,,46981,15969,31,7,16932,0,global,"
    assert counts(sent(api, bill, text(row, head=ANTHROPIC_USAGE))) == (1, 0, 0, 0, 0)
    assert not Record.objects.exists()


def test_rows_that_cannot_be_read_are_said_and_the_others_stored(api: ApiClient) -> None:
    bill = made(api)
    content = usage(DAYS[0]) + ",,soon,,,1,,,example-1,False,default,410,22,300,10\r\n"
    answer = sent(api, bill, content)
    assert counts(answer) == (1, 0, 0, 0, 1)
    [example] = answer.json()["result"]["examples"]["unreadable"]
    assert (example["row"], example["column"], example["value"]) == (3, "start_time_iso", "soon")
    assert "1 row could not be read" in answer.json()["result"]["message"]


def test_what_sums_take_counts_for_the_limit_of_the_account(api: ApiClient) -> None:
    bill = made(api)
    assert counts(sent(api, bill, usage(*DAYS))) == (10, 0, 0, 0, 0)
    stored = DataVersion.objects.get(archive_id=bill).stored_bytes
    assert stored == 10 * 5 * SUM_BYTES
    assert not repair(bill)
    DataVersion.objects.filter(archive_id=bill).update(stored_bytes=7)
    assert repair(bill)
    assert DataVersion.objects.get(archive_id=bill).stored_bytes == stored


def test_another_account_has_no_part(api: ApiClient, bob: User) -> None:
    other = ApiClient.signed_in(bob)
    bill = made(api)
    assert sent(other, bill, usage(DAYS[0])).status_code == 404
    assert other.post("/api/archives", {"kind": "file", "label": "Mine", "proves": bill}).json()["field"] == "proves"


def written(owner: User) -> bytes:
    return b"".join(account_export.pieces(owner))


def taken(owner: User, content: bytes, tmp_path: Path) -> None:
    import_file(
        Importer(owner, Run.Trigger.MANUAL, owner.username), file_of(tmp_path, content, "account.zip"), Options({})
    )


def state(owner: User) -> list[Any]:
    """The bills of an account, by the labels of its archives."""
    labels = {one.pk: one.label for one in Archive.objects.filter(user_id=owner.pk)}
    days = BillRead.objects.filter(archive_id__in=labels).order_by("archive_id", "day")
    sums = BillDay.objects.filter(archive_id__in=labels).order_by("archive_id", "day", "model", "what")
    return [
        [(labels[one.archive_id], one.day, one.is_complete) for one in days],
        [(labels[one.archive_id], one.day, one.model, one.what, one.amount) for one in sums],
        [
            (one.label, labels.get(one.proves_id or 0))
            for one in Archive.objects.filter(user_id=owner.pk).order_by("pk")
        ],
    ]


@pytest.mark.engine
def test_the_file_of_the_account_takes_bills_along(
    api: ApiClient, gateway: int, alice: User, bob: User, tmp_path: Path
) -> None:
    bill, vendor = made(api, proves=gateway), further_archive(alice, "Vendor", "USD", "anthropic-usage")
    empty = ",,2026-11-11T00:00:00+00:00,,,,,,,,,,,,\r\n"
    assert counts(sent(api, bill, usage(*DAYS, date(2026, 11, 20)) + empty)) == (12, 0, 0, 0, 0)
    stored_bills.replace_sums(vendor, {DAYS[0]: {("claude-example-1", What.AMOUNT): Sum(-5)}})
    stored_bills.note_read([BillRead(archive_id=vendor, day=str(DAYS[0]), read_at=clock.now(), is_complete=True)])
    content = written(alice)
    manifest = json.loads(members_of(content)["manifest.json"])
    assert (manifest["version"], [one.get("proves") for one in manifest["archives"]]) == (3, [None, 2, None])
    found = preview(bob, file_of(tmp_path, content, "account.zip"), Options({}))
    assert found.archives
    assert [(one.label, one.rows, one.new, one.runs.new) for one in found.archives] == [
        ("Gateway", 10, 10, 0), ("Files", 12, 12, 1), ("Vendor", 1, 1, 0),
    ]  # fmt: skip
    for _ in range(2):
        taken(bob, content, tmp_path)
        assert state(bob) == state(alice)
    # They are compared with the calls that came along.
    theirs = {one.label: one.pk for one in Archive.objects.filter(user_id=bob.pk)}
    assert set(states(theirs["Gateway"], theirs["Files"], last=DAYS[-2]).values()) == {True}


def test_lines_of_bills_that_cannot_be_read_are_left_out(
    api: ApiClient, alice: User, bob: User, tmp_path: Path
) -> None:
    bill = made(api)
    assert counts(sent(api, bill, usage(DAYS[0]))) == (1, 0, 0, 0, 0)
    bad = [
        "7", "{", '{"day": "soon", "sums": {}}', '{"day": "2026-11-02"}', '{"day": "2026-11-02", "sums": {"m": 7}}',
        '{"day": "2026-11-02", "sums": {"m": {"minutes": 1}}}', '{"day": "2026-11-02", "sums": {"m": {"calls": "x"}}}',
        '{"day": "2026-11-02", "sums": {"m": {"calls": 1e400}}}', '{"day": "9999-12-31", "sums": {}}',
        '{"day": "1969-01-01", "sums": {}}',
        f'{{"day": "2026-11-02", "sums": {{"m": {{"calls": {10**30}}}}}}}',
    ]  # fmt: skip

    members = members_of(written(alice))
    lines = members["archives/2/bills.jsonl"] + "".join(f"{line}\n" for line in bad).encode()
    taken(bob, packed(resealed(members, "archives/2/bills.jsonl", lines)), tmp_path)
    assert state(bob)[:2] == state(alice)[:2]
    [run] = Run.objects.filter(archive_id=Archive.objects.get(user_id=bob.pk, kind="file").pk, kind="import")
    assert f"{len(bad)} rows could not be read" in str(run.message)


@pytest.mark.parametrize("change", [{"bills": False}, {"bills": "yes"}, {"file_format": "cursor"}, {"kind": "litellm"}])
def test_a_manifest_that_does_not_fit_its_members_is_refused(
    change: dict[str, object], api: ApiClient, alice: User, bob: User, tmp_path: Path
) -> None:
    bill = made(api)
    assert counts(sent(api, bill, usage(DAYS[0]))) == (1, 0, 0, 0, 0)

    def spoil(members: Members) -> Members:
        manifest = json.loads(members["manifest.json"])
        manifest["archives"][0].update(change)
        return {**members, "manifest.json": json.dumps(manifest).encode()}

    with pytest.raises(UnreadableFile):
        taken(bob, packed(spoil(members_of(written(alice)))), tmp_path)
    assert not BillRead.objects.exclude(archive_id=bill).exists()


@pytest.mark.parametrize("proves", [1, 3, 99, "2", -1, 2.5, None])
def test_a_proved_archive_that_is_none_is_left_out(
    proves: object, api: ApiClient, alice: User, bob: User, tmp_path: Path
) -> None:
    bill = made(api)
    assert counts(sent(api, bill, usage(DAYS[0]))) == (1, 0, 0, 0, 0)

    def spoil(members: Members) -> Members:
        manifest = json.loads(members["manifest.json"])
        manifest["archives"][0]["proves"] = proves
        return {**members, "manifest.json": json.dumps(manifest).encode()}

    taken(bob, packed(spoil(members_of(written(alice)))), tmp_path)
    assert not Archive.objects.filter(user_id=bob.pk).exclude(proves_id=None).exists()
