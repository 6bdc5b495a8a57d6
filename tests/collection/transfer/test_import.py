"""What an import does to an archive: the rules of a call that is seen again, its run, its audit entry."""

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from accounts import config
from accounts.models import INSTANCE, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from audit.models import Entry
from collection.api_types import ImportedFile
from collection.models import Run
from collection.runs import lease, runs
from collection.transfer.import_run import Importer, import_file, preview
from tests.usage.import_files import HEADER, file_of
from tests.usage.record_factories import archive, call, counted_rollups, kept_rollups, prompt_of, stored
from usage import bulk_ingest
from usage.coverage import ledger_writes
from usage.coverage.ledger_writes import DayReading
from usage.export import csv_file
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.importing import work_folder
from usage.importing.api_types import ConflictingCall
from usage.importing.file_format import Options
from usage.models import CoverageDay, Record
from usage.reads import queries

pytestmark = pytest.mark.django_db


def imported(user: User, tmp_path: Path, content: str | bytes, **columns: str) -> tuple[Run, ImportedFile]:
    importer = Importer(user, Run.Trigger.MANUAL, user.username, "192.0.2.1")
    return import_file(importer, file_of(tmp_path, content), Options(columns))


def counts(found: ImportedFile) -> tuple[int, ...]:
    return (found.new, found.known, found.conflicting, found.repeated, found.unreadable)


def csv(*rows: str) -> str:
    return HEADER + "".join(f"{row}\r\n" for row in rows)


def row(request_id: str, credits: str = "1.5", prompt: str = "", ts: str = "2026-09-07 12:30:00") -> str:
    return f"{request_id},{credits},{prompt},glm,ide,{ts}"


def test_an_export_of_one_account_fills_another(alice: User, bob: User, tmp_path: Path) -> None:
    calls = [call(f"r{number}", credits=number / 7, prompt=f"=p{number}") for number in range(50)]
    archive(bob, *calls)
    exported = b"".join(csv_file.pieces(bob.pk, RecordFilters(), NEWEST_FIRST))
    run, found = imported(alice, tmp_path, exported)
    assert counts(found) == (50, 0, 0, 0, 0)
    assert b"".join(csv_file.pieces(alice.pk, RecordFilters(), NEWEST_FIRST)) == exported
    assert {record.run_id for record in Record.objects.filter(archive_id=alice.pk)} == {run.pk}
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk) != ([], [])
    assert queries.count_records(alice.pk, RecordFilters(text="=p7")) == 1


def test_a_second_import_of_the_same_file_changes_nothing(alice: User, tmp_path: Path) -> None:
    content = csv(row("r1", prompt="why?"), row("r2"))
    imported(alice, tmp_path, content)
    before = list(Record.objects.values())
    _, found = imported(alice, tmp_path, content)
    assert counts(found) == (0, 2, 0, 0, 0)
    assert list(Record.objects.values()) == before


