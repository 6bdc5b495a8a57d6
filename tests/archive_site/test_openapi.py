"""GET /api/openapi.json and the page /api/docs (docs/api.md#openapi-description)."""

from collections.abc import Callable

import pytest

from accounts.models import User
from archive_site.lib.http import openapi
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
Api = Callable[[User], ApiClient]


def test_every_account_reads_the_document(api_of: Api, alice: User, root: User) -> None:
    answers = [api_of(user).get("/api/openapi.json") for user in (alice, root)]
    assert [answer.json() for answer in answers] == [openapi.document()] * 2
    assert answers[0].json()["openapi"] == "3.1.0"


def test_a_visitor_reads_no_document(anonymous: ApiClient) -> None:
    assert anonymous.get("/api/openapi.json").status_code == 401
    assert anonymous.get("/api/docs").headers["Location"] == "/login?next=/api/docs"


def test_its_page_is_in_english_for_who_names_no_language(api_of: Api, alice: User) -> None:
    page = api_of(alice).get("/api/docs")
    assert (page.status_code, '<html lang="en"' in page.content.decode()) == (200, True)


def test_a_reader_who_has_it_gets_no_second_copy(api_of: Api, alice: User) -> None:
    api = api_of(alice)
    tag = api.get("/api/openapi.json").headers["ETag"]
    assert api.client.get("/api/openapi.json", headers={"If-None-Match": tag}).status_code == 304


def test_it_is_in_english_whatever_language_asks_first(api_of: Api, alice: User) -> None:
    openapi.document_json.cache_clear()
    alice.language = "zh-hans"
    alice.save()
    text = api_of(alice).get("/api/openapi.json").content.decode()
    assert "The User-Agent of the browser" in text


def test_the_document_is_made_at_the_first_request_only(api_of: Api, alice: User) -> None:
    openapi.document_json.cache_clear()
    api = api_of(alice)
    for _ in range(2):
        api.get("/api/openapi.json")
    assert openapi.document_json.cache_info().misses == 1
