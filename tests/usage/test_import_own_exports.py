"""An archive that is exported and imported again stays what it is, whatever it holds."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from collection.api_types import ImportedFile
from collection.import_run import Importer, import_file
from collection.models import Run
from tests.usage.import_files import file_of
from tests.usage.record_factories import archive
from usage.export import pieces
from usage.export.csv_file import CsvForm
from usage.export.header import LANGUAGES
from usage.export.json_lines import JsonLines
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.importing.file_format import Options
from usage.incoming_record import IncomingRecord
from usage.models import Prompt, Record

pytestmark = pytest.mark.django_db

FORMS = [
    *(CsvForm(purpose, language) for purpose in (False, True) for language in LANGUAGES),
    *(JsonLines(purpose) for purpose in (False, True)),
]
ODD = [
    *("\n=", "'\n=1", "\n", "\r\n＝"),
    *("=1+1", "'=1+1", "''=1", "'", "''", "+x", "-", "@", "\t=", "\r=", "＝x", "a,b;c", 'a"b', '"', "a\nb", "a\r\nb"),
    *(
        "a\rb",
        "\u2028",
        "\ufeff",
        "\ufffd",
        '="a1"',
        "N/A",
        "null",
        "true",
        "1.23457E+19",
        "total",
        "小计",
        "1,5",
        " x ",
    ),
]
characters = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
texts = st.sampled_from(ODD) | st.text(characters, max_size=40)
records = st.builds(
    IncomingRecord,
    request_id=texts.map(str.strip).filter(bool),
    credits_micro=st.integers(-(10**12), 10**12),
    model=texts,
    client=texts,
    ts=st.datetimes(datetime(1970, 1, 2), datetime(2099, 12, 30)).map(lambda at: at.isoformat(" ", "seconds")),
    prompt=texts,
    prompt_truncated=st.booleans(),
    agent_purpose=texts,
)
archives = st.lists(records, min_size=1, max_size=8, unique_by=lambda record: record.request_id)


def exported(user: User, form: Any) -> bytes:
    return b"".join(pieces.pieces(user.pk, RecordFilters(), NEWEST_FIRST, form))


def imported(user: User, folder: Path, content: bytes) -> ImportedFile:
    _, found = import_file(Importer(user, Run.Trigger.CLI, "test"), file_of(folder, content), Options({}))
    return found


def rows_of(user: User) -> tuple[list[Any], list[Any]]:
    return (
        list(Record.objects.filter(user_id=user.pk).order_by("pk").values_list()),
        list(Prompt.objects.filter(record__user_id=user.pk).order_by("pk").values_list()),
    )


@pytest.mark.parametrize("form", FORMS, ids=str)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=archives)
def test_an_export_changes_nothing_here_and_fills_an_empty_archive(
    alice: User, bob: User, tmp_path: Path, form: Any, calls: list[IncomingRecord]
) -> None:
    Prompt.objects.all().delete()
    Record.objects.all().delete()
    archive(alice, *calls)
    before, content = rows_of(alice), exported(alice, form)
    found = imported(alice, tmp_path, content)
    assert (found.known, found.new, found.conflicting, found.prompts) == (len(calls), 0, 0, 0)
    assert rows_of(alice) == before
    assert imported(bob, tmp_path, content).new == len(calls)
    assert exported(bob, form) == content
