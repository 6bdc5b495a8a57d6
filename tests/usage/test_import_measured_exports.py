"""An export with unit, provenance and tokens is imported with them, into an archive of its unit alone."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from collection.api_types import ImportedFile
from collection.models import Run
from collection.transfer.import_run import Importer, import_file
from tests.factories import further_archive
from tests.usage.import_files import file_of
from tests.usage.record_factories import archive, call
from tests.usage.stored_measures import contents
from tests.usage.test_export_measures import AT, MEASURES
from usage.amounts.units import UNITS
from usage.export import pieces
from usage.export.csv_file import CsvForm
from usage.export.header import Contents
from usage.export.json_lines import JsonLines
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.importing.file_format import Options
from usage.importing.unreadable_file import UnreadableFile
from usage.measures import NO_MEASURES, Measures, Provenance, Status, Tokens
from usage.models import Record

pytestmark = pytest.mark.django_db

USD = UNITS["USD"]
FORMS = [
    CsvForm(Contents(measured=True), "en", USD),
    CsvForm(Contents(purpose=True, measured=True), "zh-hans", USD),
    JsonLines(Contents(measured=True), USD),
    JsonLines(Contents(purpose=True, measured=True), USD),
]


@pytest.fixture
def gateway(alice: User) -> int:
    archive_id = further_archive(alice, "Gateway", "USD", "litellm")
    calls = [call(name, credits=0 if name == "d" else 12.5, measures=one) for name, one in MEASURES.items()]
    failed = Measures(Provenance.BILLED, Tokens(5, 0), AT, Status.ERROR)
    archive(archive_id, *calls, call("failed", credits=0, measures=failed))
    return archive_id


def exported(archive_id: int, form: Any) -> bytes:
    return b"".join(pieces.pieces(archive_id, RecordFilters(), NEWEST_FIRST, form))


def imported(user: User, archive_id: int | None, folder: Path, content: bytes) -> ImportedFile:
    importer = Importer(user, Run.Trigger.CLI, "test", archive_id=archive_id)
    return import_file(importer, file_of(folder, content), Options({}))[1]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_it_changes_nothing_where_it_comes_from_and_fills_an_empty_archive(
    form: Any, alice: User, gateway: int, tmp_path: Path
) -> None:
    content, before = exported(gateway, form), contents(gateway)
    found = imported(alice, gateway, tmp_path, content)
    assert (found.new, found.known, found.conflicting, contents(gateway)) == (0, len(before), 0, before)
    other = further_archive(alice, "Another", "USD", "litellm")
    assert imported(alice, other, tmp_path, content).new == len(before)
    # When a call was made by the clock of the world, and how it ended, no export says.
    assert contents(other) == {
        name: (amount, replace(one, at=None, status=Status.OK)) for name, (amount, one) in before.items()
    }
    assert exported(other, form) == content


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_amounts_of_another_unit_are_refused(form: Any, alice: User, gateway: int, tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile) as refused:
        imported(alice, None, tmp_path, exported(gateway, form))
    assert "USD" in refused.value.message
    assert "credits" in refused.value.message
    assert not Record.objects.filter(archive_id=alice.pk).exists()


@pytest.mark.parametrize("form", [CsvForm(Contents(measured=True), "en"), JsonLines(Contents(measured=True))], ids=str)
def test_a_source_without_measures_gets_none(form: Any, alice: User, bob: User, tmp_path: Path) -> None:
    archive(alice, call("a", credits=2))
    assert imported(bob, None, tmp_path, exported(alice.pk, form)).new == 1
    assert contents(bob.pk)["a"][1] == NO_MEASURES


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_two_files_in_one_change_nothing(form: Any, alice: User, gateway: int, tmp_path: Path) -> None:
    content, before = exported(gateway, form), contents(gateway)
    found = imported(alice, gateway, tmp_path, content + content)
    assert (found.new, found.known, found.conflicting, found.unreadable) == (0, len(before), 0, 0)
    assert contents(gateway) == before


def test_a_total_of_a_spreadsheet_is_left_out(alice: User, gateway: int, tmp_path: Path) -> None:
    content = exported(gateway, FORMS[0]).decode() + ",62.5,,Total,,,,,105,0,0,0\r\n"
    found = imported(alice, gateway, tmp_path, content.encode())
    assert (found.known, found.unreadable) == (len(MEASURES) + 1, 1)


def test_tokens_with_a_decimal_are_whole(alice: User, gateway: int, tmp_path: Path) -> None:
    content, before = exported(gateway, FORMS[0]), contents(gateway)
    assert b",100,20,3,4" in content
    other = further_archive(alice, "Another", "USD", "litellm")
    imported(alice, other, tmp_path, content.replace(b",100,20,3,4", b",100.0,20.0,3.0,4.0"))
    assert contents(other)["a"][1].tokens == before["a"][1].tokens


@pytest.mark.parametrize(
    ("provenance", "tokens"), [("free", ["1"] * 4), ("billed", ["-1"] * 4), ("billed", ["1", "", "", ""])]
)
def test_measures_of_another_form_leave_their_row_out(
    provenance: str, tokens: list[str], alice: User, gateway: int, tmp_path: Path
) -> None:
    head = exported(gateway, FORMS[0]).splitlines()[0].decode()
    row = f'"x",1.5,"","glm","ide","2026-09-07 12:00:00","USD","{provenance}",{",".join(tokens)}'
    good = '"y",1.5,"","glm","ide","2026-09-07 12:00:00","USD","billed",,,,'
    found = imported(alice, gateway, tmp_path, f"{head}\r\n{row}\r\n{good}\r\n".encode())
    assert (found.new, found.unreadable) == (1, 1)
