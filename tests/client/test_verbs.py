"""The verbs against a real server: docs/client.md#verbs."""

import json
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from accounts.credentials import credential
from accounts.models import User
from archive_site.client.export import NOT_COMPLETE
from archive_site.client.outcome import ExitCode
from archive_site.lib import clock
from collection.models import Run as CollectionRun
from collection.transfer.import_run import Importer, import_file
from tests.client.conftest import ROOT, Run
from tests.usage.record_factories import archive, call
from usage.budgets import stored_budgets
from usage.coverage import ledger_writes
from usage.export.formats import FORMATS
from usage.importing.file_format import Options
from usage.importing.file_source import source_at
from usage.models import Record

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.landing]


@pytest.mark.parametrize("verb", ["summary", "daily", "top", "records", "status"])
def test_each_read_has_a_table_and_json(client: Run, alice: User, verb: str) -> None:
    archive(alice, call("r1", credits=1.5, ts=f"{clock.today()} 00:00:00", model="模型", prompt="a \x1b[31m b\nc"))
    table, text = client(verb), client(verb, "--json")
    assert (table.returncode, table.stderr, text.returncode) == (0, "", 0)
    assert "1.5" in table.stdout
    assert "\x1b" not in table.stdout
    assert json.loads(text.stdout)


@pytest.mark.thorough
def test_a_long_list_is_walked_in_parts(client: Run, alice: User) -> None:
    archive(alice, *(call(f"r{number}", credits=number) for number in range(1_003)))
    for order in ("ts_desc", "credits_asc"):
        for words, number in ((("--all",), 1_003), (("--limit", "700"), 700)):
            lines = client("records", "--json", *words, "--order", order).stdout.splitlines()
            assert len(lines) == len({json.loads(line)["request_id"] for line in lines}) == number


def test_it_loads_no_django() -> None:
    script = "import sys; import archive_site.client.main; print('django' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("verb", ["summary", "records", "export", "collect", "status"])
def test_a_wrong_token_is_4(client: Run, verb: str) -> None:
    assert client(verb, USAGE_ARCHIVE_TOKEN="ua_wrong").returncode == ExitCode.REFUSED  # noqa: S106


@pytest.mark.parametrize(("verb", "scope"), [("summary", "export"), ("export", "collect"), ("collect", "read")])
def test_a_wrong_scope_is_4(client: Run, verb: str, scope: str) -> None:
    done = client(verb, scopes=(scope,))
    assert done.returncode == ExitCode.REFUSED
    assert "scope" in done.stderr


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_an_export_appears_whole_and_replaces_nothing_unasked(
    client: Run, alice: User, tmp_path: Path, ending: str
) -> None:
    archive(alice, call("r1", prompt="x" * 5000))
    file = tmp_path / f"out.{ending}"
    assert client("export", "-o", str(file)).returncode == 0
    before = file.read_bytes()
    assert before
    assert client("export", "-o", str(file)).returncode == ExitCode.USAGE
    assert file.read_bytes() == before
    assert client("export", "-o", str(file), "--force").returncode == 0
    assert client("export", "-o", "/dev/null", "--force").returncode == ExitCode.USAGE


def test_a_hyphen_is_standard_output(client: Run, alice: User) -> None:
    archive(alice, call("r1"))
    assert json.loads(client("export", "-o", "-", "--format", "jsonl").stdout)["request_id"] == "r1"
    assert not (ROOT / "-").exists()


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_an_export_that_is_imported_changes_nothing_here_and_fills_an_empty_archive(
    client: Run, alice: User, bob: User, tmp_path: Path, format: str
) -> None:
    archive(
        alice, call("=k1", prompt="- fix", model="+glm", client="'@ide"), call("null", credits=1 / 7), call("1E+19")
    )
    file = tmp_path / f"calls.{format}"
    assert client("export", "-o", str(file)).returncode == 0
    here = import_file(Importer(alice, CollectionRun.Trigger.CLI, "test"), source_at(file), Options({}))[1]
    assert [here.known, here.new, here.conflicting, here.prompts, here.unreadable] == [3, 0, 0, 0, 0]
    import_file(Importer(bob, CollectionRun.Trigger.CLI, "test"), source_at(file), Options({}))
    shown = ("request_id", "credits", "model", "client", "ts", "prompt__text")
    first, second = (
        list(Record.objects.filter(archive_id=owner.pk).order_by("request_id").values_list(*shown))
        for owner in (alice, bob)
    )
    assert first == second


def test_the_words_of_a_broken_export_are_those_of_the_server() -> None:
    assert all(NOT_COMPLETE.encode() in FORMATS[name].broken_off for name in ("csv", "jsonl"))


def test_collect_without_workers_says_so(client: Run) -> None:
    done = client("collect")
    assert (done.returncode, done.stderr.count("\n")) == (ExitCode.SERVER, 1)


def test_check_is_silent_where_all_is_well(client: Run, alice: User) -> None:
    credential.store(alice.pk, "session=abcdefgh")
    done = client("status", "--check")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.engine
def test_check_names_each_thing_that_is_wrong(client: Run, alice: User) -> None:
    today = clock.today()
    ledger_writes.note_passed(alice.pk, [today - timedelta(days=9), today - timedelta(days=7)])
    archive(alice, call("r1", credits=5, ts=f"{today} 00:00:00"))
    stored_budgets.create(alice.pk, {"period": "day", "credits": 5})
    done = client("status", "--check")
    assert done.returncode == ExitCode.FAILED
    assert done.stderr.count("\n") == 3
    for words in ("no cookie", "days between", "budget of this day"):
        assert words in done.stderr


def test_check_that_cannot_see_all_is_not_green(client: Run, alice: User) -> None:
    credential.store(alice.pk, "session=abcdefgh")
    assert client("status", "--check", scopes=("collect",)).returncode == ExitCode.REFUSED
