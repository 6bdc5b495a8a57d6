"""What PostgreSQL refuses for its limits, or since tables or rights are not there: 503 in words (docs/api.md#errors).

The rules: docs/decisions/store.md#a-damaged-or-missing-store.
"""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import sleep
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import DatabaseError, connection

from accounts.models import User
from accounts.session_stores.session_store import SessionStore
from archive_site.lib.http.store_refusals import RETRY_AFTER
from archive_site.lib.storage import store_version
from archive_site.lib.storage.sql import execute
from collection.runs.run_outcomes import INTERNAL, OK
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.archive_site.api_answers import refusal
from tests.collection.collector_run import collected, set_up
from tests.collection.import_endpoint import send
from tests.factories import ApiClient

pytestmark = [
    pytest.mark.postgres_only,
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("fresh_lines"),
]
# An idle transaction, too little memory, too little temporary space; then a table and a schema that are not there, or
# that the role may not use.
PASSING, MISSING = ("25P03", "53200", "53400"), ("42P01", "3F000", "42501")
of_each_code = pytest.mark.parametrize("code", [*PASSING, *MISSING])
DAMAGED = "The store of this instance is damaged or missing. Ask its administrator."
SHORT = "The database server lacks memory or temporary space for this. Try again later, or ask its administrator."


@pytest.fixture
def api(alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


@contextmanager
def other_schema() -> Iterator[None]:
    """The connection looks for tables where there are none."""
    execute("SET search_path = pg_catalog")
    try:
        yield
    finally:
        execute("RESET search_path")


@contextmanager
def without_table(name: str) -> Iterator[None]:
    execute(f"ALTER TABLE {name} RENAME TO lost")
    try:
        yield
    finally:
        execute(f"ALTER TABLE lost RENAME TO {name}")


@contextmanager
def role_that_only_reads() -> Iterator[None]:
    role = f"reader_{os.getpid()}"
    execute(f"CREATE ROLE {role}")
    execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}")
    execute(f"SET ROLE {role}")
    try:
        yield
    finally:
        execute("RESET ROLE")
        execute(f"DROP OWNED BY {role}")
        execute(f"DROP ROLE {role}")


@contextmanager
def instead_of(words: str, statement: str) -> Iterator[None]:
    """The server gets this statement in place of all that hold these words."""

    def replace(execute: Callable[..., Any], query: str, values: Any, *others: Any) -> Any:
        return execute(statement, None, False, others[-1]) if words in query else execute(query, values, *others)

    with connection.execute_wrapper(replace):
        yield


def refusing(code: str, words: str) -> AbstractContextManager[None]:
    return instead_of(words, f"DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{code}'; END $$")


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [line.getMessage() for line in caplog.records if line.levelno >= logging.WARNING]


