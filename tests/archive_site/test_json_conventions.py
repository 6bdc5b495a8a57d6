"""The conventions of every path under /api/, and of refusals elsewhere: docs/api.md#conventions."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import RequestFactory

from accounts.models import User
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.json_views import body_of, error_response, json_pieces
from tests.archive_site.api_answers import refusal
from tests.factories import ApiClient

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
MEGABYTE = 1024 * 1024


def post_without_token(visitor: ApiClient, path: str) -> Any:
    return visitor.client.post(path, {}, content_type="application/json")


@pytest.mark.parametrize("path", ["/api/settings", "/api/summary", "/api/nothing", "/api/", "/api/a/b/c"])
def test_a_post_without_the_token_is_400_before_anything_else(
    path: str, anonymous: ApiClient, member: ApiClient
) -> None:
    assert refusal(post_without_token(anonymous, path)) == (400, "bad_request")
    assert refusal(post_without_token(member, path)) == (400, "bad_request")


def test_a_wrong_token_is_400(member: ApiClient) -> None:
    member.token = "x" * 32
    assert refusal(member.post("/api/settings")) == (400, "bad_request")


def test_a_token_of_another_visitor_is_400(member: ApiClient) -> None:
    member.token = ApiClient().token
    assert refusal(member.post("/api/settings")) == (400, "bad_request")


@pytest.mark.parametrize("path", ["/api/settings", "/api/summary", "/api/nothing", "/api/", "/api/a/b/c"])
def test_anonymous_is_401_before_path_and_method_are_looked_at(path: str, anonymous: ApiClient) -> None:
    assert refusal(anonymous.get(path)) == (401, "unauthorized")
    assert refusal(anonymous.post(path)) == (401, "unauthorized")


@pytest.mark.parametrize("path", ["/api/nothing", "/api/", "/api/summary/", "/api/a%00b", "/api/%ff"])
def test_an_unknown_path_is_404_once_signed_in(path: str, member: ApiClient) -> None:
    assert refusal(member.get(path)) == (404, "not_found")
    assert refusal(member.post(path)) == (404, "not_found")


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_an_unknown_path_is_404_by_any_method(method: str, member: ApiClient) -> None:
    send = getattr(member.client, method)
    assert refusal(send("/api/nothing", headers={"X-CSRF-Token": member.token})) == (404, "not_found")


@pytest.mark.parametrize(("path", "allowed"), [("/api/summary", "GET, HEAD"), ("/api/settings", "GET, HEAD, POST")])
def test_another_method_is_405_and_says_which_are_allowed(path: str, allowed: str, member: ApiClient) -> None:
    response = member.client.delete(path, headers={"X-CSRF-Token": member.token})
    assert refusal(response) == (405, "method_not_allowed")
    assert response.headers["Allow"] == allowed


def test_a_path_for_posts_alone_refuses_reads(member: ApiClient) -> None:
    response = member.get("/api/collect")
    assert (response.status_code, response.headers["Allow"]) == (405, "POST")


def test_a_head_request_counts_as_a_read(member: ApiClient) -> None:
    response = member.client.head("/api/summary")
    assert (response.status_code, response.content) == (200, b"")


@pytest.mark.usefixtures("more_routes")
def test_a_path_for_administrators_is_403_for_others(member: ApiClient, root: User, api_of: ApiOf) -> None:
    assert refusal(member.get("/api/admins")) == (403, "forbidden")
    assert api_of(root).get("/api/admins").json() == {"ok": True}


@pytest.mark.usefixtures("more_routes")
@pytest.mark.parametrize(("language", "words"), [("en", "First. Second."), ("zh-CN", "First.Second.")])
def test_a_refused_value_is_400_with_all_sentences(language: str, words: str, member: ApiClient) -> None:
    answer = member.client.get("/api/refuse", headers={"Accept-Language": language})
    assert (refusal(answer), answer.json()["message"]) == ((400, "bad_request"), words)


@pytest.mark.usefixtures("more_routes")
def test_the_role_is_asked_before_the_method(member: ApiClient) -> None:
    assert refusal(member.post("/api/admins")) == (403, "forbidden")


def test_the_field_of_a_form_stands_for_the_header(member: ApiClient) -> None:
    response = member.client.post("/api/settings", {"_csrf": member.token})
    assert response.json() == {"ok": True, "changed": [], "ignored": []}


def test_a_wrong_field_of_a_form_does_not_stand_for_the_header(member: ApiClient) -> None:
    assert refusal(member.client.post("/api/settings", {"_csrf": "x" * 32})) == (400, "bad_request")


@pytest.mark.usefixtures("more_routes")
@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b'"text"', b"1", b"null", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a":' * 100_000, b"9" * 5000]
    + [rb'"\ud800"', rb'["\ud800"]'],
)
def test_a_body_that_is_no_object_counts_as_an_empty_one(body: bytes, member: ApiClient) -> None:
    assert member.post("/api/echo", body).json() == {}


@pytest.mark.usefixtures("more_routes")
@pytest.mark.parametrize(
    "body",
    [rb'{"a": "\ud83d"}', rb'{"\udc00": 1}', rb'{"a": [{"b": "x\ud83d y"}]}', b'{"a": "\xed\xa0\x80"}'],
)
def test_a_body_with_half_of_a_character_is_400(body: bytes, member: ApiClient) -> None:
    assert refusal(member.post("/api/echo", body)) == (400, "bad_request")


@pytest.mark.usefixtures("more_routes")
def test_a_character_of_two_surrogates_is_whole(member: ApiClient) -> None:
    assert member.post("/api/echo", rb'{"a": "\ud83d\ude00"}').json() == {"a": "\U0001f600"}


@pytest.mark.usefixtures("more_routes")
def test_an_object_is_read_whatever_the_type_of_the_body_says(member: ApiClient) -> None:
    sent = member.client.post(
        "/api/echo", b'{"a": "\xc3\xa4"}', content_type="text/plain", headers={"X-CSRF-Token": member.token}
    )
    assert sent.json() == {"a": "ä"}


@pytest.mark.usefixtures("more_routes")
def test_a_form_with_files_counts_as_an_empty_object(member: ApiClient) -> None:
    response = member.client.post("/api/echo", {"a": "b"}, headers={"X-CSRF-Token": member.token})
    assert (response.status_code, response.json()) == (200, {})


@pytest.mark.usefixtures("more_routes")
def test_a_broken_form_with_files_is_400(member: ApiClient) -> None:
    response = member.client.post(
        "/api/echo", b"x", content_type="multipart/form-data", headers={"X-CSRF-Token": member.token}
    )
    assert refusal(response) == (400, "bad_request")


def test_answers_are_utf_8_json_and_kept_by_no_cache(member: ApiClient) -> None:
    for response in (member.get("/api/settings"), member.get("/api/nothing")):
        assert response.headers["Content-Type"] == "application/json"
        assert response.headers["Cache-Control"] == "no-store"


def test_a_body_up_to_the_limit_is_read(member: ApiClient) -> None:
    assert member.post("/api/settings", b" " * MEGABYTE).status_code == 200


def test_a_body_over_the_limit_is_413(member: ApiClient) -> None:
    assert refusal(member.post("/api/settings", b" " * (MEGABYTE + 1))) == (413, "too_large")


def test_a_body_of_unknown_length_is_411(member: ApiClient) -> None:
    """The limit of bodies needs their length: docs/api.md#body-limits."""
    response = member.post("/api/settings", b"", **{"Transfer-Encoding": "chunked"})
    assert refusal(response) == (411, "length_required")


