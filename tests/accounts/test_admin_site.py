"""The admin site: sign-in through `/login`, read-only, no secret on any page.

The rules: docs/decisions/accounts.md#one-way-in.
"""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.urls import NoReverseMatch, reverse
from django.utils import timezone, translation
from django_q.models import Failure, OrmQ, Schedule, Success, Task
from django_q.signing import SignedPackage

from accounts.credentials import credential
from accounts.models import Setting, User
from archive_site.lib import clock
from audit.log import record
from audit.models import Entry
from collection.models import Run
from tests.factories import PASSWORD, ApiClient, further_archive
from tests.usage.record_factories import archive, call
from usage.models import Prompt, Record

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
COOKIE = "session=marker-cookie-7f3a|1790000000|abcdef"
SHOWN = [User, Setting, Record, Run, Entry, Success, Failure, OrmQ]


@pytest.fixture
def filled(root: User, alice: User) -> dict[type[Any], Any]:
    """One row of each kind, some with secrets."""
    credential.store(alice.pk, COOKIE)
    now = clock.now()
    call = Record.objects.create(
        archive_id=alice.pk, request_id="r1", credits=1_500_000, model="m", client="c", ts="2026-03-09 10:00:00",
        day="2026-03-09", hour=10, agent_purpose="", prompt_truncated=False, first_seen_at=now, updated_at=now,
    )  # fmt: skip
    Prompt.objects.create(record=call, text="marker-prompt-7f3a")
    run = Run.objects.create(archive_id=alice.pk, trigger="manual", status="ok", created_at=now, stored_message="done")
    record("settings", actor="alice", user_id=alice.pk, ip="192.0.2.1", detail="changed cookie")
    task = {"func": "collection.tasks.tick", "started": timezone.now(), "stopped": timezone.now(), "args": (7,)}
    Task.objects.create(id="a" * 32, name="one", success=True, result=None, **task)
    Task.objects.create(id="b" * 32, name="two", success=False, result=f"Cookie: {COOKIE}", **task)
    payload = SignedPackage.dumps({"id": "c" * 32, "name": "three", "func": "collection.tasks.tick", "args": (1,)})
    OrmQ.objects.create(key="archive", payload=payload, lock=timezone.now())
    rows = {User: alice, Setting: Setting.objects.get(key="cookie"), Record: call, Run: run, Entry: Entry.objects.get()}
    return {**rows, Success: Success.objects.get(), Failure: Failure.objects.get(), OrmQ: OrmQ.objects.get()}


def name_of(model: type[Any]) -> str:
    return f"admin:{model._meta.app_label}_{model._meta.model_name}"


def list_url(model: type[Any]) -> str:
    return reverse(f"{name_of(model)}_changelist")


def row_url(row: Any, view: str = "change") -> str:
    return reverse(f"{name_of(type(row))}_{view}", args=[row.pk])


def refuses(visitor: ApiClient, path: str, query: dict[str, Any]) -> bool:
    """Whether the list leads to itself without the look-up, as Django does where one is incorrect."""
    answer = visitor.client.get(path, query)
    return answer.status_code == 302 and answer.headers["Location"] == f"{path}?e=1"


def pages(rows: dict[type[Any], Any]) -> list[str]:
    lists = [reverse("admin:index"), *(list_url(model) for model in rows)]
    return lists + [row_url(row, view) for row in rows.values() for view in ("change", "history")]


def test_anonymous_is_led_to_the_one_sign_in(anonymous: ApiClient) -> None:
    response = anonymous.client.get("/admin/", follow=True)
    assert unquote(response.redirect_chain[-1][0]) == "/login?next=/admin/"


def test_the_sites_own_sign_in_leads_there_too(anonymous: ApiClient) -> None:
    response = anonymous.get("/admin/login/", next="/admin/accounts/user/")
    assert unquote(response.headers["Location"]) == "/login?next=/admin/accounts/user/"


def test_nobody_can_sign_in_at_the_sites_own_page(root: User, anonymous: ApiClient) -> None:
    fields = {"username": "root", "password": PASSWORD, "_csrf": anonymous.token}
    anonymous.client.post("/admin/login/", fields)
    assert anonymous.get("/api/settings").status_code == 401


@pytest.mark.usefixtures("no_captcha")
def test_who_signs_in_on_the_way_gets_where_they_wanted(root: User, anonymous: ApiClient) -> None:
    fields = {"username": "root", "password": PASSWORD, "_csrf": anonymous.token, "next": "/admin/"}
    assert anonymous.client.post("/login", fields).headers["Location"] == "/admin/"
    assert anonymous.get("/admin/").status_code == 200


