"""Whatever statement of a request the store refuses, as for the lock of another writer, the answer is no 500.

The rules: docs/api.md#errors.
"""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError, connection

from archive_site.lib.storage import engine
from tests.factories import PASSWORD, ApiClient
from tests.statements import of_tests
from tests.test_roles import ROUTES, ids, path_of, visitor

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.thorough]
# The fixture of the module that lists the routes.
__all__ = ["ids"]

# No lock, a deadlock, a statement that was cancelled, a transaction that another one made void, one that was idle, no
# memory, no space for temporary files. Last, that the server ended the connection.
ENDED = "57P01"
# A table that is not there, and a schema, after which nobody need come back soon.
DAMAGE = ("42P01", "3F000")
CODES = ("55P03", "40P01", "57014", "40001", "25P03", "53200", "53400", *DAMAGE, ENDED)
_REFUSED = "DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '{}'; END $$"
_ENDS = "SELECT pg_terminate_backend(pg_backend_pid())"
BODIES: dict[str, dict[str, Any]] = {
    "api/budgets": {"period": "day", "credits": 1},
    "api/notices": {"quiet": ["22:00", "07:00"]},
    "api/password": {"old": PASSWORD, "new": "another Horse 8", "new2": "another Horse 8"},
    "api/profile": {"display_name": "A"},
    "api/reauthenticate": {"password": PASSWORD},
    "api/settings": {"user_agent": "Browser/1", "cookie": "a=b"},
    "api/tokens": {"name": "bar", "scopes": ["read"]},
    "api/users": {"username": "newcomer", "password": "another Horse 8", "password2": "another Horse 8"},
    "api/users/<number:user_id>": {"display_name": "B"},
    "api/views": {"name": "other", "query": "free=1"},
    "api/webhooks": {"address": "https://192.0.2.1/"},
}
# Each takes seconds, asks other machines, or needs workers.
LEFT_OUT = {"api/backups", "api/collect/older", "api/verify", "api/webhooks/<number:webhook_id>/test"}


class Refusing:
    """Refuses the statement of this number, from 1, as a store does that others keep locked."""

    def __init__(self, number: int, code: str):
        self.number, self.code, self.seen = number, code, 0

    def __call__(self, execute: Callable[..., Any], statement: str, values: Any, many: bool, context: Any) -> Any:
        self.seen += 1
        if self.seen != self.number:
            return execute(statement, values, many, context)
        if engine.IS_SQLITE:
            cause = sqlite3.OperationalError("database is locked")
            cause.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise OperationalError("database is locked") from cause
        # By the server, so that the transaction is void.
        with of_tests(), connection.wrap_database_errors, connection.connection.cursor() as cursor:
            cursor.execute(_ENDS if self.code == ENDED else _REFUSED.format(self.code))
        return None


def failures(ask: Callable[[], Any]) -> list[tuple[int, int]]:
    """The statements whose refusal is answered wrongly, each with the status."""
    wrong: list[tuple[int, int]] = []
    number = 1
    while True:
        code = CODES[number % len(CODES)]
        refusing = Refusing(number, code)
        with connection.execute_wrapper(refusing):
            answer = ask()
        # As at the end of a request.
        connection.close_if_unusable_or_obsolete()
        if refusing.seen < number:
            return wrong
        is_dated = answer.status_code == 503 and (engine.IS_SQLITE or code not in DAMAGE)
        if answer.status_code == 500 or is_dated != ("Retry-After" in answer.headers):
            wrong.append((number, answer.status_code))
        number += 1


@pytest.mark.parametrize("route", [route for route in ROUTES if route not in LEFT_OUT])
def test_no_route_is_500(route: str, ids: dict[str, Any]) -> None:
    path, person = path_of(route, ids), visitor("admin")
    assert failures(lambda: person.get(path)) == []
    if path.startswith("/api/"):
        assert failures(lambda: person.post(path, BODIES.get(route, {}))) == []
    else:
        assert failures(lambda: person.client.post(path, {"_csrf": person.token})) == []


@pytest.mark.parametrize("path", ["/login", "/register", "/captcha.png"])
def test_neither_are_sign_in_registration_and_captcha(path: str, ids: dict[str, Any]) -> None:
    def post() -> Any:
        anonymous = ApiClient()
        form = {"username": "newcomer", "password": PASSWORD, "password2": PASSWORD, "_csrf": anonymous.token}
        return anonymous.client.post(path, form)

    assert failures(lambda: ApiClient().get(path)) == []
    assert failures(post) == []
