"""The file of an account with several archives (docs/api.md#export-of-the-account)."""

import errno
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from accounts import archives
from accounts.credentials import credential
from accounts.models import Archive, Notice, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from audit.models import Entry
from collection.api_types import ImportedArchive, RunsInFile
from collection.models import Run
from collection.runs import lease
from collection.transfer import dead_imports, import_run, staged_runs
from collection.transfer.import_storing import ImportStopped, Storing
from tests.accounts.page_forms import ApiOf
from tests.accounts.webhooks.hooks import make_webhook
from tests.archive_site.commands import manage_here
from tests.collection import import_endpoint
from tests.collection.transfer.test_account_file import (
    Members,
    imported,
    members_of,
    packed,
    past_run,
    refusal,
    resealed,
    written,
)
from tests.factories import further_archive
from tests.usage.import_files import HEADER, file_of
from tests.usage.record_factories import archive, call, prompt_of
from tests.usage.stored_measures import contents
from usage import rates
from usage.amounts.units import CREDITS
from usage.importing.file_format import Options
from usage.importing.file_source import source_at
from usage.importing.staging import Staged
from usage.measures import Measures, Provenance, Tokens
from usage.models import Record
from usage.rates import Rate
from usage.rollups.recompute import recount

pytestmark = pytest.mark.django_db
SECOND, THIRD = "archives/2/records.jsonl", "archives/3/records.jsonl"


@pytest.fixture
def several(alice: User) -> User:
    """An account whose second and third archives have one label; all three have a call of the same id."""
    archive(alice, call("r1", credits=1, prompt="of the first"))
    second, third = further_archive(alice), further_archive(alice)
    archive(second, call("r1", credits=2, prompt="of the second"), call("only here"))
    archive(third, call("r1", credits=3, prompt="of the third"))
    past_run(alice)
    Run.objects.create(archive_id=second, trigger="schedule", status="ok", created_at="2026-09-07T10:00:00Z")
    credential.store(second, "session=secret-of-the-second")
    return alice