def test_a_request_whose_transaction_was_idle_for_too_long_is_503(
    api: ApiClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def wait(execute: Callable[..., Any], query: str, *others: Any) -> Any:
        if connection.in_atomic_block and query.startswith(("INSERT", "UPDATE")):
            sleep(0.3)
        return execute(query, *others)

    execute("SET idle_in_transaction_session_timeout = 100")
    with connection.execute_wrapper(wait):
        answer = api.post("/api/settings", {"user_agent": "Browser/1"})
    assert (*refusal(answer), answer.headers["Retry-After"]) == (503, "unavailable", str(RETRY_AFTER))
    assert not any(line.exc_info for line in caplog.records)
    connection.close_if_unusable_or_obsolete()
    assert api.post("/api/settings", {"user_agent": "Browser/1"}).status_code == 200


@pytest.mark.parametrize("code", ["53200", "53400"])
def test_a_server_without_memory_or_temporary_space_says_so(
    code: str, api: ApiClient, caplog: pytest.LogCaptureFixture
) -> None:
    with refusing(code, "usage_record"):
        answers = [api.get("/api/records") for _ in range(2)]
    assert [(*refusal(answer), answer.json()["message"]) for answer in answers] == [(503, "unavailable", SHORT)] * 2
    assert answers[0].headers["Retry-After"] == str(RETRY_AFTER)
    [line] = warnings(caplog)
    assert line.startswith("the database server lacks memory or temporary space, and requests fail: 'refused")
    assert not any(one.exc_info for one in caplog.records)


def test_a_query_that_needs_more_temporary_files_than_allowed_is_503(api: ApiClient) -> None:
    execute("SET temp_file_limit = 1")
    execute("SET work_mem = 64")
    with instead_of("usage_record", "SELECT n FROM generate_series(1, 500000) n ORDER BY -n"):
        answer = api.get("/api/records")
    connection.close()
    assert (*refusal(answer), answer.json()["message"]) == (503, "unavailable", SHORT)


@pytest.mark.thorough_after(2)
@of_each_code
def test_a_run_that_meets_it_ends_and_the_next_one_works(code: str, alice: User, simulator: Simulator) -> None:
    set_up(alice, simulator)
    with refusing(code, "usage_record"):
        failed = collected(alice)
    assert (failed.run.status, failed.outcome, failed.refusal and failed.refusal.status) == ("failed", INTERNAL, 503)
    assert collected(alice).outcome is OK


def test_a_wrong_search_path_is_a_store_without_tables(api: ApiClient, caplog: pytest.LogCaptureFixture) -> None:
    with other_schema():
        answers = [api.get(path) for path in ("/api/summary", "/records", "/login", "/captcha.png", "/records/export")]
    assert [answer.status_code for answer in answers] == [503] * len(answers)
    assert answers[0].json()["message"] == DAMAGED
    assert not any("Retry-After" in answer.headers for answer in answers)
    [line] = warnings(caplog)
    assert "the store is damaged or missing, and requests fail: 'relation" in line
    assert not any(one.exc_info for one in caplog.records)


def test_a_table_that_was_dropped_is_503_where_it_is_needed(api: ApiClient) -> None:
    with without_table("usage_record"):
        answer = api.get("/api/records")
        assert refusal(send(api)) == (503, "unavailable")
        assert api.get("/api/tokens").status_code == 200
    assert (*refusal(answer), answer.json()["message"]) == (503, "unavailable", DAMAGED)


@pytest.mark.parametrize("code", ["3F000", "42501"])
def test_a_schema_that_is_not_there_and_a_right_that_was_taken_are_the_same(code: str, api: ApiClient) -> None:
    with refusing(code, "usage_record"):
        assert refusal(api.get("/api/records")) == (503, "unavailable")


def test_readiness_lacks_the_database_and_health_does_not(anonymous: ApiClient) -> None:
    for gone in (other_schema(), without_table("usage_record"), role_that_only_reads()):
        with gone:
            assert anonymous.get("/readyz").json()["missing"] == ["database"]
            assert anonymous.get("/healthz").status_code == 200
    assert anonymous.get("/readyz").json()["missing"] == []


def test_a_store_that_misses_all_tables_is_still_one_to_migrate() -> None:
    with other_schema():
        assert store_version.refusal() is None
        assert store_version.is_behind()


@of_each_code
def test_a_command_fails_in_one_line(code: str, alice: User) -> None:
    with (
        refusing(code, "accounts_user"),
        pytest.raises(CommandError, match="The store cannot be used: refused") as said,
    ):
        call_command("list_users")
    assert ("docs/running.md#the-store-is-damaged" in str(said.value)) == (code in MISSING)


@of_each_code
def test_a_session_that_could_not_be_stored_was_not_deleted(code: str) -> None:
    session = SessionStore()
    session["colour"] = "blue"
    session.save()
    with refusing(code, "accounts_session"), pytest.raises(DatabaseError, match="refused"):
        session.save()


@pytest.mark.parametrize("setting", ["DateStyle = 'SQL, DMY'", "standard_conforming_strings = off"])
def test_what_a_database_sets_for_others_changes_no_answer(setting: str, api: ApiClient) -> None:
    paths = ("/api/profile", "/api/records?q=a%5C", "/api/sessions")
    expected = [api.get(path).content for path in paths]
    name = connection.settings_dict["NAME"]
    execute(f'ALTER DATABASE "{name}" SET {setting}')
    connection.close()
    try:
        assert [api.get(path).content for path in paths] == expected
    finally:
        connection.close()
        execute(f'ALTER DATABASE "{name}" RESET {setting.split()[0]}')
        connection.close()