def test_other_values_replace_those_here_and_are_noted(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1"))
    run, found = imported(alice, tmp_path, csv(row("r1", "2", ts="2026-09-08 00:00:00")))
    assert counts(found) == (0, 0, 1, 0, 0)
    assert found.examples.conflicting == [ConflictingCall("r1", ["credits were 1.5", "time was '2026-09-07 12:30:00'"])]
    assert (stored(alice).credits, stored(alice).day) == (2_000_000, "2026-09-08")
    assert "conflict r1: credits were 1.5" in run.detail
    assert kept_rollups(alice.pk) == counted_rollups(alice.pk)


def test_an_import_has_no_lines_where_the_account_may_store_no_more_texts(alice: User, tmp_path: Path) -> None:
    config.write({"max_account_megabytes": "1"}, archive_id=INSTANCE, may_edit_instance=True)
    archive(alice, call("r1"))
    texts = dict.fromkeys(("stored_message", "stored_detail"), "x" * 250_000)
    for number, credits in enumerate("2345"):
        run, found = imported(alice, tmp_path, csv(row("r1", credits)))
        assert (counts(found), "conflict r1" in run.detail) == ((0, 0, 1, 0, 0), number < 2)
        Run.objects.filter(pk=run.pk).update(**texts)


def test_what_a_file_does_not_have_stays(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1", prompt="why?", agent_purpose="conversation"))
    _, found = imported(alice, tmp_path, "id,credits,time\nr1,1.5,2026-09-07 12:30:00\n")
    assert counts(found) == (0, 1, 0, 0, 0)
    assert (stored(alice).model, stored(alice).agent_purpose, prompt_of(alice)) == ("glm", "conversation", "why?")


def test_an_excerpt_never_replaces_a_whole_prompt(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1", prompt="why?"))
    excerpt = {"id": "r1", "c": 1.5, "m": "glm", "cl": "ide", "t": "2026-09-07 12:30:00", "px": "why? " * 24}
    imported(alice, tmp_path, json.dumps([excerpt]))
    assert (prompt_of(alice), stored(alice).prompt_truncated) == ("why?", False)


def test_a_prompt_that_may_be_cut_stays_marked_as_cut(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1", prompt="why", prompt_truncated=True))
    imported(alice, tmp_path, csv(row("r1", prompt="why")))
    assert stored(alice).prompt_truncated
    _, found = imported(alice, tmp_path, csv(row("r1", prompt="why?")))
    assert (found.prompts, prompt_of(alice), stored(alice).prompt_truncated) == (1, "why?", False)


def test_prompts_are_cut_to_the_setting(alice: User, tmp_path: Path) -> None:
    config.write({"max_prompt": "3"}, archive_id=INSTANCE, may_edit_instance=True)
    imported(alice, tmp_path, csv(row("r1", prompt="why?")))
    assert (prompt_of(alice), stored(alice).prompt_truncated) == ("why", True)


def test_of_a_call_that_comes_twice_the_last_row_wins(alice: User, tmp_path: Path) -> None:
    content = csv(row("r1", "1", prompt="a longer one"), row("r1", "2", prompt="short"))
    _, found = imported(alice, tmp_path, content)
    assert counts(found) == (1, 0, 1, 0, 0)
    assert found.examples.conflicting == [
        ConflictingCall("r1", ["row 2 has credits 1", "row 3 wins"]),
    ]
    assert (stored(alice).credits, prompt_of(alice)) == (2_000_000, "a longer one")


def test_a_dry_run_counts_as_the_import_does_and_stores_nothing(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1"), call("r2"))
    content = csv(row("r1"), row("r2", "9"), row("r3"), row("r3"), row(""))
    looked = preview(alice, file_of(tmp_path, content), Options({}))
    assert counts(looked) == (1, 1, 1, 1, 1)
    assert (Record.objects.count(), Run.objects.count(), Entry.objects.count()) == (2, 0, 0)
    _, found = imported(alice, tmp_path, content)
    assert looked == found


def test_rows_that_cannot_be_read_are_counted_with_examples(alice: User, tmp_path: Path) -> None:
    _, found = imported(alice, tmp_path, csv(row("r1"), *[row("")] * 30, row("r2", "much")))
    assert counts(found) == (2 - 1, 0, 0, 0, 31)
    reasons = [(each.row, each.reason) for each in found.examples.unreadable]
    assert reasons[0] == (3, "requestId is missing")
    assert reasons[-1] == (33, "积分消耗 'much': credit is not a finite number")
    # Five of each reason.
    assert len(reasons) == 6


def test_a_file_without_a_readable_row_is_refused_without_a_run(alice: User, tmp_path: Path) -> None:
    with pytest.raises(ApiError, match="None of its rows can be read; row 2: requestId is missing."):
        imported(alice, tmp_path, csv(row("")))
    with pytest.raises(ApiError, match="It holds no calls."):
        imported(alice, tmp_path, HEADER)
    with pytest.raises(ApiError) as refusal:
        imported(alice, tmp_path, csv(*[row("")] * 9, *[row("r2", "much")] * 9))
    assert refusal.value.message.count("requestId is missing") == 5
    assert refusal.value.message.count("积分消耗 'much': credit is not a finite number") == 5
    assert not Run.objects.exists()


def test_an_import_is_a_run_of_its_own_and_audited(alice: User, tmp_path: Path) -> None:
    run, _ = imported(alice, tmp_path, csv(row("r1"), row("r1"), row("")))
    assert (run.kind, run.status, run.exit_code, run.win_from) == ("import", "ok", 0, None)
    assert (run.fetched, run.added, run.dup, run.conflicts, run.total) == (3, 1, 1, 0, 1)
    assert run.message == "1 new record, 1 already known, 1 row could not be read and was skipped."
    assert "calls.csv: csv, 3 rows" in run.detail
    assert "skipped row 4: requestId is missing" in run.detail
    [entry] = Entry.objects.filter(user_id=alice.pk)
    assert (entry.action, entry.ip) == ("import", "192.0.2.1")
    assert not runs.collections(alice.pk).exists()


def test_another_accounts_calls_are_neither_counted_nor_changed(alice: User, bob: User, tmp_path: Path) -> None:
    archive(bob, call("r1", credits=7))
    before = list(Record.objects.filter(archive_id=bob.pk).values())
    content = json.dumps([{"user_id": bob.pk, "request_id": "r1", "credits": 1, "ts": "2026-09-07 12:30:00"}])
    _, found = imported(alice, tmp_path, content)
    assert counts(found) == (1, 0, 0, 0, 0)
    assert list(Record.objects.filter(archive_id=bob.pk).values()) == before


def test_the_days_of_a_file_are_no_longer_settled(alice: User, tmp_path: Path) -> None:
    recent, old = clock.today() - timedelta(days=5), date(2024, 1, 1)
    for day in (recent, old):
        ledger_writes.note_readings(
            alice.pk, [DayReading(day, 1, 0, is_bare=False, changed=False)], clock.now(), settles=True
        )
    rows = [row("r1", ts=f"{day} 10:00:00") for day in (recent, old)] + [row("r2", ts="2023-01-01 10:00:00")]
    imported(alice, tmp_path, csv(rows[0], rows[1].replace("r1", "r3"), rows[2]))
    found = {each.day: each for each in CoverageDay.objects.filter(archive_id=alice.pk)}
    assert sorted(found) == [str(old), str(recent)]
    assert [(each.upstream, each.settled_at) for each in found.values()] == [(1, None)] * 2
    # What the upstream may not have any more is not asked for again.
    assert (found[str(recent)].next_read_at is None, found[str(old)].next_read_at is None) == (False, True)


def test_it_is_busy_while_a_collection_runs(alice: User, tmp_path: Path) -> None:
    lease.take()
    with pytest.raises(ApiError, match="A collection is already running"):
        imported(alice, tmp_path, csv(row("r1")))
    assert not Run.objects.exists()


def test_a_dry_run_needs_no_lease(alice: User, tmp_path: Path) -> None:
    lease.take()
    assert preview(alice, file_of(tmp_path, csv(row("r1"))), Options({})).new == 1


def test_a_second_file_of_the_same_account_waits(alice: User, tmp_path: Path) -> None:
    with work_folder.alone(alice.pk), pytest.raises(ApiError, match="Another file is being read"):
        preview(alice, file_of(tmp_path, csv(row("r1"))), Options({}))


@pytest.mark.parametrize(
    ("error", "status", "code"), [(lease.LeaseLost(), "interrupted", 409), (RuntimeError("secret"), "failed", 500)]
)
def test_a_failure_stores_nothing_and_ends_the_run(
    alice: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, status: str, code: int
) -> None:
    def fail(bulk: bulk_ingest.Bulk) -> None:
        raise error

    monkeypatch.setattr(bulk_ingest.Bulk, "finish", fail)
    with pytest.raises(ApiError) as refused:
        imported(alice, tmp_path, csv(row("r1")))
    run = Run.objects.get()
    assert (refused.value.status, run.status, run.added, Record.objects.count()) == (code, status, 0, 0)
    assert "secret" not in run.message + run.detail
    assert Entry.objects.get().action == "import_failed"
    assert not lease.is_held()


def test_nothing_of_the_file_is_left_behind(alice: User, tmp_path: Path, settings: Any) -> None:
    before = set(settings.DATA_FOLDER.imports.iterdir())
    imported(alice, tmp_path, csv(row("r1")))
    with pytest.raises(ApiError):
        imported(alice, tmp_path, "nothing")
    left = set(settings.DATA_FOLDER.imports.iterdir()) - before
    assert [path for path in left if path.suffix != ".lock"] == []


def test_a_time_without_seconds_never_replaces_an_exact_one(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1", ts="2026-11-20 12:30:17"), call("r2", ts="2026-11-20 12:31:45"))
    _, found = imported(alice, tmp_path, csv(row("r1", ts="2026/11/20 12:30"), row("r2", ts="2026/11/20 12:32")))
    assert counts(found) == (0, 1, 1, 0, 0)
    assert (stored(alice).ts, stored(alice, "r2").ts) == ("2026-11-20 12:30:17", "2026-11-20 12:32:00")


def test_within_a_file_the_richer_row_wins(alice: User, tmp_path: Path) -> None:
    rows = [row("r1", ts="2026-11-20 12:30:17"), "r1,1.5,,,,2026-11-20 12:30"]
    for content in (csv(*rows), csv(*reversed(rows))):
        _, found = imported(alice, tmp_path, content)
        assert (found.repeated, found.conflicting) == (1, 0)
        assert (stored(alice).model, stored(alice).ts) == ("glm", "2026-11-20 12:30:17")


def test_an_empty_model_or_client_replaces_none(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1"))
    _, found = imported(alice, tmp_path, csv("r1,1.5,,,,2026-09-07 12:30:00", "r2,1,,,,2026-09-07 12:30:00"))
    assert counts(found) == (1, 1, 0, 0, 0)
    assert (stored(alice).model, stored(alice).client, stored(alice, "r2").model) == ("glm", "ide", "")


def test_a_damaged_cell_replaces_no_whole_one(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1", client="Größe", prompt="好的"), call("r2", prompt="好"))
    good = (HEADER + row("r1") + "\r\n").encode()
    damaged = good.replace(b"ide", b"Gr\xffe").replace(b",,", ",好长长长".encode() + b"\xe4,", 1)
    _, found = imported(alice, tmp_path, damaged)
    assert counts(found) == (0, 1, 0, 0, 0)
    assert [cell.column for cell in found.examples.damaged] == ["User Prompt", "客户端"]
    assert (stored(alice).client, prompt_of(alice)) == ("Größe", "好的")


def test_rows_that_differ_are_counted_and_say_which_one_wins(alice: User, tmp_path: Path) -> None:
    rows = [row("r1", "2.5"), row("r1", "1", ts="2026-09-08 12:30:00"), row("r1", "1", ts="2026-09-08 12:30:00")]
    run, found = imported(alice, tmp_path, csv(*rows))
    assert counts(found) == (1, 0, 1, 1, 0)
    assert found.examples.conflicting == [
        ConflictingCall("r1", ["row 2 has credits 2.5, ts '2026-09-07 12:30:00'", "row 4 wins"])
    ]
    assert (run.dup, run.conflicts, run.added, run.fetched) == (1, 1, 1, 3)
    assert "1 row differs from a later row of the same call, which wins" in run.message


@pytest.mark.parametrize(
    ("encoding", "rows"),
    [
        ("gb18030", ["r1,1.234567,'- fix,glm,ide,2026/11/20 12:30", "r2,2,'@file,'+glm,ide,2026/11/20 12:31"]),
        ("utf-8-sig", ["r1;1,234567;'- fix;glm;ide;20.11.2026 12:30", "r2;2;'@file;'+glm;ide;20.11.2026 12:31"]),
        ("utf-16", ["r1\t1.234567\t'- fix\tglm\tide\t2026/11/20 12:30", "r2\t2\t'@file\t'+glm\tide\t2026-11-20 12:31"]),
    ],
)
def test_an_export_that_a_spreadsheet_saved_again_changes_nothing(
    alice: User, tmp_path: Path, encoding: str, rows: list[str]
) -> None:
    archive(
        alice,
        call("r1", credits=1.234567, prompt="- fix", ts="2026-11-20 12:30:17"),
        call("r2", credits=2, prompt="@file", model="+glm", ts="2026-11-20 12:31:15"),
    )
    before = list(Record.objects.values())
    sign = next(sign for sign in "\t;," if sign in rows[0])
    content = "\r\n".join([HEADER.strip().replace(",", sign), *rows, ""]).encode(encoding)
    _, found = imported(alice, tmp_path, content)
    assert counts(found) == (0, 2, 0, 0, 0)
    assert list(Record.objects.values()) == before


@pytest.mark.parametrize(
    ("credits", "model", "client"),
    [
        ("1.23", "glm", "Größe 客户端"),
        ("$1.2346", "N/A", "Gr??e ???"),
        ("1.234567", " glm ", "null"),
        ("1.2", "-", "  "),
    ],
)
def test_a_poorer_copy_of_a_value_replaces_none(
    alice: User, tmp_path: Path, credits: str, model: str, client: str
) -> None:
    archive(alice, call("r1", credits=1.234567, client="Größe 客户端"))
    _, found = imported(alice, tmp_path, csv(f"r1,{credits},,{model},{client},2026-09-07 12:30:00"))
    assert counts(found) == (0, 1, 0, 0, 0)
    assert (stored(alice).credits, stored(alice).model, stored(alice).client) == (1_234_567, "glm", "Größe 客户端")


def test_other_credits_with_as_many_decimals_replace_those_here(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1", credits=1.25), call("r2", credits=1.25), call("r3", credits=1.234567))
    _, found = imported(alice, tmp_path, csv(row("r1", "1.26"), row("r2", "1"), row("r3", "1.24")))
    assert counts(found) == (0, 0, 3, 0, 0)


def test_a_damaged_purpose_replaces_none_also_where_its_row_comes_twice(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1", agent_purpose="chat"))
    rows = [f"r1,1.5,,glm,ide,2026-09-07 12:30:00,{purpose}" for purpose in ("ch\ufffd", "", "ch\ufffd")]
    header = HEADER.strip() + ",用途"
    imported(alice, tmp_path, "\r\n".join([header, *rows, ""]))
    assert stored(alice).agent_purpose == "chat"
