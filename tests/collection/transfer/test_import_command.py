"""`manage.py import`, and an import that is killed in the middle."""

import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from accounts.models import User
from archive_site.lib import stored_message
from collection.runs import lease
from tests.archive_site.commands import is_one_line, manage_here
from tests.collection.rollup_errors import ROLLUP_ERRORS
from tests.collection.running_instance import Instance
from tests.usage.import_files import HEADER
from tests.usage.record_factories import archive, call
from usage.models import Record

ROW = "{},1.5,why?,glm,ide,2026-09-07 12:30:00\r\n"

HELD_IN_THE_MIDDLE = """
import django, time
django.setup()
from django.core.management import call_command
from collection.transfer import import_storing
from usage import bulk_ingest

# Each call is a part.
import_storing._FIRST = import_storing._LEAST = import_storing._MOST = 1
finish = bulk_ingest.Bulk.finish

def wait_in_the_second(bulk):
    finish(bulk)
    if calls.pop():
        print("here", flush=True)
        time.sleep(60)

calls = [True, False]
bulk_ingest.Bulk.finish = wait_in_the_second
call_command("import", "alice", {path!r})
"""


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    path = tmp_path / "calls.csv"
    path.write_text(HEADER + ROW.format("r1") + ROW.format("r2"), newline="")
    return path


@pytest.mark.django_db
def test_it_imports_and_prints_one_line(alice: User, calls: Path) -> None:
    done = manage_here("import", "ALICE", str(calls))
    assert (done.returncode, done.stdout, done.stderr) == (0, "2 new records, 0 already known.\n", "")
    assert Record.objects.filter(archive_id=alice.pk).count() == 2


@pytest.mark.django_db
def test_a_dry_run_prints_what_the_file_holds(alice: User, calls: Path) -> None:
    archive(alice, call("r1", credits=2))
    done = manage_here("import", "alice", str(calls), "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert "csv in utf-8, 2 rows" in done.stdout
    assert "         1 new\n" in done.stdout
    assert "         0 of erased days, left out\n" in done.stdout
    assert "conflict r1: credits were 2\n" in done.stdout
    assert Record.objects.count() == 1


@pytest.mark.django_db
def test_columns_and_zone_are_taken_by_hand(alice: User, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    path.write_text("a,b,when\nr1,1,2026-09-07 12:30:00\n")
    fields = ["request_id=a", "credits=b", "time=when"]
    done = manage_here("import", "alice", str(path), "--zone", "Asia/Shanghai", "--map", *fields)
    assert done.returncode == 0, done.stderr
    assert Record.objects.get().ts == "2026-09-07 06:30:00"


@pytest.mark.django_db
def test_signs_that_a_terminal_obeys_are_not_printed(alice: User, tmp_path: Path) -> None:
    archive(alice, call("r1\x1b[2J", model="\x1b]0;x\x07"))
    path = tmp_path / "calls.json"
    path.write_text(json.dumps([{"request_id": "r1\x1b[2J", "credits": 1, "model": "m", "ts": "2026-09-07 12:30:00"}]))
    done = manage_here("import", "alice", str(path), "--dry-run")
    assert "conflict" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody", "{calls}"], "There is no account nobody."),
        (["alice", "{folder}"], "It is not a file."),
        (["alice", "{folder}/none"], "There is no such file."),
        (["alice", "{calls}", "--zone", "Mars/Base"], "'Mars/Base' is not a known time zone"),
        (
            ["alice", "{calls}", "--map", "colour=a"],
            "--map takes FIELD=COLUMN, not 'colour'; the fields are: request_id",
        ),
        (["alice", "{calls}", "--map", "model=colour"], "There is no column 'colour' in the file."),
        (["alice", "/dev/null"], "It is not a file."),
    ],
)
def test_what_cannot_be_read_is_one_line(alice: User, calls: Path, arguments: list[str], words: str) -> None:
    given = [each.format(calls=calls, folder=calls.parent) for each in arguments]
    assert is_one_line(manage_here("import", *given), words)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (
            "a,credits,c\n1,2,3\n",
            "Name the columns by hand. The option is --map FIELD=COLUMN; its columns: a, credits, c.",
        ),
        ("id,credits,time\nr1,1,2026-09-07 12:30:00,\xff\xff\n", "The option is --encoding."),
    ],
)
def test_a_choice_that_a_file_needs_names_its_option(alice: User, tmp_path: Path, content: str, words: str) -> None:
    path = tmp_path / "other.csv"
    path.write_bytes(content.encode("latin-1"))
    assert is_one_line(manage_here("import", "alice", str(path), "--dry-run"), words)