def calls_of(user: User) -> list[list[tuple[str, int, str | None]]]:
    """The calls of each archive of the account, with their prompts."""
    return [
        [
            (request_id, credits // CREDITS.one, prompt_of(archive_id, request_id))
            for request_id, credits in Record.objects.filter(archive_id=archive_id)
            .order_by("request_id")
            .values_list("request_id", "credits")
        ]
        for archive_id in archives.of_account(user.pk)
    ]


@pytest.mark.engine
def test_each_archive_is_found_again(several: User, bob: User, tmp_path: Path) -> None:
    run, found = imported(bob, tmp_path, written(several))
    assert (found.new, found.runs, run.archive_id) == (1, RunsInFile(new=1, known=0, unreadable=0), bob.pk)
    assert found.archives == [
        ImportedArchive(
            "codebuddy", "At work", rows, new, 0, 0, 0, 0, 0, 0, RunsInFile(new=of_runs, known=0, unreadable=0)
        )
        for rows, new, of_runs in ((2, 2, 1), (1, 1, 0))
    ]
    assert calls_of(bob) == calls_of(several)
    taken = archives.further_of(bob.pk)
    assert [(one.kind, one.label, one.unit) for one in taken] == [("codebuddy", "At work", "credits")] * 2
    assert Run.objects.filter(archive_id=taken[0].pk).values_list("kind", "trigger", "status").order_by("pk")[0] == (
        "import", "manual", "ok",
    )  # fmt: skip
    assert not credential.state(taken[0].pk).usable
    assert set(Entry.objects.filter(action="import").values_list("user_id", flat=True)) == {bob.pk}


@pytest.mark.engine
def test_rates_go_with_their_archives(several: User, bob: User, tmp_path: Path) -> None:
    first, second, _ = archives.of_account(several.pk)
    cheap, dear = Rate(Decimal("0.01"), "USD"), Rate(Decimal("0.07"), "CNY")
    rates.store(first, cheap)
    rates.store(second, dear)
    content = written(several)
    imported(bob, tmp_path, content)
    here = archives.of_account(bob.pk)
    assert rates.rates_of(here) == {here[0]: cheap, here[1]: dear}
    # One that was chosen here stays.
    rates.store(bob.pk, dear)
    imported(bob, tmp_path, content)
    assert rates.rates_of(here) == {here[0]: dear, here[1]: dear}


@pytest.mark.parametrize(
    "rate",
    ["0.01 USD", {"amount": "0.01"}, {"amount": "-1", "unit": "USD"}, {"amount": "1", "unit": "credits"}, [], 7, True],
)
def test_what_is_no_rate_is_left_out(alice: User, bob: User, tmp_path: Path, rate: object) -> None:
    archive(alice, call("r1"))
    members = members_of(written(alice))
    manifest = json.loads(members["manifest.json"]) | {"rate": rate}
    _, found = imported(bob, tmp_path, packed(members | {"manifest.json": json.dumps(manifest).encode()}))
    assert (found.new, rates.rates_of([bob.pk])) == (1, {})


@pytest.mark.parametrize("dry_run", ["1", ""])
def test_the_answer_has_each_archive_of_the_file(dry_run: str, several: User, bob: User, api_of: ApiOf) -> None:
    answer = import_endpoint.send(api_of(bob), written(several), "account.zip", dry_run=dry_run).json()
    found = answer if dry_run else answer["result"]
    assert [(one["label"], one["new"]) for one in found["archives"]] == [("At work", 2), ("At work", 1)]


def test_what_is_here_stays_one(several: User, bob: User, tmp_path: Path) -> None:
    content, before = written(several), calls_of(several)
    imported(bob, tmp_path, content)
    for user in (bob, several):
        _, found = imported(user, tmp_path, content)
        assert found.archives
        assert [(one.new, one.known, one.conflicting, one.runs.new) for one in found.archives] == [
            (0, 2, 0, 0), (0, 1, 0, 0),
        ]  # fmt: skip
        assert calls_of(user) == before
        assert len(archives.of_account(user.pk)) == 3


def test_an_archive_whose_address_may_not_be_used_here_stays_one(alice: User, bob: User, tmp_path: Path) -> None:
    private = further_archive(alice, "Gateway", "USD", "litellm")
    Archive.objects.filter(pk=private).update(address="http://10.0.0.5:4000")
    archive(private, call("r1"))
    content = written(alice)
    imported(bob, tmp_path, content)
    [taken] = archives.further_of(bob.pk)
    assert taken.address == ""
    imported(bob, tmp_path, content)
    Archive.objects.filter(pk=taken.pk).update(address="https://gateway.example.org")
    imported(bob, tmp_path, content)
    assert [one.pk for one in archives.further_of(bob.pk)] == [taken.pk]
    assert [len(calls) for calls in calls_of(bob)] == [0, 1]


@pytest.mark.parametrize("is_addressed", [True, False])
def test_of_archives_of_one_name_each_is_found_again(
    is_addressed: bool, alice: User, bob: User, tmp_path: Path
) -> None:
    private, public = further_archive(alice, "Gateway", "USD", "litellm"), "https://gateway.example.org"
    other = further_archive(alice, "Gateway", "USD", "litellm")
    Archive.objects.filter(pk=private).update(address="http://10.0.0.5:4000")
    Archive.objects.filter(pk=other).update(address=public)
    archive(private, call("of the private one"))
    archive(other, call("of the other"))
    here = further_archive(bob, "Gateway", "USD", "litellm")
    Archive.objects.filter(pk=here).update(address=public)
    unaddressed = None if is_addressed else further_archive(bob, "Gateway", "USD", "litellm")
    for _ in range(2):
        imported(bob, tmp_path, written(alice))
    [first, second] = archives.further_of(bob.pk)
    assert (first.pk, second.address) == (here, "")
    assert unaddressed in (None, second.pk)
    assert [[name for name, *_ in calls] for calls in calls_of(bob)] == [[], ["of the other"], ["of the private one"]]


def test_a_dry_run_makes_no_archive(several: User, bob: User, tmp_path: Path) -> None:
    found = import_run.preview(bob, file_of(tmp_path, written(several), "account.zip"), Options({}))
    assert found.archives
    assert [(one.label, one.new) for one in found.archives] == [("At work", 2), ("At work", 1)]
    assert archives.of_account(bob.pk) == [bob.pk]


def test_only_a_file_of_several_needs_a_version_that_supports_them(several: User, bob: User) -> None:
    one, more = members_of(written(bob)), members_of(written(several))
    assert sorted(one) == ["manifest.json", "records.jsonl", "runs.jsonl", "settings.json"]
    assert sorted(more.keys() - one.keys()) == [
        f"archives/{number}/{name}" for number in (2, 3) for name in ("records.jsonl", "runs.jsonl")
    ]
    manifests = [json.loads(members["manifest.json"]) for members in (one, more)]
    assert [manifest["version"] for manifest in manifests] == [1, 2]
    assert "archives" not in manifests[0]
    assert manifests[1]["archives"] == [{"kind": "codebuddy", "unit": "credits", "label": "At work"}] * 2
    assert b"secret-of-the-second" not in b"".join(more.values())


def test_the_runs_of_all_archives_count_together(
    several: User, bob: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(staged_runs, "MOST_RUNS", 1)
    assert refusal(bob, tmp_path, written(several)) == "archives/2/runs.jsonl holds more than 1 runs."
    assert archives.of_account(bob.pk) == [bob.pk]


def with_manifest(**changes: Any) -> Callable[[Members], Members]:
    def change(members: Members) -> Members:
        return {**members, "manifest.json": json.dumps({**json.loads(members["manifest.json"]), **changes}).encode()}

    return change


@pytest.mark.engine
def test_amounts_of_other_units_and_measures_come_back_to_the_last_digit(
    alice: User, bob: User, tmp_path: Path
) -> None:
    dollars = further_archive(alice, "Gateway", "USD")
    given = [
        call("a", credits=0, measures=Measures(Provenance.UNKNOWN, Tokens(1, 2, 3, 4), None)),
        call("b", measures=Measures(Provenance.ESTIMATED, None, datetime(2026, 9, 7, 4, 5, 6, 789, UTC))),
        call("c"),
    ]
    archive(dollars, given[0], *(replace(one, amount=123_456_789_012_345_678) for one in given[1:]))
    imported(bob, tmp_path, written(alice))
    *_, there = archives.of_account(bob.pk)
    assert contents(there) == contents(dollars)
    assert [amount for amount, _ in contents(there).values()] == [0, *[123_456_789_012_345_678] * 2]
    assert (Archive.objects.get(pk=there).unit, recount(there).repaired) == ("USD", 0)
    assert imported(bob, tmp_path, written(alice))[1].archives[0].known == 3  # type: ignore[index]


@pytest.mark.parametrize(
    "broken",
    [
        {"provenance": "guessed"}, {"tokens": {"input": 1}}, {"at": "2026-09-07 10:00:00"}, {"at": "soon"},
        {"tokens": {"input": -1, "output": 0, "cache_read": 0, "cache_write": 0}}, {"more": 1},
        {"tokens": {"input": 10**12, "output": 0, "cache_read": 0, "cache_write": 0}},
    ],
)  # fmt: skip
def test_a_row_with_measures_of_another_form_is_left_out(broken: dict[str, Any], alice: User, tmp_path: Path) -> None:
    archive(further_archive(alice), call("a", measures=Measures(Provenance.ESTIMATED)), call("b"))
    members = members_of(written(alice))
    lines = members[SECOND].decode().splitlines()
    row = json.loads(lines[0])
    row["measures"] |= broken
    changed = f"{json.dumps(row)}\n{lines[1]}\n".encode()
    _, found = imported(alice, tmp_path, packed(resealed(members, SECOND, changed)))
    assert (found.archives[0].known, found.archives[0].unreadable) == (1, 1)  # type: ignore[index]


def described(**changes: Any) -> Callable[[Members], Members]:
    form = {"kind": "codebuddy", "unit": "credits", "label": "At work"}
    return with_manifest(archives=[form, {**form, **changes}])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (with_manifest(archives=[]), "did not write the ZIP file"),
        (with_manifest(archives=[{}] * 20), "did not write the ZIP file"),
        (with_manifest(archives=7), "did not write the ZIP file"),
        (with_manifest(archives=[7, 7]), "written by a newer version"),
        (described(kind="cursor"), "written by a newer version"),
        (described(unit="XYZ"), "written by a newer version"),
        (described(label=""), "did not write the ZIP file"),
        (described(label="x" * 61), "did not write the ZIP file"),
        (described(label="\x1b[2J"), "did not write the ZIP file"),
        (described(label=["x"]), "did not write the ZIP file"),
        (lambda members: {**members, SECOND: b"{}"}, "archives/2/records.jsonl is damaged"),
        (lambda members: {**members, "archives/21/records.jsonl": b"{}"}, "did not write the ZIP file"),
        (lambda members: {**members, "archives/1/records.jsonl": b"{}"}, "did not write the ZIP file"),
        (lambda members: {name: members[name] for name in members if name != THIRD}, "did not write the ZIP file"),
    ],
)
def test_a_hostile_file_is_refused_in_words(
    several: User, bob: User, tmp_path: Path, change: Callable[[Members], Members], words: str
) -> None:
    assert words in refusal(bob, tmp_path, packed(change(members_of(written(several)))))
    assert archives.of_account(bob.pk) == [bob.pk]


