"""Compression of the reads: docs/api.md#conditional-reads."""

import gzip
import json
import re
from typing import Any

import pytest
from django.conf import settings

from accounts.models import User
from tests.factories import ApiClient
from tests.usage.conditional_reads import ApiOf, asked, tag_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


def compressed(visitor: ApiClient, path: str, **headers: str) -> Any:
    return visitor.client.get(path, headers={"Accept-Encoding": "br, gzip", **headers})


def test_a_long_answer_is_compressed_for_who_accepts_it(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    plain, packed = visitor.get("/api/dims"), compressed(visitor, "/api/dims")
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Content-Length"] == str(len(packed.content))
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip;q=0", ""),
        ("br, gzip; q=0.0", ""),
        ("gzip;q=0, identity", ""),
        ("gzip;q=0.5", "gzip"),
        ("gzip, br;q=0", "gzip"),
    ],
)
def test_who_refuses_to_have_it_compressed_gets_it_as_it_is(
    accepted: str, coding: str, archived: User, api_of: ApiOf
) -> None:
    answer = api_of(archived).client.get("/api/dims", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding", "") == coding


def test_the_tag_holds_for_both_encodings(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    packed = compressed(visitor, "/api/dims")
    assert packed.headers["ETag"] == tag_of(visitor, "dims")
    assert asked(visitor, "dims", packed.headers["ETag"]).status_code == 304
    assert compressed(visitor, "/api/dims", **{"If-None-Match": packed.headers["ETag"]}).status_code == 304


def test_a_short_answer_is_left_as_it_is(archived: User, api_of: ApiOf) -> None:
    response = compressed(api_of(archived), "/api/summary")
    assert len(response.content) < 1024
    assert "Content-Encoding" not in response.headers
    assert json.loads(response.content)["calls"] == 2


@pytest.mark.parametrize("path", ["/api/settings", "/api/profile", "/api/status"])
def test_no_answer_with_a_setting_is_compressed(archived: User, api_of: ApiOf, path: str) -> None:
    assert "Content-Encoding" not in compressed(api_of(archived), path).headers


@pytest.mark.parametrize("path", ["/", "/profile", "/config"])
def test_a_page_is_compressed_and_its_token_is_masked_anew(archived: User, api_of: ApiOf, path: str) -> None:
    visitor = api_of(archived)
    first, again = (compressed(visitor, path) for _ in range(2))
    assert first.headers["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in first.headers["Vary"]
    texts = [gzip.decompress(answer.content).decode() for answer in (first, again)]
    tokens = [re.findall(r'WB_CSRF = "(\w+)"', text)[0] for text in texts]
    assert tokens[0] != tokens[1]
    cookie = visitor.client.cookies["archive_csrf"].value
    assert not any(cookie in text for text in texts)


def test_a_page_is_whole_for_who_refuses_to_have_it_compressed(archived: User, api_of: ApiOf) -> None:
    answer = api_of(archived).client.get("/", headers={"Accept-Encoding": "gzip;q=0"})
    assert "Content-Encoding" not in answer.headers
    assert b"</html>" in answer.content


def test_no_middleware_compresses() -> None:
    assert not [name for name in settings.MIDDLEWARE if "gzip" in name.lower()]
