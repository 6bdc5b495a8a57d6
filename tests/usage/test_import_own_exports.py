"""An archive that is exported and imported again stays what it is, whatever it holds."""

import csv
import io
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounts.models import User
from collection.api_types import ImportedFile
from collection.models import Run
from collection.transfer.import_run import Importer, import_file
from tests.usage.import_files import file_of
from tests.usage.record_factories import archive, call
from usage.export import pieces
from usage.export.csv_file import CsvForm
from usage.export.header import LANGUAGES, Contents
from usage.export.json_lines import JsonLines
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.importing.file_format import Options
from usage.incoming.record import IncomingRecord
from usage.models import Prompt, Record

pytestmark = [pytest.mark.django_db, pytest.mark.landing]

ALL_CONTENTS = [Contents(purpose, measured) for purpose in (True, False) for measured in (True, False)]
FORMS = [
    *(CsvForm(contents, language) for contents in ALL_CONTENTS for language in LANGUAGES),
    *map(JsonLines, ALL_CONTENTS),
]
# One of each kind is in every circle.
FIRST = [CsvForm(ALL_CONTENTS[0], LANGUAGES[0]), JsonLines(ALL_CONTENTS[0])]
ODD = [
    *("\n=", "'\n=1", "\n", "\r\n＝"),
    *("=1+1", "'=1+1", "''=1", "'", "''", "+x", "-", "@", "\t=", "\r=", "＝x", "a,b;c", 'a"b', '"', "a\nb", "a\r\nb"),
    *(
        "a\rb",
        "\u2028",
        "\ufeff",
        "\ufffd",
        '="a1"',
        ' ="a1"',
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
    amount=st.integers(-(10**12), 10**12),
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
        list(Record.objects.filter(archive_id=user.pk).order_by("pk").values_list()),
        list(Prompt.objects.filter(record__archive_id=user.pk).order_by("pk").values_list()),
    )


@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=[] if form in FIRST else pytest.mark.thorough, id=str(form)) for form in FORMS]
)
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


Rows = list[list[str]]


def renamed(rows: Rows) -> Rows:
    """The same under the names of another collector."""
    names = ["request_id", "credits", "prompt", "model", "client", "time"]
    further = ["purpose" if name in ("用途", "Purpose") else name for name in rows[0][len(names) :]]
    return [[*names, *further], *rows[1:]]


# What people do to a file, as rows without the byte-order mark.
TOUCHES: list[Callable[[Rows], Rows]] = [
    lambda rows: [[*row, "Note" if not number else "mine"] for number, row in enumerate(rows)],
    lambda rows: [[str(number) if number else "序号", *row] for number, row in enumerate(rows)],
    lambda rows: [["ID", *rows[0][1:]], *rows[1:]],
    lambda rows: [[*row[:3], *reversed(row[3:])] for row in rows],
    renamed,
]
# A text that people may have written; the archive has all of these as they are.
sane = st.sampled_from(["=k", "+glm", "-1x", "'=1", "''-a", "@ide", "glm", '="a1"', "＝x"])
touched_records = st.builds(
    call,
    request_id=st.tuples(sane, st.integers(1, 99)).map(lambda parts: f"{parts[0]}{parts[1]}"),
    credits=st.sampled_from([1.234567, 2, 0]),
    model=sane,
    client=sane,
    prompt=sane | st.sampled_from(["- fix the list", "@file.py explain", "\n=1", "'", "a,b;c", 'a "b"\r\nc']),
    agent_purpose=sane,
)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("touch", range(len(TOUCHES)))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    calls=st.lists(touched_records, min_size=1, max_size=5, unique_by=lambda record: record.request_id),
    form=st.builds(CsvForm, st.sampled_from(ALL_CONTENTS), st.sampled_from(LANGUAGES)),
    sign=st.sampled_from(",;\t"),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_an_export_that_somebody_touched_changes_nothing(
    alice: User, tmp_path: Path, touch: int, calls: list[IncomingRecord], form: CsvForm, sign: str, mark: str
) -> None:
    Prompt.objects.all().delete()
    Record.objects.all().delete()
    archive(alice, *calls)
    before = rows_of(alice)
    text = io.StringIO()
    own = csv.reader(io.StringIO(exported(alice, form).decode("utf-8-sig"), newline=""))
    csv.writer(text, delimiter=sign).writerows(TOUCHES[touch](list(own)))
    found = imported(alice, tmp_path, (mark + text.getvalue()).encode())
    assert (found.known, found.new, found.conflicting, found.prompts) == (len(calls), 0, 0, 0)
    assert rows_of(alice) == before