def test_more_archives_than_an_account_may_have_are_refused(several: User, bob: User, tmp_path: Path) -> None:
    for number in range(archives.MOST - 2):
        further_archive(bob, f"Number {number}")
    assert "more than 20 archives" in refusal(bob, tmp_path, written(several))
    Archive.objects.filter(user_id=bob.pk, label="Number 0").delete()
    imported(bob, tmp_path, written(several))
    assert len(archives.of_account(bob.pk)) == archives.MOST


def test_an_account_with_more_than_it_may_have_gets_no_other(several: User, bob: User, tmp_path: Path) -> None:
    for number in range(archives.MOST):
        further_archive(bob, f"Number {number}")
    assert "more than 20 archives" in refusal(bob, tmp_path, written(several))


def test_a_row_that_cannot_be_read_is_counted_where_it_is(several: User, bob: User, tmp_path: Path) -> None:
    members = members_of(written(several))
    content = packed(resealed(members, THIRD, members[THIRD] + b'{"request_id": "r9"}\n'))
    (tmp_path / "several.zip").write_bytes(content)
    done = manage_here("import", "bob", str(tmp_path / "several.zip"))
    assert done.returncode == 3, done.stderr
    assert "archive At work: 1 rows, 1 new, 0 known, 1 unreadable; 0 new runs" in done.stdout
    assert "1 row cannot be read" in done.stderr


