"""`manage.py maintenance`: the same actions without intervals, one line and an exit code (docs/api.md#maintenance)."""

import re
import signal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from accounts.credentials import credential
from accounts.models import User
from audit.models import Entry
from collection import compaction
from collection.runs import lease
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.commands import manage_here
from tests.collection.collector_run import collected, set_up
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage.export.kept_files import exports_of
from usage.models import DayHour


def run(*arguments: str) -> str:
    output = StringIO()
    call_command("maintenance", *arguments, stdout=output)
    return output.getvalue()


def failed(*arguments: str) -> tuple[int, str]:
    with pytest.raises(CommandError) as error:
        run(*arguments)
    return error.value.returncode, str(error.value)


def test_it_recounts_an_account_whatever_the_case_of_its_name(alice: User) -> None:
    archive(alice, call("a"))
    DayHour.objects.all().delete()
    assert run("recount", "ALICE") == "1 records; 1 sum was wrong and is repaired.\n"
    assert DayHour.objects.count() == 1


@pytest.mark.thorough
def test_it_fills_prompts(alice: User, upstream: Simulator) -> None:
    set_up(alice, upstream)
    upstream.faults.late_prompt_minutes = 60 * 24 * 31
    collected(alice)
    upstream.faults.late_prompt_minutes = 0
    assert re.fullmatch(r"[1-9]\d+ prompts filled, of \d+ that were missing or cut\.\n", run("fill-prompt", "alice"))


def test_it_exports(alice: User, time: SetClock) -> None:
    assert re.fullmatch(r"Exported to \S*alice\S*\.csv\.\n", run("export-csv", "alice"))


def test_it_exports_an_english_header_on_demand(alice: User, time: SetClock) -> None:
    run("export-csv", "alice", "--lang", "en")
    [path] = exports_of(alice.pk)
    assert "RequestID,Credits,User Prompt,Model,Client,Time" in path.read_text()


def test_it_exports_the_purpose_on_demand(alice: User, time: SetClock) -> None:
    archive(alice, call(agent_purpose="chat"))
    run("export-csv", "alice", "--columns", "purpose")
    [path] = exports_of(alice.pk)
    assert path.read_text().endswith(',"chat"\n')


def test_it_is_audited_as_the_command_lines(alice: User) -> None:
    run("recount", "alice")
    entry = Entry.objects.get()
    assert (entry.action, entry.actor, entry.user_id, entry.detail) == (
        "maintenance:recount", "command line", alice.pk, "0 records."
    )  # fmt: skip


@pytest.mark.thorough
def test_it_has_no_interval(alice: User) -> None:
    assert run("recount", "alice") == run("recount", "alice")


@pytest.mark.django_db
def test_the_whole_store_is_compacted_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compaction, "compact", lambda: None)
    assert run("vacuum").startswith("The store is compacted")
    assert Entry.objects.get().user_id is None


# Failures


@pytest.mark.parametrize("arguments", [["recount"], ["fill-prompt"], ["export-csv"], ["vacuum", "alice"]])
def test_a_name_too_few_or_too_many_is_wrong_usage(alice: User, arguments: list[str]) -> None:
    code, line = failed(*arguments)
    assert (code, "\n" in line) == (2, False)
    assert not Entry.objects.exists()


def test_an_unknown_account_is_a_failure(alice: User) -> None:
    assert failed("recount", "nobody") == (1, "There is no account nobody.")


def test_what_an_action_cannot_do_is_one_line(alice: User) -> None:
    code, line = failed("fill-prompt", "alice")
    assert (code, line) == (1, "No cookie is set for this account: paste one in the settings.")
    assert not Entry.objects.exists()


def test_a_collection_under_way_is_a_failure(alice: User) -> None:
    credential.store(alice.pk, "session=x")
    archive(alice, call("a"))
    lease.take()
    assert failed("vacuum") == (1, lease.BUSY)


@pytest.mark.thorough
def test_ctrl_c_is_one_line_and_leaves_the_lease_free(instance: Instance, gated: GatedSimulator) -> None:
    instance.use(gated)
    gated.faults.late_prompt_minutes = 60 * 24 * 31
    assert instance.run("collect", "alice").returncode == 0
    gated.hold_at(1)
    process = instance.start("maintenance", "fill-prompt", "alice")
    assert gated.reached.wait(60)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert error == "CommandError: Stopped; what was done so far is kept.\n"
    assert instance.sql("SELECT token FROM collection_lease") == [("",)]


@pytest.mark.thorough
def test_in_a_process_of_its_own(instance: Instance) -> None:
    done = instance.run("maintenance", "vacuum")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"The store is compacted: \d+\.\d MiB were freed\.\n", done.stdout)


@pytest.mark.thorough
@pytest.mark.parametrize(("arguments", "code"), [(["fill-prompt", "alice"], 1), (["recount"], 2)])
def test_a_failure_is_a_line_on_standard_error(alice: User, arguments: list[str], code: int) -> None:
    ended = manage_here("maintenance", *arguments)
    assert (ended.returncode, ended.stderr.count("\n"), ended.stdout) == (code, 1, "")
