"""Requests with `Authorization: Bearer`: docs/api.md#tokens."""

import logging
import sqlite3
from contextlib import closing
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import ApiToken, User
from accounts.tokens import token_text
from archive_site.combined_answers import api as site_api
from archive_site.combined_answers.status import Status
from archive_site.combined_answers.status import status as status_of
from archive_site.lib import clock
from archive_site.lib.http import rate_limits
from archive_site.lib.locks import write_freeze
from audit.redaction import RedactingFormatter, redacted
from tests.accounts.page_forms import ApiOf, answer_of
from tests.concurrency import together
from tests.factories import ApiClient
from tests.tokens import TokenClient, make_token

pytestmark = pytest.mark.django_db
READS = ["/api/summary", "/api/settings", "/api/nothing", "/records/export", "/exports/none.csv", "/api/account/export"]


def ended(user: User, how: str) -> str:
    """A text that is no token in force."""
    token, text = make_token(user)
    if how == "expired":
        ApiToken.objects.update(expires_at=clock.now() - timedelta(seconds=1))
    if how == "revoked":
        token.delete()
    changed = {"mistyped": text[:-1] + ("0" if text[-1] != "0" else "1"), "other case": text.swapcase(), "empty": ""}
    changed |= {"unknown": token_text.new_text(), "two": f"{text}, Bearer {text}", "a word": "x", "long": "x" * 60_000}
    return changed.get(how, text)


WRONG = ["expired", "revoked", "mistyped", "other case", "empty", "unknown", "two", "a word", "long"]


def test_a_post_needs_no_csrf_token(alice: User) -> None:
    answer = TokenClient.of(alice, "collect").post("/api/collect")
    assert (answer.status_code, answer_of(answer)["error"]) == (409, "no_cookie")


def test_no_cookie_is_looked_at_or_set(alice: User, bob: User, api_of: ApiOf) -> None:
    session = api_of(bob)
    program = TokenClient(make_token(alice)[1], session)
    for answer in (program.get("/api/summary"), program.post("/api/collect")):
        assert (answer.cookies.output(), answer.headers.get("Archive-Account", str(alice.pk))) == ("", str(alice.pk))
    assert program.get("/api/summary").headers["Archive-Account"] == str(alice.pk)
    assert session.get("/api/summary").headers["Archive-Account"] == str(bob.pk)


def test_the_word_bearer_may_have_any_case(alice: User) -> None:
    _, text = make_token(alice)
    for header in (f"bearer {text}", f"BEARER   {text} "):
        assert TokenClient("").client.get("/api/status", headers={"Authorization": header}).status_code == 200