class Dead(BaseException):
    """Ends a process in a test."""


def test_an_archive_in_which_the_process_died_is_finished(
    several: User, bob: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The archives after it need another import, which doubles nothing."""
    store = Storing.store

    def die_in_the_second(storing: Storing) -> Any:
        if storing.run.archive_id == bob.pk:
            return store(storing)
        patch.setattr(shutil, "rmtree", lambda *_, **__: None)
        patch.setattr(lease, "release", lambda _: None)
        raise Dead

    content = written(several)
    with monkeypatch.context() as patch:
        patch.setattr(Storing, "store", die_in_the_second)
        with pytest.raises(Dead):
            imported(bob, tmp_path, content)
        patch.setattr(lease, "_is_dead", lambda _: True)
        lease.expire()
    assert [len(calls) for calls in calls_of(bob)] == [1, 0]
    dead_imports.finish_all()
    assert calls_of(bob) == calls_of(several)[:2]
    assert set(Run.objects.filter(kind="import").values_list("status", flat=True)) == {"ok"}
    imported(bob, tmp_path, content)
    assert calls_of(bob) == calls_of(several)


@pytest.fixture
def emptied(several: User, settings: Any) -> tuple[bytes, list[int]]:
    """The file of an account whose records are gone since, and its archives; two collections may run at once."""
    settings.COLLECTIONS_AT_ONCE = 2
    content, own = written(several), archives.of_account(several.pk)
    Record.objects.filter(archive_id__in=own).delete()
    return content, own


def test_nothing_is_stored_while_a_further_archive_is_busy(
    emptied: tuple[bytes, list[int]], several: User, tmp_path: Path
) -> None:
    content, own = emptied
    token = lease.take(archive_id=own[2])
    assert token
    with pytest.raises(ApiError, match="already running") as refused:
        imported(several, tmp_path, content)
    assert (refused.value.error, calls_of(several)) == ("busy", [[], [], []])
    assert not Run.objects.filter(kind="import").exists()
    lease.release(token)
    imported(several, tmp_path, content)
    assert [len(calls) for calls in calls_of(several)] == [1, 2, 1]


def test_a_file_of_calls_waits_for_whichever_archive_is_worked_on(
    emptied: tuple[bytes, list[int]], several: User, tmp_path: Path
) -> None:
    token = lease.take(archive_id=emptied[1][1])
    assert token
    source = file_of(tmp_path, HEADER + "r1,1,why?,glm,ide,2026-09-07 12:30:00\r\n")
    importer = import_run.Importer(several, Run.Trigger.MANUAL, several.username)
    with pytest.raises(ApiError, match="already running"):
        import_run.import_file(importer, source, Options({}))
    lease.release(token)
    import_run.import_file(importer, source, Options({}))
    assert [len(calls) for calls in calls_of(several)] == [1, 0, 0]


def test_a_file_of_calls_goes_to_the_archive_that_is_named_and_that_of_an_account_to_none(
    emptied: tuple[bytes, list[int]], several: User, tmp_path: Path
) -> None:
    content, own = emptied
    importer = import_run.Importer(several, Run.Trigger.MANUAL, several.username, archive_id=own[1])
    source = file_of(tmp_path, HEADER + "r1,1,why?,glm,ide,2026-09-07 12:30:00\r\n")
    import_run.import_file(importer, source, Options({}))
    assert [len(calls) for calls in calls_of(several)] == [0, 1, 0]
    (tmp_path / "account.zip").write_bytes(content)
    with pytest.raises(ApiError) as refused:
        import_run.import_file(importer, source_at(tmp_path / "account.zip", "account.zip"), Options({}))
    assert (refused.value.status, refused.value.error) == (400, "bad_request")


def fill_disk(archive_id: int) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def interrupt(archive_id: int) -> None:
    raise KeyboardInterrupt


def take_lease(archive_id: int) -> None:
    assert lease.take(archive_id=archive_id)


@pytest.mark.parametrize(
    ("fail", "raised", "words"),
    [
        (take_lease, ApiError, "already running"),
        (fill_disk, ApiError, "The disk is full. "),
        (interrupt, ImportStopped, "Stopped on request."),
    ],
)
def test_a_failure_after_the_first_archive_says_that_this_one_is_filled(
    fail: Callable[[int], None],
    raised: type[Any],
    words: str,
    emptied: tuple[bytes, list[int]],
    several: User,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content, own = emptied
    kept: list[Staged] = []
    keep = Staged.keep

    def keep_or_fail(found: Staged, *given: Any) -> None:
        kept.append(found)
        if len(kept) == 2:
            fail(own[1])
        keep(found, *given)

    monkeypatch.setattr(Staged, "keep", keep_or_fail)
    with pytest.raises(raised) as broken_off:
        imported(several, tmp_path, content)
    said = str(broken_off.value.message)
    assert words in said
    assert said.endswith("before this one are imported; import the file again for the rest.")
    assert [len(calls) for calls in calls_of(several)] == [1, 0, 0]


@pytest.mark.parametrize("filled", [[0], [1, 0], [1, 2, 0]])
def test_a_stop_of_the_first_run_stops_the_import_wherever_it_is(
    filled: list[int], several: User, bob: User, tmp_path: Path, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, store = written(several), Storing.store
    begun: list[int] = []
    answers = []

    def stop_in_the_last(storing: Storing) -> Any:
        begun.append(storing.run.pk)
        if len(begun) == len(filled):
            answers.append(api_of(bob).post(f"/api/runs/{begun[0]}/stop"))
        return store(storing)

    monkeypatch.setattr(Storing, "store", stop_in_the_last)
    with pytest.raises(ApiError, match=r"Stopped on request\.") as stopped:
        imported(bob, tmp_path, content)
    assert [(one.status_code, one.json()["message"]) for one in answers] == [(200, "The run is stopping.")]
    assert stopped.value.error == "interrupted"
    assert [len(calls) for calls in calls_of(bob)] == filled


@pytest.mark.engine
@pytest.mark.parametrize("again", [False, True])
def test_an_import_that_ended_cannot_be_stopped(
    again: bool, several: User, bob: User, tmp_path: Path, api_of: ApiOf
) -> None:
    """Nor does its stop touch a later one."""
    content = written(several)
    run, _ = imported(bob, tmp_path, content)
    if again:
        further = archives.further_of(bob.pk)[0].pk
        for archive_id, status in ((bob.pk, "ok"), (further, "running")):
            Run.objects.create(
                archive_id=archive_id, kind="import", trigger="manual", status=status, created_at=clock.now()
            )
    assert api_of(bob).post(f"/api/runs/{run.pk}/stop").status_code == 409
    assert not Run.objects.filter(stop_requested=True).exists()


def test_webhooks_are_sent_the_run_of_the_first_archive_alone(several: User, bob: User, tmp_path: Path) -> None:
    make_webhook(bob)
    run, _ = imported(bob, tmp_path, written(several))
    sent = Notice.objects.filter(user_id=bob.pk).values_list("stored_begin", flat=True)
    assert [json.loads(body)["run"]["id"] for body in sent] == [run.pk]


def test_an_account_that_is_deleted_meanwhile_gets_no_archive(
    several: User, bob: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Storing.store

    def delete_after(storing: Storing) -> Any:
        stored = store(storing)
        User.objects.filter(pk=bob.pk).delete()
        return stored

    monkeypatch.setattr(Storing, "store", delete_after)
    with pytest.raises(ApiError, match="deleted") as refused:
        imported(bob, tmp_path, written(several))
    assert (refused.value.status, refused.value.error) == (409, "interrupted")
    assert archives.further_of(bob.pk) == []
