"""Look-ups of the admin site: those of its own filters, and no others.

The rules: docs/decisions/accounts.md#filters-of-the-admin-site.
"""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import OperationalError
from django.urls import reverse

from accounts.models import User
from audit.models import Entry
from tests.factories import ApiClient, make_user

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
USERS, SETTINGS, RECORDS = "/admin/accounts/user/", "/admin/accounts/setting/", "/admin/usage/record/"
RUNS, ENTRIES = "/admin/collection/run/", "/admin/audit/entry/"
LISTS = [RUNS, USERS, SETTINGS, RECORDS, ENTRIES]
ENDLESS = "^(([a-z:_-]+)+)+!$"
DIGITS = "9" * 4400


@pytest.fixture
def visitor(root: User, api_of: ApiOf) -> ApiClient:
    """An administrator, on an instance with an audit entry."""
    Entry.objects.create(at="2026-03-09T10:00:00Z", actor="root", action="maintenance:export-csv")
    return api_of(root)


def is_refused(visitor: ApiClient, path: str, **query: Any) -> bool:
    """Whether the list leads to itself without the look-up, and shows its rows there."""
    answer = visitor.client.get(path, query)
    led_on = answer.status_code == 302 and answer.headers["Location"] == f"{path}?e=1"
    return led_on and visitor.get(path, e="1").status_code == 200


def test_a_pattern_that_never_ends_is_refused(visitor: ApiClient) -> None:
    assert is_refused(visitor, ENTRIES, action__regex=ENDLESS)


@pytest.mark.sqlite_only
def test_the_store_has_no_patterns_of_python(visitor: ApiClient) -> None:
    with pytest.raises(OperationalError):
        Entry.objects.filter(action__regex="m").exists()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "lookup", "value"),
    [
        (RUNS, "status__regex", "("), (RUNS, "status__iregex", "("), (RUNS, "status__in", "ok,failed"),
        (ENTRIES, "action__regex", "a"), (ENTRIES, "action__contains", "a"), (ENTRIES, "action__exact", "login"),
        (ENTRIES, "action__range", ""), (ENTRIES, "at__range", ""), (ENTRIES, "at__year", "0"),
        (ENTRIES, "at__year", "2026"), (RUNS, "created_at__iso_year", "0"), (RUNS, "created_at__date", "2026-03-09"),
        (USERS, "is_admin__in", "1"), (USERS, "id", "1"), (USERS, "id__gt", "0"), (USERS, "pk", DIGITS),
        (SETTINGS, "account__regex", "("), (SETTINGS, "user_id", "1"), (RECORDS, "account__gt", "0"),
        (RECORDS, "credits__gt", "0"), (RUNS, "nonsense", "1"), (RUNS, "status__exact__exact", "ok"), (RUNS, "", "x"),
    ],
)  # fmt: skip
def test_a_lookup_that_no_filter_offers_is_refused(path: str, lookup: str, value: str, visitor: ApiClient) -> None:
    assert is_refused(visitor, path, **{lookup: value})


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("path", "lookup", "value"),
    [
        (SETTINGS, "account", DIGITS), (SETTINGS, "account", "9" * 19), (RECORDS, "account", "²"),
        (RUNS, "account", "-1"), (RUNS, "account", ""), (RUNS, "account", "1\x00"), (RUNS, "account", ["1", "2"]),
        (RUNS, "status__exact", "ok\x00"), (RUNS, "status__exact", ["ok"] * 900), (ENTRIES, "action", "a\nb"),
        (ENTRIES, "action", ["login"] * 900), (USERS, "is_admin__exact", "x"), (USERS, "is_admin__exact", DIGITS),
        # PostgreSQL holds these two days.
        pytest.param(ENTRIES, "at__gte", "0001-01-01 00:00:00+14:00", marks=pytest.mark.sqlite_only),
        pytest.param(ENTRIES, "at__lt", "9999-12-31 23:59:59-12:00", marks=pytest.mark.sqlite_only),
        (ENTRIES, "at__gte", "x"), (ENTRIES, "at__gte", "2026-02-30"), (ENTRIES, "at__gte", ""),
    ],
)  # fmt: skip
def test_a_value_that_fits_no_filter_is_refused(
    path: str, lookup: str, value: str | list[str], visitor: ApiClient
) -> None:
    assert is_refused(visitor, path, **{lookup: value})


