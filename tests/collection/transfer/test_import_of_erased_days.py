"""Imports leave out calls of days that were erased, and count them (docs/decisions/records.md#retention)."""

from pathlib import Path

import pytest

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from collection.models import Run
from collection.runs import lease
from collection.transfer import account_export, import_storing
from collection.transfer.import_run import Importer, import_file
from tests.collection.import_endpoint import send
from tests.factories import ApiClient, further_archive
from tests.usage.import_files import HEADER, file_of
from tests.usage.record_factories import archive, kept_rollups, on
from tests.usage.retention.kept_archives import DAYS, KEPT_FROM, fill, keep, sums
from usage.bulk_ingest import Bulk
from usage.importing.file_format import Options
from usage.models import Prompt, Record

pytestmark = pytest.mark.django_db
ROWS = [f"r{day:02},1,why {day}?,glm,ide,2026-08-{day:02} 12:30:00\r\n" for day in range(1, 11)]
CONTENT = HEADER + "".join(ROWS)


@pytest.fixture
def erased(alice: User) -> User:
    """The calls of 1 to 10 August, of which those from the 7th on are kept."""
    archive(alice, *(on(f"2026-08-{day:02}", f"r{day:02}") for day in range(1, 11) if day != 8))
    keep(alice, calls_days=DAYS)
    return alice


@pytest.mark.engine
def test_they_are_counted_in_a_dry_run_and_in_an_import(erased: User) -> None:
    api, before = ApiClient.signed_in(erased), sums(erased)
    dry = send(api, CONTENT.encode(), dry_run="1").json()
    counts = {name: dry[name] for name in ("rows", "new", "known", "conflicting", "too_old")}
    assert counts == {"rows": 10, "new": 1, "known": 0, "conflicting": 3, "too_old": 6}
    assert sums(erased) == before
    done = send(api, CONTENT.encode()).json()["result"]
    assert {name: done[name] for name in counts} == counts
    assert "6 left out, since calls of their days were erased" in done["message"]
    assert sorted(Record.objects.values_list("request_id", flat=True)) == ["r07", "r08", "r09", "r10"]
    rollups = kept_rollups(erased.pk)
    again = send(api, CONTENT.encode()).json()["result"]
    assert (again["new"], again["known"], again["too_old"]) == (0, 4, 6)
    assert kept_rollups(erased.pk) == rollups


def test_prompts_of_days_without_prompts_are_left_out(alice: User) -> None:
    archive(alice, *(on(f"2026-08-{day:02}", f"r{day:02}") for day in range(1, 11)))
    keep(alice, prompts_days=DAYS)
    done = send(ApiClient.signed_in(alice), CONTENT.replace(",1,", ",1.5,").encode()).json()["result"]
    assert (done["prompts"], done["too_old"]) == (4, 0)
    assert sorted(Prompt.objects.values_list("record__day", flat=True)) == [
        "2026-08-07", "2026-08-08", "2026-08-09", "2026-08-10",
    ]  # fmt: skip


def test_an_import_that_died_counts_all_of_them(erased: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_FIRST", "_LEAST", "_MOST"):
        monkeypatch.setattr(import_storing, name, 1)
    finish, seen = Bulk.finish, list[Bulk]()

    def dies(bulk: Bulk) -> None:
        finish(bulk)
        seen.append(bulk)
        if len(seen) == 4:
            raise lease.LeaseLost

    with monkeypatch.context() as patch:
        patch.setattr(Bulk, "finish", dies)
        with pytest.raises(ApiError, match="0 of its calls are stored"):
            import_file(Importer(erased, Run.Trigger.MANUAL, "alice"), file_of(tmp_path, CONTENT), Options({}))
    _, found = import_file(Importer(erased, Run.Trigger.MANUAL, "alice"), file_of(tmp_path, CONTENT), Options({}))
    assert (found.new, found.conflicting, found.too_old) == (1, 3, 6)


def test_the_file_of_an_account_has_the_kept_calls_alone(alice: User, bob: User, tmp_path: Path) -> None:
    further = further_archive(alice)
    for archive_id in (alice.pk, further):
        fill(archive_id, 60)
    whole = tmp_path / "whole.zip"
    whole.write_bytes(b"".join(account_export.pieces(alice)))
    keep(alice, calls_days=DAYS)
    kept = Record.objects.filter(archive_id=alice.pk).count()
    content = b"".join(account_export.pieces(alice))
    _, found = import_file(Importer(bob, Run.Trigger.MANUAL, "bob"), file_of(tmp_path, content, "a.zip"), Options({}))
    assert (found.new, found.rows) == (kept, kept)
    # Its own file of before brings nothing back.
    before = sums(alice)
    _, found = import_file(
        Importer(alice, Run.Trigger.MANUAL, "alice"), file_of(tmp_path, whole.read_bytes(), "b.zip"), Options({})
    )
    assert (found.new, found.known, found.too_old) == (0, kept, 60 - kept)
    assert found.archives
    assert [one.too_old for one in found.archives] == [60 - Record.objects.filter(archive_id=further).count()]
    assert not Record.objects.filter(archive_id__in=[alice.pk, further], day__lt=KEPT_FROM).exists()
    assert sums(alice) == before
