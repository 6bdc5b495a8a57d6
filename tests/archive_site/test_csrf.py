"""The CSRF check of a POST: header and form field, with HTTPS and without (docs/api.md#csrf)."""

from typing import Any

import pytest

from tests.factories import ApiClient

pytestmark = pytest.mark.django_db
PATH = "/api/settings"
HERE, ELSEWHERE = "https://testserver", "https://elsewhere.example.org"


def with_header(visitor: ApiClient, token: str | None = None, **headers: str) -> Any:
    """A JSON body over HTTPS with the token in the header."""
    sent = {"X-CSRF-Token": visitor.token if token is None else token, **headers}
    return visitor.client.post(PATH, {}, content_type="application/json", secure=True, headers=sent)


def with_field(visitor: ApiClient, field: str = "_csrf", **headers: str) -> Any:
    """A form over HTTPS with the token in a field."""
    return visitor.client.post(PATH, {field: visitor.token}, secure=True, headers=headers)


def refusal(response: Any) -> str:
    body = response.json()
    assert (response.status_code, body["ok"], body["error"]) == (400, False, "bad_request")
    return str(body["message"])


def test_over_https_the_header_alone_is_enough(member: ApiClient) -> None:
    assert with_header(member).status_code == 200


def test_behind_a_proxy_that_ends_tls_the_header_alone_is_enough(member: ApiClient, settings: Any) -> None:
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    assert member.post(PATH, **{"X-Forwarded-Proto": "https"}).status_code == 200


def test_without_https_the_header_alone_is_enough(member: ApiClient) -> None:
    assert member.post(PATH).status_code == 200


def test_beside_the_header_no_referer_is_looked_at(member: ApiClient) -> None:
    assert with_header(member, Referer=f"{ELSEWHERE}/").status_code == 200


@pytest.mark.parametrize("token", ["", "x", "x" * 32, "x" * 64, "\xe9" * 32])
@pytest.mark.parametrize("headers", [{}, {"Origin": HERE}, {"Referer": f"{HERE}/"}])
def test_a_wrong_token_in_the_header_is_said_to_be_wrong(
    token: str, headers: dict[str, str], member: ApiClient
) -> None:
    assert refusal(with_header(member, token, **headers)) == "The CSRF token is wrong."


def test_a_refused_token_is_marked_in_a_header(member: ApiClient) -> None:
    answers = [with_header(member, "x" * 64), member.client.post(PATH)]
    del member.client.cookies["archive_csrf"]
    answers.append(with_header(member))
    assert [answer.headers.get("Archive-CSRF") for answer in answers] == ["refused"] * 3


def test_what_another_token_would_not_help_has_no_mark(member: ApiClient) -> None:
    wrong_value = member.post("/api/profile", {"email": "not an address"})
    answers = [wrong_value, with_header(member, Origin=ELSEWHERE), with_field(member, Referer=f"{ELSEWHERE}/")]
    assert [(answer.status_code, "Archive-CSRF" in answer.headers) for answer in answers] == [(400, False)] * 3


@pytest.mark.parametrize("secure", [True, False])
def test_a_missing_token_is_said_to_be_missing(secure: bool, member: ApiClient) -> None:
    for kind in ("application/json", "application/x-www-form-urlencoded"):
        assert "token is missing" in refusal(member.client.post(PATH, "", content_type=kind, secure=secure))


def test_a_missing_cookie_of_the_token_is_said_to_be_missing(member: ApiClient) -> None:
    del member.client.cookies["archive_csrf"]
    assert refusal(with_header(member)) == "The cookie of the CSRF token is missing."


@pytest.mark.parametrize("origin", [ELSEWHERE, "http://testserver", "null", "https://testserver.example.org"])
def test_a_foreign_origin_is_refused_beside_the_right_token(origin: str, member: ApiClient) -> None:
    assert "another origin" in refusal(with_header(member, Origin=origin))
    assert "another origin" in refusal(with_field(member, Origin=origin))


def test_a_token_that_is_missing_or_wrong_is_400_before_authentication(anonymous: ApiClient) -> None:
    assert with_header(anonymous, "x" * 32).status_code == 400
    assert with_field(anonymous).status_code == 400
    assert with_header(anonymous).status_code == 401


@pytest.mark.parametrize("field", ["_csrf", "csrfmiddlewaretoken"])
def test_a_form_over_https_needs_to_say_where_it_comes_from(field: str, member: ApiClient) -> None:
    assert "Referer or Origin" in refusal(with_field(member, field))
    assert "Referer or Origin" in refusal(with_field(member, field, Referer=f"{ELSEWHERE}/"))
    assert "Referer or Origin" in refusal(with_field(member, field, Referer="http://testserver/"))


@pytest.mark.parametrize("headers", [{"Origin": HERE}, {"Referer": f"{HERE}/config"}])
def test_a_form_of_this_origin_is_taken(headers: dict[str, str], member: ApiClient) -> None:
    assert with_field(member, **headers).status_code == 200


def test_no_other_origin_is_given_leave_to_send_the_header(member: ApiClient) -> None:
    asked = {"Origin": ELSEWHERE, "Access-Control-Request-Method": "POST"}
    answer = member.client.options(PATH, headers={**asked, "Access-Control-Request-Headers": "x-csrf-token"})
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


def test_a_page_says_that_the_request_comes_from_elsewhere(anonymous: ApiClient) -> None:
    response = anonymous.client.post("/login", {"_csrf": anonymous.token}, headers={"Origin": ELSEWHERE})
    assert response.status_code == 400
    assert "another origin" in response.content.decode()
