"""The endpoints of backups: who may use them, the list, deleting and pruning (docs/api.md#backups)."""

from datetime import UTC, datetime, timedelta

import pytest
from django.conf import settings
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from backups import catalog
from tests.backups.api_answers import audited, failed
from tests.backups.tiny_archives import OF_NODE, broken, configure, kept, on_shelf
from tests.factories import ApiClient
from tests.query_counts import FILES_OF_OTHER_NODES, SESSION
from tests.standing_clock import SetClock

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("time")]
AT = datetime(2026, 9, 1, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
NAME = "backup-20260901-120007-manual.zip"
MISSING = "backup-20200101-000000-manual.zip"
# A name with a slash, a path to another folder, and words that are routes.
BAD_NAMES = ["x.zip", "..%2Farchive.sqlite3", f"x/{NAME}", f"..%2F{NAME}", f"{NAME}.sha256", f"{NAME}%00", "delete"]


# Roles


@pytest.mark.parametrize("path", ["", f"/{NAME}", "/x.zip", "/prune", f"/{NAME}/restore", f"/{NAME}/delete"])
def test_only_administrators_may_use_backups(path: str, alice: User, root: User, anonymous: ApiClient) -> None:
    kept(AT)
    user = ApiClient.signed_in(alice)
    for ask in ("get", "post"):
        assert failed(getattr(user, ask)(f"/api/backups{path}")) == (403, "forbidden")
        assert failed(getattr(anonymous, ask)(f"/api/backups{path}")) == (401, "unauthorized")
    assert on_shelf() == [NAME]


@pytest.mark.parametrize("path", ["", "/prune", f"/{NAME}/restore", f"/{NAME}/delete"])
def test_a_post_needs_the_token(path: str, api: ApiClient) -> None:
    kept(AT)
    assert failed(api.client.post(f"/api/backups{path}")) == (400, "bad_request")
    assert on_shelf() == [NAME]


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("post", f"/{NAME}", "GET, HEAD"), ("post", "/x", "GET, HEAD"), ("get", "/prune", "POST"),
        ("get", f"/{NAME}/restore", "POST"), ("get", f"/{NAME}/delete", "POST"), ("get", "/x/delete", "POST"),
    ],
)  # fmt: skip
def test_other_methods_are_405(api: ApiClient, method: str, path: str, allowed: str) -> None:
    kept(AT)
    answer = getattr(api, method)(f"/api/backups{path}")
    assert (failed(answer), answer.headers["Allow"]) == ((405, "method_not_allowed"), allowed)


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_bad_name_is_400_everywhere(api: ApiClient, name: str) -> None:
    answers = [
        api.get(f"/api/backups/{name}"),
        api.post(f"/api/backups/{name}/restore"),
        api.post(f"/api/backups/{name}/delete"),
    ]
    assert [failed(answer) for answer in answers] == [(400, "backup")] * 3


def test_a_missing_one_is_404_everywhere_also_while_another_is_made(api: ApiClient) -> None:
    with maintenance_lock():
        answers = [
            api.get(f"/api/backups/{MISSING}"),
            api.post(f"/api/backups/{MISSING}/restore"),
            api.post(f"/api/backups/{MISSING}/delete"),
        ]
    assert [failed(answer) for answer in answers] == [(404, "not_found")] * 3


# Listing


def test_an_empty_list(api: ApiClient) -> None:
    answer = api.get("/api/backups")
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json() == {
        "items": [],
        "dir": str(settings.DATA_FOLDER.backups),
        "total_human": "0 bytes",
        "enabled": True,
        "interval_hours": 24,
        "keep": 14,
        "last_auto": None,
        **OF_NODE,
    }


def test_the_list_shows_what_there_is_and_how_it_is_set(api: ApiClient, time: SetClock) -> None:
    configure(backup_enabled="0", backup_interval_hours="6", backup_keep="3")
    paths = [kept(AT), kept(AT + timedelta(hours=1), "auto"), broken("backup-20260801-000000-manual.zip", b"x" * 4000)]
    body = api.get("/api/backups").json()
    assert body["items"] == as_json(catalog.items())
    assert [item["valid"] for item in body["items"]] == [True, True, False]
    assert body["total_human"] == catalog.human(sum(path.stat().st_size for path in paths))
    assert (body["enabled"], body["interval_hours"], body["keep"]) == (False, 6, 3)
    assert body["last_auto"] == "2026-09-01 13:00:07"


def test_the_number_of_queries_does_not_grow_with_the_list(
    api: ApiClient, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(5):
        kept(AT + timedelta(hours=number))
    # Account, settings, the last automatic one.
    with django_assert_num_queries(SESSION + 3 + FILES_OF_OTHER_NODES):
        api.get("/api/backups")


# Deleting and pruning


def test_one_is_deleted_with_its_hash(api: ApiClient, root: User) -> None:
    kept(AT)
    kept(AT + timedelta(hours=1))
    api.get("/api/backups")
    answer = api.post(f"/api/backups/{NAME}/delete")
    assert (answer.status_code, answer.json()) == (200, {"ok": True, "message": f"{NAME} is deleted."})
    assert len(on_shelf()) == 2
    assert audited() == [("backup_delete", NAME)]
    assert failed(api.post(f"/api/backups/{NAME}/delete")) == (404, "not_found")


def test_a_damaged_one_can_be_deleted(api: ApiClient) -> None:
    broken(NAME)
    assert api.post(f"/api/backups/{NAME}/delete").status_code == 200
    assert on_shelf() == []


def test_nothing_is_deleted_while_a_backup_is_made_or_restored(api: ApiClient) -> None:
    kept(AT)
    with maintenance_lock():
        assert failed(api.post(f"/api/backups/{NAME}/delete")) == (409, "busy")
        assert failed(api.post("/api/backups/prune")) == (409, "busy")
    assert (on_shelf(), audited()) == ([NAME], [])


def test_pruning_lists_what_it_removed(api: ApiClient) -> None:
    configure(backup_keep="1")
    kept(AT)
    kept(AT + timedelta(hours=1))
    answer = api.post("/api/backups/prune")
    assert (answer.status_code, answer.json()) == (
        200, {"ok": True, "removed": [NAME], "message": f"Removed {NAME}."}
    )  # fmt: skip
    assert audited() == [("backup_prune", f"Removed {NAME}.")]


def test_pruning_where_there_is_nothing_to_prune(api: ApiClient) -> None:
    assert api.post("/api/backups/prune").json() == {"ok": True, "removed": [], "message": "Nothing to prune."}
