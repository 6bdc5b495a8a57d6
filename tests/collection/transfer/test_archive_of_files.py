"""Archives of files that services give their users: docs/sources/files.md."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import Archive, User
from collection.models import Run
from collection.transfer import account_export
from collection.transfer.import_run import Importer, import_file
from tests.factories import ApiClient, further_archive
from tests.sources.whole_calls import calls_of
from tests.usage.import_files import file_of
from tests.usage.record_factories import archive, call
from tests.usage.test_service_files import COPILOT, CURSOR, OPENROUTER, generation
from usage.importing.file_format import Options
from usage.models import Budget, Record, RemovedRecord

pytestmark = pytest.mark.django_db

USE = '"2025-06-11T05:13:27Z","me-example","gpt-example","1.00","False","300"'


def event(at: str, cost: str = "0.50", model: str = "example-1", tokens: str = "120,100,900,50") -> str:
    return f'"{at}","Usage-based","{model}","No",{tokens},"1070","{cost}"'


def text(*rows: str, head: str = CURSOR) -> str:
    return "".join(f"{line}\r\n" for line in (head, *rows))


@pytest.fixture
def api(alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


def made(api: ApiClient, **fields: object) -> int:
    answer = api.post("/api/archives", {"kind": "file", "label": "Files", **fields})
    assert answer.status_code == 200, answer.content
    return int(answer.json()["id"])


def sent(api: ApiClient, archive_id: int, content: str, *, dry_run: bool = False, **fields: str) -> Any:
    form = {
        "file": SimpleUploadedFile("usage-events.csv", content.encode()),
        "dry_run": "1" if dry_run else "",
        **fields,
    }
    return api.client.post(f"/api/import?archive={archive_id}", form, headers={"X-CSRF-Token": api.token})


def counts(answer: Any) -> tuple[int, ...]:
    assert answer.status_code == 200, answer.content
    result = answer.json().get("result", answer.json())
    return tuple(result[name] for name in ("new", "known", "conflicting", "repeated", "unreadable"))


def listed(api: ApiClient, archive_id: int) -> Any:
    return next(one for one in api.get("/api/archives").json()["items"] if one["id"] == archive_id)


@pytest.mark.engine
def test_a_file_fills_an_archive_and_again_changes_nothing(api: ApiClient) -> None:
    files = made(api)
    assert listed(api, files)["format"] is None
    rows = [
        event("2026-11-01T02:26:40.000Z"),
        event("2026-11-01T02:26:40.000Z"),
        event("2026-11-02T08:00:00.123Z", "Included"),
    ]
    assert counts(sent(api, files, text(*rows), dry_run=True)) == (3, 0, 0, 0, 0)
    assert not Record.objects.exists()
    assert counts(sent(api, files, text(*rows))) == (3, 0, 0, 0, 0)
    assert listed(api, files) == {
        **listed(api, files), "kind": "file", "format": "cursor", "unit": "USD", "state": "ready", "records": 3,
        "first_day": "2026-11-01", "last_day": "2026-11-02", "address": "",
    }  # fmt: skip
    before = calls_of(files)
    assert counts(sent(api, files, text(*reversed(rows)))) == (0, 3, 0, 0, 0)
    assert calls_of(files) == before
    found = api.get(f"/api/records?archive={files}").json()["items"]
    assert [(one["amount"], one["provenance"], one["tokens"]["in"]) for one in found] == [
        ("0", "included", 100), ("0.5", "billed", 100), ("0.5", "billed", 100),
    ]  # fmt: skip


def test_files_that_overlap_are_one(api: ApiClient) -> None:
    files, whole = made(api), made(api, label="Whole")
    rows = [event(f"2026-11-{day:02}T08:00:00.000Z", f"0.{day:02}") for day in range(1, 21) for _ in range(2)]
    assert counts(sent(api, files, text(*rows[:24]))) == (24, 0, 0, 0, 0)
    assert counts(sent(api, files, text(*rows[10:]))) == (16, 14, 0, 0, 0)
    assert counts(sent(api, whole, text(*rows))) == (40, 0, 0, 0, 0)
    assert calls_of(files) == calls_of(whole)


@pytest.mark.engine
def test_a_young_row_that_is_filled_in_later_takes_the_place_of_its_call(api: ApiClient) -> None:
    files = made(api)
    old, young = event("2026-10-20T08:00:00.000Z"), event("2026-11-01T08:00:00.000Z", "-", tokens='"","","",""')
    twin = event("2026-11-01T08:00:00.000Z", "0.10")
    assert counts(sent(api, files, text(old, young, twin))) == (3, 0, 0, 0, 0)
    kept = {one.pk for one in Record.objects.filter(archive_id=files)}
    filled = event("2026-11-01T08:00:00.000Z", "0.75")
    later = text(old, filled, twin, event("2026-11-20T08:00:00.000Z"))
    assert counts(sent(api, files, later, dry_run=True)) == (1, 2, 1, 0, 0)
    answer = sent(api, files, later)
    assert counts(answer) == (1, 2, 1, 0, 0)
    [conflict] = answer.json()["result"]["examples"]["conflicting"]
    assert conflict["differs"] == ["the amount was not known", "tokens were not known"]
    assert kept < {one.pk for one in Record.objects.filter(archive_id=files)}
    assert sorted(one.credits for one in calls_of(files).values()) == [10**11, 5 * 10**11, 5 * 10**11, 75 * 10**10]
    # Programs that follow the changes see that the old id is gone.
    assert RemovedRecord.objects.get(archive_id=files).request_id not in calls_of(files)
    assert counts(sent(api, files, later)) == (0, 4, 0, 0, 0)


def test_a_row_that_is_older_when_its_file_ends_keeps_its_key(api: ApiClient) -> None:
    files = made(api)
    at, end = "2026-11-01T08:00:00.000Z", event("2026-11-03T08:00:01.000Z")
    assert counts(sent(api, files, text(event(at), end))) == (2, 0, 0, 0, 0)
    assert counts(sent(api, files, text(event(at, "0.75"), end))) == (1, 1, 0, 0, 0)


def test_young_rows_of_another_instant_or_model_stay(api: ApiClient) -> None:
    files = made(api)
    at = "2026-11-01T08:00:00.000Z"
    assert counts(sent(api, files, text(event(at)))) == (1, 0, 0, 0, 0)
    others = [event("2026-11-01T08:00:00.001Z", "0.75"), event(at, "0.75", "example-2")]
    assert counts(sent(api, files, text(*others))) == (2, 0, 0, 0, 0)
    # What a later file lacks stays, too.
    assert counts(sent(api, files, text(event("2026-11-01T09:00:00.000Z")))) == (1, 0, 0, 0, 0)
    assert len(calls_of(files)) == 4


def test_an_older_file_takes_nothing_from_a_newer_one(api: ApiClient) -> None:
    at, end = "2026-11-20T08:00:00.000Z", event("2026-11-28T08:00:00.000Z")
    earlier = text(event("2026-11-19T08:00:00.000Z"), event(at, "-", tokens='"","","",""'))
    both, other = made(api), made(api, label="Other way")
    for archive_id, newer in ((both, text(event(at), end)), (other, text(event(at)))):
        assert sent(api, archive_id, newer).status_code == 200
        before = calls_of(archive_id)
        assert counts(sent(api, archive_id, earlier, dry_run=True)) == (1, 1, 0, 0, 0)
        assert counts(sent(api, archive_id, earlier)) == (1, 1, 0, 0, 0)
        after = calls_of(archive_id)
        assert {key: after[key] for key in before} == before
        assert len(after) == len(before) + 1


@pytest.mark.landing
def test_many_young_rows_of_one_instant_are_each_filled_in(api: ApiClient) -> None:
    files, at = made(api), "2026-11-01T08:00:00.000Z"
    young = [event(at, "-", tokens=f"{number},{number},5,3") for number in range(1100)]
    assert counts(sent(api, files, text(*young))) == (1100, 0, 0, 0, 0)
    filled = [event(at, "0.5", tokens=f"{number},{number},5,3") for number in range(1100)]
    assert counts(sent(api, files, text(*filled))) == (0, 0, 1100, 0, 0)
    assert counts(sent(api, files, text(*filled))) == (0, 1100, 0, 0, 0)
    assert counts(sent(api, files, text(*young))) == (0, 1100, 0, 0, 0)
    assert {one.credits for one in calls_of(files).values()} == {5 * 10**11}


def test_a_file_of_calls_of_nobody_is_none_of_a_service(api: ApiClient) -> None:
    answer = sent(api, made(api, format="cursor"), text("2026-11-01 08:00:00,0.5,one", head="Date,Cost,Model"))
    assert (answer.status_code, "Cursor" in answer.json()["message"]) == (400, True)


def test_another_account_keeps_its_young_rows(api: ApiClient, bob: User) -> None:
    other = ApiClient.signed_in(bob)
    files, theirs = made(api), made(other)
    at = "2026-11-01T08:00:00.000Z"
    for each, archive_id in ((api, files), (other, theirs)):
        assert counts(sent(each, archive_id, text(event(at)))) == (1, 0, 0, 0, 0)
    before = calls_of(theirs)
    assert counts(sent(api, files, text(event(at, "0.75")))) == (0, 0, 1, 0, 0)
    assert calls_of(theirs) == before
    assert sent(api, theirs, text(event(at))).status_code == 404


@pytest.mark.parametrize(
    ("content", "file_format", "unit"),
    [
        (text(USE, head=COPILOT), "copilot", "premium-requests"),
        (text(generation(), head=OPENROUTER), "openrouter", "USD"),
    ],
)
def test_the_first_file_says_whose_files_they_are(content: str, file_format: str, unit: str, api: ApiClient) -> None:
    files = made(api)
    assert counts(sent(api, files, content, dry_run=True)) == (1, 0, 0, 0, 0)
    assert (listed(api, files)["format"], listed(api, files)["unit"]) == (None, "USD")
    assert counts(sent(api, files, content)) == (1, 0, 0, 0, 0)
    assert (listed(api, files)["format"], listed(api, files)["unit"]) == (file_format, unit)
    refused = sent(api, files, text(event("2026-11-01T08:00:00.000Z")))
    assert (refused.status_code, "Cursor" in refused.json()["message"]) == (400, True)
    assert len(calls_of(files)) == 1


def test_an_archive_that_is_used_keeps_its_unit(api: ApiClient) -> None:
    uses: list[Callable[[int], object]] = [
        lambda files: archive(files, call("a")),
        lambda files: Budget.objects.create(archive_id=files, period="month", credits=1, thresholds="[]"),
        lambda files: api.post(f"/api/archives/{files}", {"rate": {"amount": "7", "unit": "CNY"}}),
    ]
    for number, use in enumerate(uses):
        files = made(api, label=f"Files {number}")
        use(files)
        answer = sent(api, files, text(USE, head=COPILOT))
        assert (answer.status_code, answer.json()["error"]) == (400, "unreadable")
        assert "premium-requests" in answer.json()["message"]
        assert listed(api, files)["unit"] == "USD"


def test_rows_of_an_unknown_form_have_keys_of_their_whole_content(api: ApiClient) -> None:
    files = made(api)
    rows = ["2026-11-01 08:00:00,0.5,one,a", "2026-11-01 08:00:00,0.5,one,a", "2026-11-01 08:00:00,0.5,one,b"]
    content = text(*rows, head="Date,Cost,Model,Note")
    assert counts(sent(api, files, content)) == (3, 0, 0, 0, 0)
    assert counts(sent(api, files, content)) == (0, 3, 0, 0, 0)
    assert {one.credits for one in calls_of(files).values()} == {5 * 10**11}
    by_hand = '{"credits": "Paid", "time": "When", "request_id": ""}'
    other = text("1,2026-11-02 08:00:00,2.5", "1,2026-11-02 09:00:00,x", head="id,When,Paid")
    answer = sent(api, files, other, columns=by_hand)
    assert counts(answer) == (1, 0, 0, 0, 1)
    [unreadable] = answer.json()["result"]["examples"]["unreadable"]
    assert (unreadable["row"], unreadable["column"], unreadable["value"]) == (3, "Paid", "x")
    assert listed(api, files)["format"] is None


def test_an_unknown_form_is_shown_to_be_named_by_hand(api: ApiClient) -> None:
    answer = sent(api, made(api), text("1,2", head="When,Spent,Note"))
    assert answer.status_code == 400
    assert answer.json()["headers"] == ["When", "Spent", "Note"]
    assert "request_id" not in answer.json()["message"]


def test_the_format_may_be_given(api: ApiClient) -> None:
    files = made(api, format="copilot")
    assert (listed(api, files)["format"], listed(api, files)["unit"]) == ("copilot", "premium-requests")
    assert sent(api, files, text(event("2026-11-01T08:00:00.000Z"))).json()["error"] == "unreadable"
    assert counts(sent(api, files, text(USE, USE, head=COPILOT))) == (2, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"format": "mistral"}, "format"), ({"format": 7}, "format"), ({"format": ["cursor"]}, "format"),
        ({"address": "https://example.org"}, "address"), ({"credential": {"key": "sk-abcdefgh"}}, "credential"),
        ({"proves": 1}, "proves"), ({"format": "cursor", "proves": 1}, "proves"),
        ({"kind": "litellm", "format": "cursor"}, "format"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_and_nothing_is_made(fields: dict[str, object], field: str, api: ApiClient) -> None:
    answer = api.post("/api/archives", {"kind": "file", "label": "Files", **fields})
    assert (answer.status_code, answer.json()["field"]) == (400, field)
    assert Archive.objects.count() == 1


def test_a_format_is_kept(api: ApiClient) -> None:
    files = made(api, format="cursor")
    assert api.post(f"/api/archives/{files}", {"format": "copilot"}).json()["field"] == "format"
    assert api.post(f"/api/archives/{files}", {"format": "cursor", "label": "Mine"}).status_code == 200
    assert api.post(f"/api/archives/{files}", {"credential": {"key": "sk-abcdefgh"}}).json()["field"] == "credential"


@pytest.mark.parametrize("path", ["collect", "collect/older", "verify", "maintenance/fill-prompt"])
def test_it_is_never_asked(path: str, api: ApiClient) -> None:
    files = made(api)
    answer = api.post(f"/api/{path}?archive={files}")
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert not Run.objects.exists()


def test_an_archive_of_files_is_not_tested(api: ApiClient) -> None:
    answer = api.post(f"/api/archives/{made(api)}/test")
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")


def test_a_service_s_file_is_none_of_another_archive(api: ApiClient, alice: User) -> None:
    gateway = further_archive(alice, "Gateway", "USD", "litellm")
    for archive_id in (alice.pk, gateway):
        answer = sent(api, archive_id, text(event("2026-11-01T08:00:00.000Z")))
        assert (answer.status_code, answer.json()["error"]) == (400, "unreadable")
    assert not Record.objects.exists()


@pytest.mark.parametrize("path", ["coverage", "manifest", "status", "summary", "daily", "changes", "bundle"])
def test_reads_of_it(path: str, api: ApiClient) -> None:
    files = made(api)
    assert counts(sent(api, files, text(event("2026-11-01T08:00:00.000Z")))) == (1, 0, 0, 0, 0)
    assert api.get(f"/api/{path}?archive={files}").status_code == 200


def test_the_file_of_the_account_takes_it_along(api: ApiClient, alice: User, bob: User, tmp_path: Path) -> None:
    files, empty = made(api), made(api, label="Uses", format="copilot")
    assert counts(sent(api, files, text(event("2026-11-01T08:00:00.000Z"), event("2026-11-01T08:00:00.000Z")))) == (
        2,
        0,
        0,
        0,
        0,
    )
    content = b"".join(account_export.pieces(alice))
    importer = Importer(bob, Run.Trigger.MANUAL, bob.username)
    import_file(importer, file_of(tmp_path, content, "account.zip"), Options({}))
    theirs = Archive.objects.filter(user_id=bob.pk, kind="file").order_by("pk")
    assert [(one.label, one.file_format, one.unit) for one in theirs] == [
        ("Files", "cursor", "USD"), ("Uses", "copilot", "premium-requests"),
    ]  # fmt: skip
    assert calls_of(theirs[0].pk) == calls_of(files)
    assert calls_of(theirs[1].pk) == calls_of(empty) == {}
    # Its own files go on from there: young rows are still young.
    other = ApiClient.signed_in(bob)
    assert counts(sent(other, theirs[0].pk, text(event("2026-11-01T08:00:00.000Z")))) == (0, 1, 0, 0, 0)
    assert counts(sent(other, theirs[0].pk, text(event("2026-11-01T08:00:00.000Z", "0.75")))) == (0, 0, 1, 0, 0)
