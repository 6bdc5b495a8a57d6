"""`archive=` names the archive that a request is about: docs/api.md#archives."""

import csv
import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from accounts.models import Archive, User
from archive_site.lib import clock
from archive_site.lib.http.operations import operations
from collection.models import Run
from collection.runs import runs
from tests.factories import ApiClient, further_archive
from tests.usage.record_factories import archive, call
from usage.budgets import stored_budgets
from usage.export import kept_files

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db

NAMED = [(one.method, one.path) for one in operations() if one.description.names_archive]
# The report of a verification is a page: its refusals are, too.
READS = sorted(path for method, path in NAMED if method == "GET" and path != "/runs/{run_id}/report")
WRITES = sorted(path for method, path in NAMED if method == "POST")
# What is not the archive's: no such parameter is read there.
WITHOUT = {"/api/settings", "/api/views", "/api/notices", "/api/tokens", "/api/webhooks", "/api/account/export"}


def filled(archive_id: int, mark: str, credits: float) -> None:
    archive(
        archive_id, *(call(f"{mark}{n}", ts=f"2026-08-{n:02} 10:00:00", model=mark, credits=credits) for n in (1, 2))
    )
    runs.begin(archive_id, Run.Trigger.MANUAL, clock.now(), clock.now())
    stored_budgets.create(archive_id, {"period": "month", "credits": credits})


def addresses(paths: list[str], archive_id: int, user: User, mark: str) -> Iterator[str]:
    """The addresses of these routes, with ids of what this archive has."""
    ids = {
        "request_id": f"{mark}1",
        "run_id": Run.objects.get(archive_id=archive_id).pk,
        "name": kept_files.write_export(user, archive_id).name,
    }
    yield from (path.format(**ids) for path in paths)


# The fields that an answer has beside the specified ones where the request names its archive.
BESIDE = {"amount", "unit", "provenance", "tokens", "without_amount"}
SPECIFIED_COLUMNS = 6


def content(answer: Any) -> Any:
    if "json" in answer.headers["Content-Type"]:
        return specified(answer.json())
    text = b"".join(answer).decode()
    if "csv" not in answer.headers["Content-Type"]:
        return text
    return [row[:SPECIFIED_COLUMNS] for row in csv.reader(io.StringIO(text, newline=""))]


def specified(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: specified(one) for name, one in value.items() if name not in BESIDE}
    return [specified(one) for one in value] if isinstance(value, list) else value


def test_every_read_export_and_change_of_an_archive_takes_it() -> None:
    assert {"/api/summary", "/api/records/{request_id}", "/records/export", "/exports/{name}", "/api/runs"} <= set(
        READS
    )
    assert {"/api/collect", "/api/verify", "/api/import", "/api/budgets", "/api/maintenance/{action}"} <= set(WRITES)
    assert WITHOUT.isdisjoint(path for _, path in NAMED)


@pytest.mark.parametrize("named", ["", "x", "-1", "1.0", "١", "all", "1" * 19, "4294967296 "])
@pytest.mark.parametrize("path", READS)
def test_a_malformed_one_is_refused_before_other_parameters(path: str, named: str, alice: User, api_of: ApiOf) -> None:
    address = path.format(request_id="x", run_id=1, name="x.csv")
    answer = api_of(alice).get(address, archive=named, **{"from": "nothing"})
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert "archive" in answer.json()["message"]


@pytest.mark.parametrize("path", READS)
def test_the_id_of_another_accounts_archive_is_answered_like_an_unknown_one(
    path: str, alice: User, bob: User, api_of: ApiOf
) -> None:
    api, address = api_of(alice), path.format(request_id="x", run_id=1, name="x.csv")
    answers = [
        api.get(address, archive=other, **{"from": "nothing"}) for other in (bob.pk, further_archive(bob), 2**33, 0)
    ]
    assert {answer.status_code for answer in answers} == {404}
    assert {answer.json()["error"] for answer in answers} == {"not_found"}
    assert len({answer.content for answer in answers}) == 1


@pytest.mark.parametrize("path", WRITES)
def test_a_change_of_another_ones_archive_is_refused_before_its_body(
    path: str, alice: User, bob: User, api_of: ApiOf
) -> None:
    for named, status in (("x", 400), (str(further_archive(bob)), 404), (str(bob.pk), 404)):
        address = f"{path.format(run_id=1, budget_id=1, action='nothing')}?archive={named}"
        assert api_of(alice).post(address, {"from": "nothing"}).status_code == status
    assert not Run.objects.exists()


@pytest.mark.parametrize("path", READS)
def test_a_read_is_about_the_archive_that_it_names(path: str, alice: User, api_of: ApiOf) -> None:
    second = further_archive(alice)
    filled(alice.pk, "own", 3)
    filled(second, "further", 7)
    api = api_of(alice)
    [of_first], [of_second] = addresses([path], alice.pk, alice, "own"), addresses([path], second, alice, "further")
    plain, named = content(api.get(of_first)), content(api.get(of_first, archive=str(alice.pk)))
    assert plain == named
    further = content(api.get(of_second, archive=str(second)))
    assert "own" not in str(further)
    if path in ("/api/records", "/api/dims", "/api/daily", "/api/top", "/api/bundle", "/records/export"):
        assert "further" in str(further)
        assert "further" not in str(plain)


def test_a_deleted_archive_is_unknown(alice: User, api_of: ApiOf) -> None:
    second = further_archive(alice)
    Archive.objects.filter(pk=second).update(deleted_at=clock.now())
    assert api_of(alice).get("/api/summary", archive=str(second)).status_code == 404


def test_tags_of_archives_differ(alice: User, api_of: ApiOf) -> None:
    second, api = further_archive(alice), api_of(alice)
    tags = {api.get("/api/summary", **named).headers["ETag"] for named in ({}, {"archive": str(second)})}
    assert len(tags) == 2