@pytest.mark.engine
@pytest.mark.thorough
@pytest.mark.parametrize("name", ["o", "p", "all", "_popup", "_facets", "_changelist_filters"])
@pytest.mark.parametrize("path", LISTS)
def test_no_value_of_another_parameter_fails(path: str, name: str, visitor: ApiClient) -> None:
    values: list[Any] = [DIGITS, "\x00", "", "²", "-1", "1." * 3000, ["1", "2"]]
    assert {visitor.client.get(path, {name: value}).status_code for value in values} <= {200, 302}


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("value", ["password", "\x00", DIGITS, "username"])
def test_a_column_to_refer_by_is_refused(path: str, value: str, visitor: ApiClient) -> None:
    assert visitor.client.get(path, {"_to_field": value}).status_code == 400


@pytest.mark.parametrize("text", ["a " * 3000, "x" * 60_000, "%" * 201])
def test_a_search_that_is_too_long_is_refused(text: str, visitor: ApiClient) -> None:
    assert is_refused(visitor, ENTRIES, q=text)


@pytest.mark.engine
@pytest.mark.parametrize("text", ["a " * 100, "\x00", '"', "'", "\\", "(", DIGITS[:200], "é\u202e"])
def test_any_other_search_has_an_answer(text: str, visitor: ApiClient) -> None:
    assert visitor.get(ENTRIES, q=text).status_code == 200


@pytest.mark.engine
@pytest.mark.parametrize("path", LISTS)
def test_every_link_of_the_filters_works(path: str, visitor: ApiClient) -> None:
    make_user("carol")
    page = visitor.get(path).content.decode()
    # The links of the filters, without the one of the sign-out and of the skip link.
    links = [unescape(link) for link in re.findall(r'href="(\?[^"]*)"', page)]
    assert links
    assert {link: visitor.client.get(path + link).status_code for link in links} == dict.fromkeys(links, 200)


@pytest.mark.thorough
@pytest.mark.parametrize("path", [USERS, RUNS, ENTRIES, "/admin/django_q/success/"])
@pytest.mark.parametrize("view", ["change", "history", "delete"])
def test_an_id_that_no_row_has_leads_elsewhere(path: str, view: str, visitor: ApiClient) -> None:
    rows = [DIGITS, "9" * 30, "-1", "x", "_5B", "_", "_00", "%00", "%ff", "%ed%a0%80", "1.5"]
    answers = {visitor.client.get(f"{path}{row}/{view}/", follow=True).status_code for row in rows}
    assert answers <= {200, 403, 404}


@pytest.mark.thorough
@pytest.mark.parametrize("row", [DIGITS, "9" * 30, "%00", "x"])
def test_no_row_has_a_page_outside_of_the_site(row: str, visitor: ApiClient) -> None:
    kinds = [*ContentType.objects.values_list("pk", flat=True), DIGITS, "x"]
    assert {visitor.client.get(f"/admin/r/{kind}/{row}/").status_code for kind in kinds} == {404}


@pytest.mark.parametrize("chosen", [DIGITS, "9" * 30, "x", "", "\x00", "1.5", "-1"])
def test_an_action_on_what_is_no_id_is_refused(chosen: str, visitor: ApiClient) -> None:
    fields = {"_csrf": visitor.token, "action": "disable", "_selected_action": chosen}
    assert visitor.client.post(reverse("admin:accounts_user_changelist"), fields).status_code == 400


@pytest.mark.parametrize("index", [DIGITS, "-5", "x"])
def test_an_action_of_an_unknown_form_changes_nothing(index: str, alice: User, visitor: ApiClient) -> None:
    fields = {"_csrf": visitor.token, "action": "disable", "_selected_action": alice.pk, "index": index}
    assert visitor.client.post(USERS, fields).status_code in (200, 302)
