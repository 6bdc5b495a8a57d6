"""GET /records/export: the file over HTTP, its audit entry, exports at once, and failures (docs/api.md#export)."""

import gc
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from accounts.models import User
from audit import log
from audit.models import Entry
from tests.factories import ApiClient, make_user
from tests.standing_clock import SetClock
from tests.usage.export_reads import PATH, body, ids
from tests.usage.record_factories import archive, call
from usage import export_api as export_view
from usage.export import csv_file as export
from usage.export.formats import FORMATS
from usage.filters import NEWEST_FIRST, RecordFilters

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("kept_connection")]


@pytest.fixture
def still(time: SetClock) -> None:
    time.now = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


@pytest.fixture
def open_export(api_of: ApiOf) -> Iterator[Callable[[User], Any]]:
    """Begins an export without reading it."""
    responses = []

    def begin(user: User) -> Any:
        response = api_of(user).get(PATH)
        responses.append(response)
        return response

    yield begin
    for response in responses:
        response.close()


# The answer.


@pytest.mark.usefixtures("still")
def test_the_file_is_a_download_that_nobody_keeps(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a"))
    response = api_of(alice).client.get(PATH, headers={"Accept-Encoding": "gzip"})
    assert response.status_code == 200
    assert response["Content-Type"] == "text/csv; charset=utf-8"
    assert response["Content-Disposition"] == 'attachment; filename="usage-alice-20260908-120000.csv"'
    assert response["Cache-Control"] == "no-store"
    assert "Content-Encoding" not in response
    assert body(response) == b"".join(export.pieces(alice.pk, RecordFilters(), NEWEST_FIRST))


@pytest.mark.usefixtures("still")
def test_a_name_of_another_script_is_written_as_the_standard_says(api_of: ApiOf) -> None:
    response = api_of(make_user("李雷")).get(PATH)
    response.close()
    assert response["Content-Disposition"] == (
        "attachment; filename*=utf-8''usage-%E6%9D%8E%E9%9B%B7-20260908-120000.csv"
    )


@pytest.mark.usefixtures("still")
def test_a_name_puts_nothing_into_the_header(api_of: ApiOf) -> None:
    response = api_of(make_user('x"; a=b\r\nSet-Cookie: c')).get(PATH)
    response.close()
    assert response["Content-Disposition"] == (
        'attachment; filename="usage-x___a_b__Set-Cookie__c-20260908-120000.csv"'
    )


def test_an_anonymous_visitor_is_led_to_the_login_page(db: None, anonymous: ApiClient) -> None:
    response = anonymous.get(PATH)
    assert (response.status_code, response["Location"]) == (302, "/login?next=/records/export")


def test_head_describes_the_file_and_exports_nothing(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    answer = visitor.client.head("/records/export")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert not Entry.objects.filter(action="export").exists()
    assert visitor.client.head("/records/export?from=soon").status_code == 400


def test_it_is_read_only(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).post(PATH).status_code == 405


# The audit log.


def test_an_export_is_one_entry_from_its_beginning_on(alice: User, open_export: Callable[[User], Any]) -> None:
    response = open_export(alice)
    entry = Entry.objects.get(action="export")
    assert (entry.actor, entry.user_id, entry.ip) == ("alice", alice.pk, "127.0.0.1")
    assert list(response.streaming_content)
    assert Entry.objects.filter(action="export").count() == 1


def test_the_entry_names_what_was_exported_and_none_of_the_texts(alice: User, api_of: ApiOf) -> None:
    api_of(alice).get(PATH, **{"from": "2026-09-01", "q": "private", "model": "hidden", "order": "ts_asc"}).close()
    api_of(alice).get(PATH).close()
    api_of(alice).get(PATH, no_client=1).close()
    api_of(alice).get(PATH, purpose="hidden").close()
    assert [entry.detail for entry in Entry.objects.filter(action="export").order_by("id")] == [
        "2026-09-01 to the last, oldest first, by model, by text",
        "the first day to the last, newest first",
        "the first day to the last, newest first, by client",
        "the first day to the last, newest first, by purpose",
    ]


# Exports at once.


def test_an_account_has_two_exports_at_once(alice: User, bob: User, open_export: Callable[[User], Any]) -> None:
    assert [open_export(alice).status_code, open_export(alice).status_code] == [200, 200]
    refused = open_export(alice)
    assert (refused.status_code, refused.json()["error"]) == (429, "too_frequent")
    assert int(refused["Retry-After"]) > 0
    assert open_export(bob).status_code == 200
    assert Entry.objects.filter(action="export", actor="alice").count() == 2


def test_all_accounts_together_have_four(
    alice: User, bob: User, root: User, open_export: Callable[[User], Any]
) -> None:
    assert [open_export(user).status_code for user in (alice, alice, bob, bob, root)] == [200, 200, 200, 200, 429]


def read_to_the_end(response: Any) -> None:
    assert list(response.streaming_content)


def read_a_little_and_leave(response: Any) -> None:
    next(iter(response.streaming_content))
    response.close()


def leave_before_the_first_byte(response: Any) -> None:
    response.close()


@pytest.mark.parametrize("end", [read_to_the_end, read_a_little_and_leave, leave_before_the_first_byte])
def test_a_place_becomes_free_however_an_export_ends(
    alice: User, open_export: Callable[[User], Any], end: Callable[[Any], None]
) -> None:
    archive(alice, call("a"))
    for _ in range(5):
        open_responses = [open_export(alice), open_export(alice)]
        assert [response.status_code for response in open_responses] == [200, 200]
        for response in open_responses:
            end(response)


@pytest.mark.thorough
def test_an_export_that_nobody_ever_reads_or_closes_gives_its_place_back(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    for _ in range(5):
        assert [visitor.get(PATH).status_code, visitor.get(PATH).status_code] == [200, 200]
        gc.collect()


def test_a_place_taken_for_an_export_that_could_not_begin_becomes_free(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*entry: Any, **fields: Any) -> None:
        raise OSError("disk full")

    visitor = api_of(alice)
    with monkeypatch.context() as patched:
        patched.setattr(log, "record", full)
        assert [visitor.get(PATH).status_code for _ in range(5)] == [500] * 5
    assert ids(visitor.get(PATH)) == []


# Failures in the middle.


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    def pieces(*asked: Any, **options: Any) -> Iterator[bytes]:
        yield b"a header, "
        yield b"a record"
        raise OSError("a secret of the disk")

    monkeypatch.setattr(export_view, "pieces", pieces)


@pytest.mark.usefixtures("failing")
def test_a_file_that_broke_off_says_so_in_its_last_line_and_nothing_of_the_reason(
    alice: User, open_export: Callable[[User], Any], caplog: pytest.LogCaptureFixture
) -> None:
    given: list[bytes] = []
    with pytest.raises(OSError, match="secret"):
        given.extend(open_export(alice).streaming_content)
    # Includes the part before the failure.
    assert given == [b"a header, a record", FORMATS["csv"].broken_off]
    assert b"NOT COMPLETE" in given[-1]
    assert f"an export of account {alice.pk} broke off" in caplog.text


def test_one_that_fails_before_its_first_record_is_a_failure_and_no_file(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    def pieces(*asked: Any, **options: Any) -> Iterator[bytes]:
        yield b"a header"
        raise OSError("a secret of the disk")

    monkeypatch.setattr(export_view, "pieces", pieces)
    visitor = api_of(alice)
    for _ in range(5):
        response = visitor.get(PATH)
        assert (response.status_code, b"secret" in response.content) == (500, False)


@pytest.mark.usefixtures("failing")
def test_failures_give_their_places_back(alice: User, open_export: Callable[[User], Any]) -> None:
    for _ in range(5):
        response = open_export(alice)
        assert response.status_code == 200
        with pytest.raises(OSError, match="secret"):
            list(response.streaming_content)