def test_an_ordinary_user_sees_no_page_of_it(filled: dict[type[Any], Any], alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    for path in pages(filled):
        answer = visitor.client.get(path, follow=True)
        assert answer.status_code == 403, path
        assert "Not allowed" in answer.content.decode()


def test_anonymous_sees_no_page_of_it(filled: dict[type[Any], Any], anonymous: ApiClient) -> None:
    assert {anonymous.get(path).status_code for path in pages(filled)} == {302}


def test_a_disabled_administrator_sees_no_page_of_it(filled: dict[type[Any], Any], root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    User.objects.filter(pk=root.pk).update(status=User.DISABLED)
    assert visitor.get("/admin/").status_code == 302


@pytest.mark.engine
def test_an_administrator_sees_every_page(filled: dict[type[Any], Any], root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    assert {path: visitor.get(path).status_code for path in pages(filled)} == dict.fromkeys(pages(filled), 200)


@pytest.mark.parametrize("model", SHOWN)
def test_headings_and_labels_are_in_the_readers_language(
    model: type[Any], filled: dict[type[Any], Any], root: User, api_of: ApiOf
) -> None:
    visitor = api_of(root)
    found = [
        visitor.client.get(path, headers={"Accept-Language": "zh-hans"}).content.decode()
        for path in (reverse("admin:index"), list_url(model), row_url(filled[model]))
    ]
    with translation.override("zh-hans"):
        name = str(filled[model])
    # Cells of a row's name are headings, too.
    named = re.findall(r'<(?:th(?! class="field-)|caption|label|h1|h2|h3|summary)\b.*?</', " ".join(found), re.DOTALL)
    words = {re.sub(r"<[^>]*>?|\s+", " ", each).strip() for each in named} - {name}
    assert len(words) > 8
    assert [each for each in words if re.search(r"[A-Za-z]{3}", each)] == []


@pytest.mark.parametrize(
    ("actor", "ip", "cells"),
    [("scheduler", "", ("调度器", "采集完成")), ("scheduler", "192.0.2.1", ("scheduler", "采集完成"))],
)
def test_actions_and_actors_have_the_words_of_the_audit_page(
    actor: str, ip: str, cells: tuple[str, ...], root: User, api_of: ApiOf
) -> None:
    record("collect", actor=actor, user_id=None, ip=ip)
    record("of_a_later_release", actor=actor, user_id=None, ip=ip)
    page = api_of(root).client.get(list_url(Entry), headers={"Accept-Language": "zh-hans"}).content.decode()
    shown = [re.findall(rf'class="field-shown_{name}">([^<]*)<', page) for name in ("actor", "action")]
    assert list(zip(*shown, strict=True))[-2:] == [(cells[0], "of_a_later_release"), cells]
    assert '<a href="?action=collect">采集完成</a>' in " ".join(page.split())


@pytest.mark.engine
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_numbers_have_their_thousands_apart(language: str, root: User, api_of: ApiOf) -> None:
    now = clock.now()
    sums = {"fetched": 5426, "added": 5420, "dup": 1006, "conflicts": 1000, "total": 5426, "duration_ms": 61_200}
    run = Run.objects.create(archive_id=root.pk, trigger="manual", status="ok", created_at=now, **sums)
    Run.objects.bulk_create(
        Run(archive_id=root.pk, trigger="manual", status="ok", created_at=now, stored_message="read")
        for _ in range(1001)
    )
    User.objects.filter(pk=root.pk).update(login_count=1234)

    def words(path: str) -> str:
        page = api_of(root).client.get(path, headers={"Accept-Language": language}).content.decode()
        return " ".join(re.sub(r"<[^>]*>", " ", page).split())

    assert re.findall(r"[\d,]*\d{4}", words(row_url(run)).replace(f"{now:%Y}", "").replace(str(run.pk), "")) == []
    assert "1,234" in words(list_url(User))
    found = words(f"{list_url(Run)}?q=read")
    assert {"en": "1,001 results", "zh-hans": "1,001 条结果"}[language] in found


def test_runs_and_entries_have_the_words_of_the_pages(filled: dict[type[Any], Any], root: User, api_of: ApiOf) -> None:
    Run.objects.filter(pk=filled[Run].pk).update(status="queued", kind="older")
    read = api_of(root).client.get
    chinese = {"Accept-Language": "zh-hans"}
    run, run_here = read(row_url(filled[Run])), read(row_url(filled[Run]), headers=chinese)
    for words in ("Fetched", "New", "Already known", "Changed", "waiting"):
        assert words in run.content.decode(), words
    for words in ("已读取", "新增", "已有", "变更", "等待中", "更早的调用", "欢迎，<strong>root</strong>", "退出登录"):
        assert words in run_here.content.decode(), words
    records = read(list_url(Record), headers=chinese).content.decode()
    assert ("最低积分" in records, ">积分<" in "".join(records.split())) == (False, True)
    assert "条目" in read(list_url(Entry), headers=chinese).content.decode()


def test_no_page_shows_a_secret(filled: dict[type[Any], Any], alice: User, root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    alice.refresh_from_db()
    stored = Setting.objects.get(key="cookie").value
    secrets = ["marker", alice.password, "argon2", stored, stored[:40], root.get_session_auth_hash()]
    for path in pages(filled):
        page = visitor.get(path).content.decode()
        assert [secret for secret in secrets if secret in page] == [], path


@pytest.mark.parametrize("model", SHOWN)
@pytest.mark.parametrize("view", ["change", "delete"])
def test_no_row_can_be_changed_or_deleted(
    model: type[Any], view: str, filled: dict[type[Any], Any], root: User, api_of: ApiOf
) -> None:
    visitor = api_of(root)
    row = filled[model]
    response = visitor.client.post(row_url(row, view), {"_csrf": visitor.token, "post": "yes"})
    assert response.status_code == 403
    assert model.objects.filter(pk=row.pk).exists()


@pytest.mark.parametrize("model", SHOWN)
def test_no_row_can_be_added(model: type[Any], root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    path = reverse(f"{name_of(model)}_add")
    assert visitor.get(path).status_code == 403
    assert visitor.client.post(path, {"_csrf": visitor.token}).status_code == 403


@pytest.mark.parametrize("model", SHOWN)
@pytest.mark.parametrize("action", ["delete_selected", "resubmit_task"])
def test_nothing_can_be_done_with_selected_rows(
    model: type[Any], action: str, filled: dict[type[Any], Any], root: User, api_of: ApiOf
) -> None:
    visitor = api_of(root)
    queued = OrmQ.objects.count()
    fields = {"_csrf": visitor.token, "action": action, "_selected_action": filled[model].pk, "post": "yes"}
    page = visitor.client.post(list_url(model), fields)
    assert f'value="{action}"' not in page.content.decode()
    assert model.objects.filter(pk=filled[model].pk).exists()
    assert OrmQ.objects.count() == queued


@pytest.mark.parametrize("model", [Schedule, Group, Prompt])
def test_what_is_dangerous_or_private_is_not_there(model: type[Any]) -> None:
    assert not admin.site.is_registered(model)
    with pytest.raises(NoReverseMatch):
        list_url(model)


@pytest.mark.parametrize(
    ("model", "lookup"),
    [
        (User, {"password__startswith": "argon2"}),
        (User, {"session_version": "1"}),
        (Setting, {"value__startswith": "gAAAAA"}),
        (Record, {"prompt__text__contains": "marker"}),
        (OrmQ, {"payload__contains": "a"}),
    ],
)
def test_no_filter_reveals_what_is_not_shown(
    model: type[Any], lookup: dict[str, str], filled: dict[type[Any], Any], root: User, api_of: ApiOf
) -> None:
    assert refuses(api_of(root), list_url(model), lookup)


@pytest.mark.engine
@pytest.mark.parametrize(
    ("model", "text", "found"),
    [
        (User, "ali", True), (User, "argon2", False), (Setting, "cook", True), (Setting, "gAAAAA", False),
        (Record, "r1", True), (Record, "marker", False), (Run, "done", True), (Entry, "alice", True),
        (Success, "tick", True), (Failure, "two", True), (Failure, "marker", False),
    ],
)  # fmt: skip
def test_a_search_finds_what_is_shown_and_nothing_else(
    model: type[Any], text: str, found: bool, filled: dict[type[Any], Any], root: User, api_of: ApiOf
) -> None:
    page = api_of(root).get(list_url(model), q=text).content.decode()
    assert (row_url(filled[model]) in page) is found


@pytest.mark.engine
@pytest.mark.parametrize("model", [Setting, Record, Run])
def test_rows_can_be_had_of_one_account(
    model: type[Any], filled: dict[type[Any], Any], alice: User, root: User, api_of: ApiOf
) -> None:
    visitor = api_of(root)
    assert row_url(filled[model]) in visitor.get(list_url(model), account=alice.pk).content.decode()
    assert row_url(filled[model]) not in visitor.get(list_url(model), account=root.pk).content.decode()
    assert refuses(visitor, list_url(model), {"account": "x"})


@pytest.mark.engine
@pytest.mark.parametrize(
    ("model", "query"),
    [(User, {"status__exact": "active"}), (Run, {"status__exact": "ok"}), (Entry, {"action": "settings"})],
)
def test_the_filters_that_are_offered_work(
    model: type[Any], query: dict[str, str], filled: dict[type[Any], Any], root: User, api_of: ApiOf
) -> None:
    assert row_url(filled[model]) in api_of(root).get(list_url(model), **query).content.decode()


@pytest.mark.parametrize(("model", "owner"), [(Setting, "user_id"), (Record, "archive_id"), (Run, "archive_id")])
def test_an_accounts_rows_are_named_after_it_and_a_gone_ones_by_its_id(
    model: type[Any], owner: str, filled: dict[type[Any], Any], root: User, api_of: ApiOf
) -> None:
    visitor = api_of(root)
    assert ">alice<" in visitor.get(list_url(model)).content.decode()
    model.objects.update(**{owner: 4711})
    assert "4711 (deleted)" in visitor.get(list_url(model)).content.decode()


@pytest.mark.engine
@pytest.mark.parametrize(("model", "owner"), [(Setting, "user_id"), (Record, "archive_id"), (Run, "archive_id")])
def test_rows_of_a_further_archive_are_named_after_its_account(
    model: type[Any], owner: str, filled: dict[type[Any], Any], alice: User, root: User, api_of: ApiOf
) -> None:
    model.objects.update(**{owner: further_archive(alice)})
    page = api_of(root).get(list_url(model), account=alice.pk).content.decode()
    assert row_url(filled[model]) in page
    assert ">alice<" in page


@pytest.mark.engine
def test_records_of_more_than_a_page_are_listed_from_the_newest(alice: User, root: User, api_of: ApiOf) -> None:
    size = admin.site._registry[Record].list_per_page
    names = [f"call-{number}" for number in range(size + 1)]
    archive(alice, *map(call, names))
    visitor = api_of(root)
    for chosen in ({}, {"account": alice.pk}):
        first, second = (visitor.get(list_url(Record), p=page, **chosen).content.decode() for page in (1, 2))
        assert [re.findall(r">(call-\d+)<", page) for page in (first, second)] == [names[:0:-1], names[:1]]
        assert ">alice<" in first


@pytest.mark.engine
@pytest.mark.parametrize("model", [User, Setting])
def test_accounts_and_settings_of_more_than_a_page_are_listed_in_order(
    model: type[Any], root: User, api_of: ApiOf
) -> None:
    size, now = admin.site._registry[model].list_per_page, clock.now()
    names = [f"person-{number:03}" for number in range(size)]
    User.objects.bulk_create([User(username=name, username_key=name) for name in names])
    last = User.objects.latest("pk").pk
    Setting.objects.bulk_create(
        [Setting(user_id=last, key=f"key-{number:03}", value="1", updated_at=now) for number in range(size + 1)]
    )
    visitor = api_of(root)
    found = [visitor.get(list_url(model), p=page).content.decode() for page in (1, 2)]
    shown = [sorted(set(re.findall(r">((?:person|key)-\d{3})<", page))) for page in found]
    prefix = "person" if model is User else "key"
    mine = [[name for name in names if name.startswith(prefix)] for names in shown]
    assert mine[0] + mine[1] == [f"{prefix}-{number:03}" for number in range(size + (model is Setting))]


def test_the_password_is_not_changed_past_the_rules(root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    fields = {"_csrf": visitor.token, "old_password": PASSWORD, "new_password1": "a", "new_password2": "a"}
    visitor.client.post("/admin/password_change/", fields)
    root.refresh_from_db()
    assert root.check_password(PASSWORD)


def test_signing_out_there_is_audited_as_anywhere(root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    visitor.client.post("/admin/logout/", {"_csrf": visitor.token})
    assert visitor.get("/api/settings").status_code == 401
    assert Entry.objects.filter(action="logout", user_id=root.pk).exists()


def act(visitor: ApiClient, action: str, *users: User) -> str:
    """The page after an action on the accounts that are ticked."""
    fields = {"_csrf": visitor.token, "action": action, "_selected_action": [user.pk for user in users]}
    return str(visitor.client.post(list_url(User), fields, follow=True).content.decode())


@pytest.mark.parametrize(
    ("action", "field", "value"),
    [("disable", "status", User.DISABLED), ("make_administrator", "is_admin", True)],
)
def test_an_action_changes_accounts_as_the_api_does(
    action: str, field: str, value: object, alice: User, root: User, api_of: ApiOf
) -> None:
    assert "Saved: alice." in act(api_of(root), action, alice)
    assert getattr(User.objects.get(pk=alice.pk), field) == value
    assert Entry.objects.get(action="user_update").actor == "root"


@pytest.mark.engine
@pytest.mark.parametrize("action", ["disable", "remove_administrator_role"])
def test_an_action_goes_through_the_guards(action: str, root: User, api_of: ApiOf) -> None:
    assert "Not changed: root. You cannot" in act(api_of(root), action, root)
    assert User.objects.active_admins().get() == root


def test_an_action_of_an_ordinary_user_changes_nothing(alice: User, root: User, api_of: ApiOf) -> None:
    act(api_of(alice), "make_administrator", alice)
    assert not User.objects.get(pk=alice.pk).is_admin
