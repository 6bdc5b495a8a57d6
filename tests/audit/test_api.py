"""GET /api/audit: docs/api.md#audit."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection

from accounts.models import User
from archive_site.lib.http.parameter_parsing import Paging
from archive_site.lib.stored_message import Message
from audit import log, queries
from audit.models import Entry
from audit.queries import EntryFilters
from tests.factories import ApiClient
from tests.query_counts import SESSION
from tests.standing_clock import SetClock

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
NOON = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)


def write(action: str, user: User | None, detail: str = "", *, actor: str = "") -> None:
    log.record(
        action, actor=actor or (user.username if user else "cli"), user_id=user.pk if user else None, detail=detail
    )


def ask(visitor: ApiClient, **params: Any) -> Any:
    response = visitor.get("/api/audit", **params)
    assert response.status_code == 200
    return response.json()


def details(answer: Any) -> list[str]:
    return [item["detail"] for item in answer["items"]]


def test_an_answer_has_exactly_the_documented_fields(root: User, api_of: ApiOf, time: SetClock) -> None:
    time.now = NOON
    log.record("login", actor="ada", user_id=77, ip="192.0.2.1", detail="by hand")
    entry = Entry.objects.get()
    assert ask(api_of(root)) == {
        "total": 1,
        "page": 1,
        "size": 50,
        "pages": 1,
        "scope": "all",
        "actions": ["login"],
        "items": [
            {
                "id": entry.pk,
                "at": "2026-09-08 12:00:00",
                "actor": "ada",
                "action": "login",
                "detail": "by hand",
                "ip": "192.0.2.1",
                "user_id": 77,
            }
        ],
    }


def test_an_empty_log_has_one_empty_page(alice: User, api_of: ApiOf) -> None:
    assert ask(api_of(alice)) == {
        "total": 0, "page": 1, "size": 50, "pages": 1, "scope": "self", "actions": [], "items": []
    }  # fmt: skip


def test_an_administrator_sees_all_and_others_their_own(alice: User, bob: User, root: User, api_of: ApiOf) -> None:
    for user in (alice, bob, None):
        write("login", user, str(user))
    assert details(ask(api_of(root))) == ["None", "bob", "alice"]
    own = ask(api_of(alice), user_id=bob.pk)
    assert (details(own), own["total"], own["scope"]) == (["alice"], 1, "self")


@pytest.mark.engine
def test_who_is_no_administrator_any_more_learns_of_no_backup(alice: User, api_of: ApiOf) -> None:
    """Entries of a former administrator are left out where their action is `backup_*`."""
    for action in ("login", "backup_create", "backup_restore"):
        write(action, alice, "backup-20260908-120000-manual.zip")
    answer = ask(api_of(alice))
    assert (answer["total"], answer["actions"], len(answer["items"])) == (1, ["login"], 1)
    assert ask(api_of(alice), action="backup_create")["items"] == []


@pytest.mark.engine
def test_what_an_administrator_did_to_an_account_is_not_its_own(alice: User, root: User, api_of: ApiOf) -> None:
    write("user_update", root, "alice: disabled")
    assert ask(api_of(alice), actor="root", q="alice", action="user_update")["total"] == 0


@pytest.mark.engine
def test_an_action_is_matched_exactly_and_the_actions_stay_all_in_scope(
    alice: User, bob: User, root: User, api_of: ApiOf
) -> None:
    for action in ("login", "logout", "login_failed", "login"):
        write(action, alice, action)
    write("user_create", root)
    own = ask(api_of(alice), action="login")
    assert (details(own), own["total"]) == (["login", "login"], 2)
    assert own["actions"] == ["login", "login_failed", "logout"]
    assert ask(api_of(root), action="log")["items"] == []
    assert ask(api_of(root), action="login")["actions"] == ["login", "login_failed", "logout", "user_create"]
    assert ask(api_of(bob))["actions"] == []


def test_an_actor_is_matched_exactly(alice: User, root: User, api_of: ApiOf) -> None:
    for actor in ("alice", "alice2", "Alice"):
        write("login", None, actor, actor=actor)
    assert details(ask(api_of(root), actor="alice")) == ["alice"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("100%", ["of 100%"]), ("_", []), ("CAROL", ["by carol"]), ("of", ["of 100%"]), ("'", []), ("nobody", ["x"])],
)
def test_a_text_is_found_anywhere_in_actor_or_detail(text: str, found: list[str], root: User, api_of: ApiOf) -> None:
    write("settings", None, "of 100%")
    write("settings", None, "by carol")
    write("settings", None, "x", actor="nobody")
    answer = ask(api_of(root), q=text)
    assert (details(answer), answer["total"]) == (found, len(found))


@pytest.mark.engine
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_detail_is_shown_and_found_in_the_readers_language(language: str, root: User, api_of: ApiOf) -> None:
    log.record("login_failed", actor="eve", user_id=None, detail=Message("password_wrong"))
    log.record("user_create", actor="root", user_id=None, detail=Message("user_created", name="carol"))
    User.objects.filter(pk=root.pk).update(language=language)
    detail = {"en": "wrong password", "zh-hans": "密码错误"}[language]
    assert details(ask(api_of(root), q=detail)) == [detail]
    # The English words and the parameters are found in every language.
    assert details(ask(api_of(root), q="WRONG pass")) == [detail]
    assert ask(api_of(root), q="carol")["total"] == 1
    assert ask(api_of(root), q="password_wrong")["total"] == 0


@pytest.mark.parametrize("name", ["action", "actor", "q"])
def test_a_filter_may_hold_anything_but_a_novel(name: str, root: User, api_of: ApiOf) -> None:
    write("login", None, "plain")
    visitor = api_of(root)
    assert ask(visitor, **{name: "a" * 1000})["total"] == 0
    assert ask(visitor, **{name: "\0"})["total"] == 0
    response = visitor.get("/api/audit", **{name: "a" * 1001})
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert f"'{name}'" in response.json()["message"]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("asked", "page", "size", "items"),
    [
        ({}, 1, 50, list(range(9, -1, -1))),
        ({"size": 4}, 1, 4, [9, 8, 7, 6]),
        ({"size": 4, "page": 2}, 2, 4, [5, 4, 3, 2]),
        ({"size": 4, "page": 3}, 3, 4, [1, 0]),
        ({"size": 4, "page": 4}, 4, 4, []),
        ({"size": 4, "page": 10**15}, 10**9, 4, []),
        ({"size": 0, "page": -3}, 1, 1, [9]),
        ({"size": 501, "page": "x"}, 1, 500, list(range(9, -1, -1))),
    ],
)
def test_pages_are_clamped_and_never_overlap(
    asked: dict[str, Any], page: int, size: int, items: list[int], root: User, api_of: ApiOf
) -> None:
    for number in range(10):
        write("login", None, str(number))
    answer = ask(api_of(root), **asked)
    assert (answer["page"], answer["size"], answer["total"]) == (page, size, 10)
    assert answer["pages"] == -(-10 // size)
    assert details(answer) == [str(number) for number in items]


@pytest.mark.engine
@pytest.mark.parametrize(
    ("asked", "others"),
    [
        ({"actor": "alice"}, [("bob", "login", "walk")]),
        ({"actor": "alice", "action": "login"}, [("bob", "login", "walk"), ("alice", "logout", "walk")]),
        ({"actor": "alice", "q": "walk"}, [("bob", "login", "walk"), ("alice", "login", "run")]),
        (
            {"actor": "alice", "action": "login", "q": "WALK"},
            [("bob", "login", "walk"), ("alice", "logout", "walk"), ("alice", "login", "run")],
        ),
    ],
)
def test_filters_hold_together_on_every_page(
    asked: dict[str, str], others: list[tuple[str, str, str]], root: User, api_of: ApiOf
) -> None:
    for number in range(5):
        write("login", None, f"walk {number}", actor="alice")
        for actor, action, detail in others:
            write(action, None, detail, actor=actor)
    # The older pages are counted from the oldest entry.
    pages = [ask(api_of(root), **asked, size=2, page=page) for page in (1, 2, 3)]
    assert [details(page) for page in pages] == [["walk 4", "walk 3"], ["walk 2", "walk 1"], ["walk 0"]]
    assert {page["total"] for page in pages} == {5}


def test_equal_instants_are_listed_in_the_order_of_writing(root: User, api_of: ApiOf, time: SetClock) -> None:
    for minutes in (0, 5, 0):
        time.now = NOON - timedelta(minutes=minutes)
        write("login", None, str(minutes))
    # Entries are ordered as written: a clock that was set back does not hide the newest.
    assert details(ask(api_of(root))) == ["0", "5", "0"]


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize("asked", [{}, {"action": "login"}, {"actor": "alice"}, {"q": "7"}, {"page": 3, "size": 20}])
@pytest.mark.parametrize("name", ["alice", "root"])
def test_a_page_takes_as_many_queries_however_long_the_log_is(
    name: str, asked: dict[str, Any], alice: User, root: User, api_of: ApiOf, django_assert_num_queries: Any
) -> None:
    for number in range(60):
        write("login", alice, str(number))
    visitor = api_of(User.objects.get(username=name))
    # Account, count, actions, page.
    with django_assert_num_queries(SESSION + 4):
        visitor.get("/api/audit", **asked)


def plan_of(run: Callable[[], object]) -> str:
    """How SQLite would run the queries that `run` makes."""
    made: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        made.append((sql, params))
        return execute(sql, params, many, context)

    with connection.execute_wrapper(note):
        run()
    lines: list[str] = []
    with connection.cursor() as cursor:
        for sql, params in made:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}", params)
            lines += [row[3] for row in cursor.fetchall()]
    return "\n".join(lines)


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("filters", "index"),
    [
        (EntryFilters(None, "login"), "audit_by_action (action=?)"),
        (EntryFilters(None, actor="a"), "audit_by_actor (actor=?)"),
        (EntryFilters(1), "audit_by_user (user_id=?)"),
        (EntryFilters(1, "login"), "audit_by_user_action (user_id=? AND action=?)"),
    ],
)
@pytest.mark.parametrize("page", [1, 500])
def test_counts_and_pages_are_found_by_an_index_alone(page: int, filters: EntryFilters, index: str) -> None:
    paging = Paging(page, 50)
    for read in (lambda: queries.count_entries(filters), lambda: queries.page_of_entries(filters, paging, 25_000)):
        plan = plan_of(read)
        assert f"USING COVERING INDEX {index}" in plan
        assert "TEMP B-TREE" not in plan


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("user_id", "step"),
    [(None, "audit_by_action (action>?)"), (1, "audit_by_user_action (user_id=? AND action>?)")],
)
def test_the_actions_are_looked_up_from_one_to_the_next(user_id: int | None, step: str) -> None:
    plan = plan_of(lambda: queries.actions(user_id))
    assert f"SEARCH audit_entry USING COVERING INDEX {step}" in plan
    assert "SCAN audit_entry" not in plan


@pytest.mark.engine
def test_a_page_of_the_older_half_is_counted_from_the_oldest_entry(alice: User) -> None:
    for number in range(10):
        write("login", alice, str(number))
    # The number that was counted: entries written later are on none of the older pages.
    write("login", alice, "since then")
    pages = [
        [entry.detail for entry in queries.page_of_entries(EntryFilters(alice.pk), Paging(page, 3), 10)]
        for page in (1, 2, 3, 4)
    ]
    assert pages[2:] == [["3", "2", "1"], ["0"]]


def test_an_answer_is_not_stored(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).get("/api/audit").headers["Cache-Control"] == "no-store"
