"""POST /api/import: the form with a file, its errors, its limit (docs/api.md#import)."""

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from collection.models import Run
from collection.runs import lease
from tests.collection.import_endpoint import FILE, PATH, send
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call
from usage.models import Record

pytestmark = pytest.mark.django_db


@pytest.fixture
def api(alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


def test_a_dry_run_shows_what_the_file_holds(api: ApiClient, alice: User) -> None:
    archive(alice, call("r1", credits=2))
    answer = send(api, dry_run="1").json()
    assert (answer["ok"], answer["dry_run"], answer["format"], answer["rows"]) == (True, True, "csv", 1)
    assert [answer[name] for name in ("new", "known", "conflicting", "unreadable")] == [0, 0, 1, 0]
    assert answer["columns"]["request_id"] == "RequestID"
    assert Record.objects.get().credits == 2_000_000


def test_an_import_answers_with_its_run(api: ApiClient, alice: User) -> None:
    answer = send(api)
    result = answer.json()["result"]
    assert (answer.status_code, result["kind"], result["status"], result["new"]) == (200, "import", "ok", 1)
    assert result["examples"]["new"] == [
        {"request_id": "r1", "credits": 1.5, "model": "glm", "client": "ide", "ts": "2026-09-07 12:30:00"}
    ]
    assert Record.objects.get().archive_id == alice.pk
    assert api.get(f"/api/runs/{result['id']}").json()["kind"] == "import"


def test_columns_and_zone_are_fields_of_the_form(api: ApiClient) -> None:
    columns = json.dumps({"request_id": "a", "credits": "b", "time": "c"})
    content = b"a,b,c\nr1,1,2026-09-07 12:30:00\n"
    assert send(api, content, columns=columns, zone="Asia/Shanghai").status_code == 200
    assert Record.objects.get().ts == "2026-09-07 06:30:00"


def test_columns_that_are_not_recognised_are_offered(api: ApiClient) -> None:
    answer = send(api, b"a,b,c\nr1,1,2026-09-07 12:30:00\n", dry_run="1")
    body = answer.json()
    assert (answer.status_code, body["error"], body["headers"]) == (400, "unreadable", ["a", "b", "c"])
    assert body["columns"]["request_id"] is None


@pytest.mark.parametrize(
    "fields",
    [
        {"content": None},
        {"content": None, "file": "text"},
        {"other": SimpleUploadedFile("b.csv", FILE)},
        {"content": None, "file": [SimpleUploadedFile("a.csv", FILE), SimpleUploadedFile("b.csv", FILE)]},
        {"columns": "["},
        {"columns": "[1]"},
        {"columns": '{"request_id": "\\ud800"}'},
        {"encoding": "latin-7"},
        {"columns": '{"request_id": 1}'},
        {"columns": '{"colour": "a"}'},
        {"columns": '{"model": "colour"}'},
        {"columns": "[" * 100_000},
        {"zone": "Mars/Base"},
    ],
)
def test_a_wrong_form_is_bad_request(api: ApiClient, fields: dict[str, Any]) -> None:
    answer = send(api, **fields)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert not Run.objects.exists()


@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"nothing", b"PK\x03\x04", b"[" * 100_000])
def test_a_file_that_cannot_be_read_is_unreadable(api: ApiClient, content: bytes) -> None:
    answer = send(api, content)
    # Django gives an empty file no place in the form.
    assert (answer.status_code, answer.json()["error"]) == (400, "unreadable")
    assert not Run.objects.exists()


def test_it_is_busy_while_a_collection_runs(api: ApiClient) -> None:
    lease.take()
    answer = send(api)
    assert (answer.status_code, answer.json()["error"]) == (409, "busy")


def test_a_body_over_the_limit_is_too_large(api: ApiClient, settings: Any) -> None:
    settings.IMPORT_MAX_BYTES = 3000
    assert send(api, FILE).status_code == 200
    answer = send(api, FILE * 100)
    assert (answer.status_code, answer.json()["error"]) == (413, "too_large")


def test_only_a_form_may_be_larger_than_other_bodies(api: ApiClient, settings: Any) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    assert send(api, FILE + b"\n" * 2000).status_code == 200
    assert api.post(PATH, "x" * 2000).status_code == 413
    assert api.client.post("/api/collect", {"file": SimpleUploadedFile("a", b"x" * 2000)}).status_code == 413


def test_it_needs_a_token_and_a_session(api: ApiClient, anonymous: ApiClient) -> None:
    assert api.client.post(PATH, {"file": SimpleUploadedFile("a.csv", FILE)}).status_code == 400
    assert send(anonymous).status_code == 401
    assert not Record.objects.exists()


def test_the_field_of_a_form_may_hold_the_token(api: ApiClient) -> None:
    answer = api.client.post(PATH, {"file": SimpleUploadedFile("a.csv", FILE), "_csrf": api.token})
    assert answer.status_code == 200


def test_a_name_with_a_path_is_only_a_name(api: ApiClient) -> None:
    result = send(api, name="../../etc/passwd\x1b").json()["result"]
    detail = api.get(f"/api/runs/{result['id']}").json()["detail"]
    assert "passwd" in detail
    assert "../" not in detail