@pytest.mark.parametrize("header", ["Basic YTpi", "ua_", "", "Bearertoken"])
def test_another_authorization_changes_nothing(header: str, alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert visitor.client.get("/api/status", headers={"Authorization": header}).status_code == 200
    assert visitor.post("/api/profile", {"email": ""}, Authorization=header).status_code == 200


@pytest.mark.parametrize("space", [" ", "  ", "\t"])
def test_any_white_space_follows_the_word_bearer(space: str, alice: User) -> None:
    header = f"bearer{space}{TokenClient.of(alice, 'read').text}"
    assert ApiClient().client.get("/api/summary", headers={"Authorization": header}).status_code == 200


@pytest.mark.thorough_after(20)
@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_token_refuses_reads_whatever_the_session(how: str, path: str, alice: User, api_of: ApiOf) -> None:
    session, text = api_of(alice), ended(alice, how)
    for program in (TokenClient(text), TokenClient(text, session)):
        answer = program.get(path)
        assert (answer.status_code, answer_of(answer)["error"], answer.cookies.output()) == (401, "unauthorized", "")
        assert "token" in answer_of(answer)["message"]
        head = program.client.head(path, headers={"Authorization": f"Bearer {text}"})
        assert (head.status_code, head.content) == (401, b"")
        assert answer["WWW-Authenticate"] == 'Bearer error="invalid_token"'
    assert session.get("/api/status").status_code == 200


@pytest.mark.parametrize("how", WRONG)
def test_a_post_with_a_wrong_token_is_what_it_would_be_without(how: str, alice: User, api_of: ApiOf) -> None:
    session, text = api_of(alice), ended(alice, how)
    assert TokenClient(text, session).post("/api/profile", {"email": ""}).status_code == 400
    assert session.post("/api/profile", {"email": ""}, Authorization=f"Bearer {text}").status_code == 200
    assert TokenClient(text).post("/api/profile", {"email": ""}).status_code == 400
    assert ApiClient().post("/api/profile", {"email": ""}, Authorization=f"Bearer {text}").status_code == 401


def test_on_pages_a_wrong_token_changes_nothing(alice: User, api_of: ApiOf) -> None:
    program = TokenClient(token_text.new_text(), api_of(alice))
    assert [program.get(path).status_code for path in ("/", "/profile", "/nowhere")] == [200, 200, 404]


def test_on_pages_a_token_is_nobody_even_with_a_session(root: User, api_of: ApiOf) -> None:
    session = api_of(root)
    program = TokenClient(make_token(root)[1], session)
    assert [program.get(path).status_code for path in ("/profile", "/users", "/logs/tail", "/admin/")] == [302] * 4
    assert session.client.post(
        "/logout", {"_csrf": session.token}, headers={"Authorization": f"Bearer {program.text}"}
    ).status_code == 400  # fmt: skip
    assert session.get("/profile").status_code == 200


def test_failures_of_exports_are_json(alice: User) -> None:
    program = TokenClient.of(alice, "export")
    answers = [program.get("/exports/none.csv"), program.get("/records/export", **{"from": "never"})]
    assert [(answer.status_code, answer_of(answer)["error"]) for answer in answers] == [
        (404, "not_found"), (400, "bad_request"),
    ]  # fmt: skip
    refused = TokenClient.of(alice, "read").get("/records/export")
    assert (refused.status_code, answer_of(refused)["error"]) == (403, "forbidden")


def test_the_refusal_names_the_scope(alice: User) -> None:
    program = TokenClient.of(alice, "export")
    assert "read or collect" in answer_of(program.get("/api/runs"))["message"]
    assert "No token" in answer_of(program.get("/api/settings"))["message"]


def test_an_administrators_token_is_that_of_an_ordinary_account(root: User) -> None:
    program = TokenClient.of(root)
    assert "sources" not in answer_of(program.get("/api/manifest"))
    assert answer_of(program.get("/api/manifest"))["role"] == "user"
    status = answer_of(program.get("/api/status"))
    assert (status["is_admin"], status["scheduler"]["lockfile"]) == (False, None)
    program.post("/api/collect")
    assert User.objects.get().is_admin


def test_the_language_is_that_of_the_account(alice: User) -> None:
    User.objects.update(language="zh-hans")
    message = answer_of(TokenClient.of(alice, "read").get("/api/settings"))["message"]
    assert not message.isascii()


def test_a_token_has_its_own_rate(alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "READS", "3/m")
    monkeypatch.setattr(rate_limits, "WRITES", "2/m")
    one, other, session = TokenClient.of(alice), TokenClient.of(alice), api_of(alice)
    assert [one.get("/api/status").status_code for _ in range(4)] == [200, 200, 200, 429]
    refused = one.get("/records/export")
    assert (refused.status_code, answer_of(refused)["error"]) == (429, "too_frequent")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert [one.post("/api/runs/1/stop").status_code for _ in range(3)] == [404, 404, 429]
    for another in (other, session):
        assert [another.get("/api/status").status_code for _ in range(3)] == [200, 200, 200]
        assert another.post("/api/runs/1/stop").status_code == 404


def test_a_read_has_no_more_queries_than_with_a_session(alice: User, api_of: ApiOf) -> None:
    session, program = api_of(alice), TokenClient.of(alice)
    counts = []
    for visitor in (session, program):
        visitor.get("/api/summary")
        with CaptureQueriesContext(
            connection,
        ) as asked:
            assert visitor.get("/api/summary").status_code == 200
        counts.append(len(asked))
    assert counts[1] <= counts[0]


def test_a_text_with_a_wrong_checksum_is_not_looked_for(alice: User) -> None:
    text = ended(alice, "mistyped")
    with CaptureQueriesContext(connection) as asked:
        assert TokenClient(text).get("/api/summary").status_code == 401
    assert not [query["sql"] for query in asked if "token_hash" in query["sql"]]


@pytest.mark.django_db(transaction=True)
def test_during_a_restore_a_read_goes_on_and_its_use_is_left_out(alice: User) -> None:
    program = TokenClient.of(alice)
    with write_freeze.frozen():
        (status,) = together(lambda: program.get("/api/status").status_code)
    assert (status, ApiToken.objects.get().last_used_at) == (200, None)
    program.get("/api/status")
    assert ApiToken.objects.get().last_used_at


@pytest.mark.sqlite_only
@pytest.mark.django_db(transaction=True)
def test_a_long_write_of_others_does_not_hold_up_a_read(alice: User) -> None:
    program = TokenClient.of(alice)
    with closing(sqlite3.connect(connection.settings_dict["NAME"])) as other:
        other.execute("BEGIN IMMEDIATE")
        assert program.get("/api/status").status_code == 200
        other.rollback()
    assert ApiToken.objects.get().last_used_at is None
    with connection.cursor() as cursor:
        assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)


@pytest.mark.django_db(transaction=True)
def test_requests_at_once_are_all_answered(alice: User) -> None:
    programs = [TokenClient(text) for text in [make_token(alice)[1]] * 6]
    answers = together(*[lambda one=one: one.get("/api/summary").status_code for one in programs])
    assert answers == [200] * 6


def test_no_token_gets_into_a_log(alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    _, text = make_token(alice)
    assert text not in redacted(f"GET /api/status?x={text} failed: {text}, Authorization: Bearer {text}")

    # A text that is no token is masked in its request, too: it may be a secret of something else.
    foreign = "s3cR3t-0f-An0th3r-S3rv1c3"
    lines: list[str] = []

    def revealing(user: User, archive_id: int) -> Status:
        record = logging.LogRecord("x", logging.ERROR, "x", 1, f"failed with {text} and {foreign}", None, None)
        lines.append(RedactingFormatter().format(record))
        return status_of(user, archive_id)

    monkeypatch.setattr(site_api, "status_of", revealing)
    api_of(alice).client.get("/api/status", headers={"Authorization": "Basic x"})
    TokenClient(text).get("/api/status")
    assert (text in "".join(lines), [foreign in line for line in lines]) == (False, [True, True])