def test_a_body_that_breaks_off_is_400(member: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_off(*size: int) -> bytes:
        raise OSError("the client went away")

    monkeypatch.setattr("django.test.client.FakePayload.read", break_off)
    assert refusal(member.post("/api/settings", b"{}"))[0] == 400


def test_a_body_over_the_limit_is_a_page_elsewhere(anonymous: ApiClient) -> None:
    response = anonymous.client.post("/login", {"username": "a" * 2 * MEGABYTE})
    assert (response.status_code, response.headers["Content-Type"]) == (413, "text/html; charset=utf-8")
    assert "1024 KiB" in response.content.decode()


def test_an_unknown_page_is_a_page(anonymous: ApiClient) -> None:
    response = anonymous.get("/nothing")
    assert (response.status_code, response.headers["Content-Type"]) == (404, "text/html; charset=utf-8")


@pytest.mark.parametrize(("path", "kind"), [("/api/summary", "application/json"), ("/login", "text/html")])
def test_another_hosts_name_is_400(path: str, kind: str, anonymous: ApiClient) -> None:
    response = anonymous.client.get(path, headers={"Host": "elsewhere.example.org"})
    assert response.status_code == 400
    assert response.headers["Content-Type"].startswith(kind)


def test_a_body_is_read_of_a_bare_request() -> None:
    request = RequestFactory().post("/", b'{"a": 1}', content_type="application/json")
    assert body_of(request) == {"a": 1}


@pytest.mark.parametrize("path", ["/api/status", "/api/summary", "/api/views"])
def test_an_answer_names_its_account(path: str, alice: User, bob: User, api_of: ApiOf) -> None:
    for person in (alice, bob):
        assert api_of(person).get(path).headers["Archive-Account"] == str(person.pk)


def test_an_answer_that_is_the_same_as_before_names_it_too(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    # The tag of days that may include today changes every minute.
    tag = visitor.get("/api/summary?to=2025-12-31").headers["ETag"]
    response = visitor.client.get("/api/summary?to=2025-12-31", headers={"If-None-Match": tag})
    assert (response.status_code, response.headers["Archive-Account"]) == (304, str(alice.pk))


def test_an_answer_to_nobody_names_none(anonymous: ApiClient) -> None:
    assert "Archive-Account" not in anonymous.get("/api/status").headers


def test_half_a_character_in_an_answer_is_a_question_mark() -> None:
    half = "a\ud800b"
    assert b"".join(json_pieces({half: half, "items": [half] * 200})).count(b"a?b") == 202
    response = error_response(ApiError(400, "bad_request", half))
    assert (response.status_code, response.content.count(b"a?b")) == (400, 1)