@pytest.mark.django_db
def test_it_is_refused_while_a_collection_runs(alice: User, calls: Path) -> None:
    lease.take()
    assert is_one_line(manage_here("import", "alice", str(calls)), "A collection is already running")


@pytest.fixture
def held(instance: Instance, calls: Path) -> "subprocess.Popen[str]":
    """An import that stands still in its second part."""
    process = instance.start_python(HELD_IN_THE_MIDDLE.format(path=str(calls)))
    assert process.stdout
    assert process.stdout.readline() == "here\n"
    return process


@pytest.mark.engine
@pytest.mark.thorough
def test_an_import_that_was_killed_is_finished_before_the_next_one(
    instance: Instance, held: "subprocess.Popen[str]", calls: Path
) -> None:
    held.kill()
    held.wait(60)
    assert instance.sql("SELECT COUNT(*) FROM usage_record") == [(1,)]
    done = instance.run("import", "alice", str(calls))
    assert done.stdout == "0 new records, 2 already known.\n"
    assert not any(instance.sql(query) for query in ROLLUP_ERRORS)
    assert list((instance.home / "imports").glob("*/calls.sqlite3")) == []
    runs = instance.sql("SELECT status, added, dup FROM collection_run ORDER BY id")
    assert runs == [("ok", 2, 0), ("ok", 0, 2)]


@pytest.mark.thorough
def test_a_killed_import_whose_file_is_gone_says_how_many_calls_are_stored(
    instance: Instance, held: "subprocess.Popen[str]", calls: Path
) -> None:
    held.kill()
    held.wait(60)
    for path in (instance.home / "imports").glob("*/calls.sqlite3"):
        shutil.rmtree(path.parent)
    assert instance.run("import", "alice", str(calls)).stdout == "1 new record, 1 already known.\n"
    [(status, message), _] = instance.sql("SELECT status, message FROM collection_run ORDER BY id")
    assert status == "interrupted"
    assert "1 of its calls is stored;" in stored_message.text_of(message)


@pytest.mark.thorough
def test_ctrl_c_says_how_many_calls_are_stored(instance: Instance, held: "subprocess.Popen[str]", calls: Path) -> None:
    held.send_signal(signal.SIGINT)
    _, error = held.communicate(timeout=60)
    assert "Stopped on request. 1 of its calls is stored;" in error
    assert instance.sql("SELECT status FROM collection_run") == [("interrupted",)]
    assert list((instance.home / "imports").glob("*/calls.sqlite3")) == []


@pytest.mark.django_db
@pytest.mark.parametrize("flags", [[], ["--dry-run"]])
def test_rows_that_are_left_out_end_it_with_a_code_of_their_own(alice: User, tmp_path: Path, flags: list[str]) -> None:
    path = tmp_path / "calls.csv"
    path.write_text(HEADER + ROW.format("r1") + ROW.format("null"), newline="")
    done = manage_here("import", "alice", str(path), *flags)
    assert done.returncode == 3
    assert "row 3: RequestID 'null': the value is no request id\n" in done.stdout
    assert done.stderr == "CommandError: 1 row cannot be read and is left out.\n"
    assert Record.objects.count() == (0 if flags else 1)


@pytest.mark.django_db
def test_the_encoding_can_be_chosen(alice: User, tmp_path: Path) -> None:
    path = tmp_path / "calls.csv"
    path.write_bytes("id,credits,time,client\na1,1,2026-09-07 12:30:00,囧囧\n".encode("gb18030"))
    done = manage_here("import", "alice", str(path))
    assert (done.returncode, is_one_line(done)) == (1, True)
    done = manage_here("import", "alice", str(path), "--encoding", "gb18030")
    assert (done.returncode, Record.objects.get().client) == (0, "囧囧")
