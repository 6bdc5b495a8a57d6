"""Answers that are described and that no other test gets by the API, so that a whole run of the tests sees them all."""

import errno
from typing import Any

import pytest

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.download_places import PLACE_IS_FREE
from backups import pruning
from collection.models import RunReport
from collection.runs import lease
from tests.accounts.page_forms import ApiOf
from tests.collection.import_endpoint import send
from tests.collection.transfer.test_account_file import past_run, written
from tests.tokens import TokenClient
from tests.usage.record_factories import archive, call
from usage.export import kept_files
from usage.export.pieces import IncompleteExport

pytestmark = pytest.mark.django_db


def refusal(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]


def test_an_import_brings_settings_profile_and_runs_of_an_account(alice: User, bob: User, api_of: ApiOf) -> None:
    archive(alice, call("r1"))
    past_run(alice)
    for fields in ({"dry_run": "1"}, {}):
        answer = send(api_of(bob), written(alice), "account.zip", **fields).json()
        found = answer.get("result", answer)
        assert (found["runs"]["new"], "page_size" in found["settings"], "theme" in found["profile"]) == (1, True, True)


@pytest.mark.parametrize(
    ("place", "error", "expected"),
    [
        ("collection.transfer.import_storing.Bulk", lease.LeaseLost(), (409, "interrupted")),
        ("usage.importing.staging._merge_repeated", OSError(errno.ENOSPC, "full"), (507, "no_space")),
    ],
)
def test_an_import_that_ends_early(
    api_of: ApiOf, alice: User, monkeypatch: pytest.MonkeyPatch, place: str, error: Exception, expected: tuple[int, str]
) -> None:
    def fail(*asked: object, **options: object) -> None:
        raise error

    monkeypatch.setattr(place, fail)
    assert refusal(send(api_of(alice))) == expected


def test_a_forecast_that_has_not_changed(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    tag = api.get("/api/forecast").headers["ETag"]
    assert api.client.get("/api/forecast", headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("path", ["/records/export", "/exports/{name}", "/runs/{run}/report"])
def test_a_download_beside_those_that_are_not_read(alice: User, api_of: ApiOf, path: str) -> None:
    run = past_run(alice)
    RunReport.objects.create(run=run, text="a line")
    address = path.format(name=kept_files.write_export(alice, alice.pk).name, run=run.pk)
    nothing_free: Any = {PLACE_IS_FREE: lambda: False}
    answer = api_of(alice).client.get(address, **nothing_free)
    assert refusal(answer) == (503, "unavailable")


def test_a_token_asks_for_an_export_that_is_not_there(alice: User) -> None:
    assert refusal(TokenClient.of(alice, "export").get("/exports/none.csv")) == (404, "not_found")


def test_a_backup_that_cannot_be_pruned(root: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> list[str]:
        raise ApiError(400, "backup", "A file cannot be deleted.")

    monkeypatch.setattr(pruning, "prune", fail)
    assert refusal(api_of(root).post("/api/backups/prune")) == (400, "backup")


def test_an_export_that_breaks_off_in_a_maintenance_action(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*asked: object, **options: object) -> Any:
        yield b"some of it"
        raise IncompleteExport("a record was erased")

    monkeypatch.setattr(kept_files, "pieces", broken)
    assert refusal(api_of(alice).post("/api/maintenance/export-csv")) == (409, "interrupted")
