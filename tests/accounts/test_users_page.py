"""GET /users: the accounts of the instance, for administrators (docs/api.md#users)."""

from collections.abc import Callable

import pytest
from pytest_django import DjangoAssertNumQueries

from accounts.models import User
from archive_site.lib import clock
from tests.factories import PASSWORD, ApiClient, further_archive
from tests.query_counts import SESSION
from tests.usage.record_factories import archive, call
from usage.models import DayTotal

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db


def page_of(visitor: ApiClient) -> str:
    return str(visitor.get("/users").content, "utf-8")


def row_of(page: str, user: User) -> str:
    return page.split(f'<tr data-id="{user.pk}"')[1].split("</tr>")[0]


def test_anonymous_visitors_are_led_to_the_sign_in(anonymous: ApiClient) -> None:
    response = anonymous.get("/users")
    assert (response.status_code, response.headers["Location"]) == (302, "/login?next=/users")


def test_an_ordinary_user_gets_the_403_page(alice: User, root: User, api_of: ApiOf) -> None:
    response = api_of(alice).get("/users")
    assert response.status_code == 403
    page = response.content.decode()
    assert "Only an administrator may see this." in page
    assert "root" not in page
    assert '<a href="/profile">Profile</a>' in page


def test_only_administrators_are_led_there_by_the_menu(alice: User, root: User, api_of: ApiOf) -> None:
    assert '<a href="/users">Accounts</a>' in api_of(root).get("/config").content.decode()
    assert 'href="/users"' not in api_of(alice).get("/config").content.decode()


def test_an_account_is_listed_with_all_its_columns(alice: User, root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    now = clock.now()
    fields = {"display_name": "Alice L.", "email": "alice@example.org", "last_login_ip": "192.0.2.7"}
    User.objects.filter(pk=alice.pk).update(**fields, status="disabled", last_login_at=now, login_count=41)
    row = row_of(page_of(visitor), alice)
    expected = ["alice", *fields.values(), "Ordinary account", "disabled", (clock.local_text(now) or "")[:16], ">41<"]
    assert [text for text in expected if text not in row] == []


def test_who_never_signed_in_is_shown_as_such(alice: User, root: User, api_of: ApiOf) -> None:
    assert "never" in row_of(page_of(api_of(root)), alice)


def test_another_account_can_be_edited_and_deleted(alice: User, root: User, api_of: ApiOf) -> None:
    row = row_of(page_of(api_of(root)), alice)
    assert 'aria-label="Edit alice"' in row
    assert 'aria-label="Delete alice"' in row
    assert ">you<" not in row


def test_the_own_row_says_so_and_offers_no_deletion(alice: User, root: User, api_of: ApiOf) -> None:
    row = row_of(page_of(api_of(root)), root)
    assert ">you<" in row
    assert "data-own" in row
    assert "Delete" not in row


def test_a_single_account_is_shown_how_others_come(root: User, api_of: ApiOf) -> None:
    page = page_of(api_of(root))
    assert "Yours is the only account" in page
    assert 'href="/config/instance#allow_register"' in page


def test_with_a_second_account_nothing_says_how_others_come(alice: User, root: User, api_of: ApiOf) -> None:
    assert "Yours is the only account" not in page_of(api_of(root))


def test_names_are_escaped(alice: User, root: User, api_of: ApiOf) -> None:
    User.objects.filter(pk=alice.pk).update(display_name='"><script>alert(1)</script>')
    assert "<script>alert" not in page_of(api_of(root))


def test_no_hash_of_a_password_is_on_the_page(alice: User, root: User, api_of: ApiOf) -> None:
    page = page_of(api_of(root))
    assert PASSWORD not in page
    assert alice.password not in page


def test_the_page_has_no_inline_style_or_handler(alice: User, root: User, api_of: ApiOf) -> None:
    page = page_of(api_of(root))
    assert " style=" not in page
    assert " onclick=" not in page


def test_the_number_of_queries_does_not_grow_with_the_accounts(
    root: User, api_of: ApiOf, django_assert_max_num_queries: Callable[[int], object]
) -> None:
    visitor = api_of(root)
    User.objects.bulk_create(User(username=f"u{n}", username_key=f"u{n}", display_name=f"u{n}") for n in range(30))
    with django_assert_max_num_queries(SESSION + 17):  # type: ignore[attr-defined]
        page_of(visitor)


def test_each_account_is_listed_with_its_number_of_records(
    alice: User, bob: User, root: User, api_of: ApiOf, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    visitor = api_of(root)
    archive(alice, call("a", ts="2026-09-07 12:00:00"), call("b", ts="2026-09-08 12:00:00"))
    archive(bob, call("a"))
    DayTotal.objects.filter(archive_id=bob.pk).update(calls=1234567)
    # Account, accounts, their records and sizes with the owners of archives, the open invitations, and nine for the
    # notices of the frame.
    with django_assert_num_queries(SESSION + 17) as asked:
        page = page_of(visitor)
    cells = [row_of(page, user).partition("Records")[2].partition("</td>")[0] for user in (alice, bob, root)]
    assert [cell.partition(">")[2].partition("<")[0] for cell in cells] == ["2", "1,234,567", "0"]
    # One sum over the rollup for all accounts, and one of erased calls; no record is counted.
    of_archives = [query["sql"] for query in asked.captured_queries if "usage_" in query["sql"]]
    records, erased, sizes = [query for query in of_archives if "usage_coverageday" not in query]
    assert ("usage_daytotal" in records, "usage_erasedsums" in erased, "usage_dataversion" in sizes) == (True,) * 3


def test_further_archives_count_with_the_first(alice: User, bob: User, root: User, api_of: ApiOf) -> None:
    archive(alice, call("a"))
    archive(further_archive(alice), call("a"), call("b"))
    archive(further_archive(bob), call("a"))
    page = page_of(api_of(root))
    cells = [row_of(page, user).partition("Records")[2].partition("</td>")[0] for user in (alice, bob, root)]
    assert [cell.partition(">")[2].partition("<")[0] for cell in cells] == ["3", "1", "0"]


def test_each_account_is_shown_with_what_it_stores(alice: User, bob: User, root: User, api_of: ApiOf) -> None:
    archive(alice, call("a", prompt="x" * 1_235_000), max_prompt=2_000_000)
    page = page_of(api_of(root))
    sizes = [row_of(page, user).partition('"under">')[2].partition("<")[0] for user in (alice, bob)]
    assert sizes == ["1.2 MB", ""]


def test_a_post_is_405(root: User, api_of: ApiOf) -> None:
    assert api_of(root).post("/users").status_code == 405
