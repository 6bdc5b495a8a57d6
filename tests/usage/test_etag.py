"""Conditional answers of the reads: docs/api.md#conditional-reads."""

import pytest
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django_ratelimit import core as ratelimit

from accounts.models import User
from archive_site.lib.http import rate_limits
from tests.factories import ApiClient
from tests.usage.conditional_reads import READS, ApiOf, address, asked, tag_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]
NEVER = ["status", "settings"]


# 304.


@pytest.mark.parametrize("path", READS)
def test_an_answer_that_the_client_has_is_304_without_a_body(archived: User, api_of: ApiOf, path: str) -> None:
    visitor = api_of(archived)
    first = asked(visitor, path)
    again = asked(visitor, path, first.headers["ETag"])
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    for response in (first, again):
        assert response.headers["ETag"].startswith('W/"')
        assert response.headers["Cache-Control"] == "private, no-cache"
        assert {"Cookie", "Accept-Encoding"} <= set(response.headers["Vary"].split(", "))


@pytest.mark.parametrize("path", READS)
def test_head_has_the_same_tag_and_is_304_too(archived: User, api_of: ApiOf, path: str) -> None:
    visitor = api_of(archived)
    head = visitor.client.head(address(path))
    assert (head.status_code, head.content, head.headers["ETag"]) == (200, b"", tag_of(visitor, path))
    again = visitor.client.head(address(path), headers={"If-None-Match": head.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("form", ["{}", '"other", {}', "*"])
def test_any_of_several_tags_will_do(archived: User, api_of: ApiOf, form: str) -> None:
    visitor = api_of(archived)
    assert asked(visitor, "dims", form.format(tag_of(visitor, "dims"))).status_code == 304


def test_any_tag_at_all_is_one_only_of_what_there_is(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    assert visitor.client.get("/api/records/nope", headers={"If-None-Match": "*"}).status_code == 404
    assert visitor.client.get("/api/records/r1", headers={"If-None-Match": "*"}).status_code == 304


@pytest.mark.parametrize("tag", ['"other"', 'W/"other"', "nonsense", ""])
def test_another_tag_is_answered_in_full(archived: User, api_of: ApiOf, tag: str) -> None:
    assert asked(api_of(archived), "dims", tag).json()["model"]


@pytest.mark.parametrize("path", NEVER)
def test_what_is_computed_anew_each_time_has_no_tag(archived: User, api_of: ApiOf, path: str) -> None:
    response = asked(api_of(archived), path)
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("path", "number"), [*((path, 1) for path in READS[:6]), ("runs", 1), ("manifest", 4)])
def test_a_304_reads_no_rows(archived: User, api_of: ApiOf, path: str, number: int) -> None:
    # One query for the tag; a manifest needs three more, for the cookie, the settings and the choice of prompts.
    visitor = api_of(archived)
    tag = tag_of(visitor, path)
    with CaptureQueriesContext(connection) as captured:
        assert visitor.client.get(f"/api/{path}", headers={"If-None-Match": tag}).status_code == 304
    others = ("accounts_session", "accounts_user")
    own = [query["sql"] for query in captured.captured_queries if not any(name in query["sql"] for name in others)]
    assert len(own) == number, own
    assert not [query for query in own if "usage_record" in query or "usage_day" in query]


# Checks before the tag.


def use_up_reads(user: User, *, but: int) -> None:
    """Let an account have made all but `but` of its reads of the minute."""
    request = RequestFactory().get("/api/manifest")
    request.user = user
    for _ in range(240 - but):
        rate_limits.require_read_rate(request)


@pytest.mark.parametrize("path", READS)
def test_sign_in_and_limit_come_before_the_tag(
    archived: User, api_of: ApiOf, anonymous: ApiClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Limits count by clock minute, so no minute may end during the test.
    now = ratelimit.time.time()
    monkeypatch.setattr(ratelimit.time, "time", lambda: now)
    visitor = api_of(archived)
    tag = tag_of(visitor, path)
    assert asked(anonymous, path, tag).status_code == 401
    use_up_reads(archived, but=1)
    response = asked(visitor, path, tag)
    assert (response.status_code, "ETag" in response.headers) == (429, False)


@pytest.mark.parametrize("path", ["summary", "daily", "dims", "top", "records", "bundle"])
def test_a_bad_date_is_400_whatever_tag_is_sent(archived: User, api_of: ApiOf, path: str) -> None:
    response = asked(api_of(archived), path, "*", to="soon")
    assert (response.status_code, response.headers["Cache-Control"]) == (400, "no-store")
    assert "ETag" not in response.headers


@pytest.mark.parametrize("path", ["records/none", "runs/0"])
def test_what_is_not_there_has_no_tag(archived: User, api_of: ApiOf, path: str) -> None:
    response = asked(api_of(archived), path)
    assert (response.status_code, "ETag" in response.headers) == (404, False)
