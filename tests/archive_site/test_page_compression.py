"""Compression of pages: docs/decisions/web.md#compression."""

import gzip
import re

import pytest

from accounts.credentials import credential
from accounts.models import User
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(alice: User) -> ApiClient:
    return ApiClient.signed_in(alice)


def page(visitor: ApiClient, path: str = "/records", accepted: str = "gzip") -> tuple[dict[str, str], bytes]:
    answer = visitor.client.get(path, headers={"Accept-Encoding": accepted})
    return dict(answer.headers), answer.content


@pytest.mark.parametrize("path", ["/", "/records", "/?model=glm"])
def test_a_page_is_compressed_for_who_accepts_it(visitor: ApiClient, path: str) -> None:
    headers, content = page(visitor, path)
    assert (headers["Content-Encoding"], headers["Content-Length"]) == ("gzip", str(len(content)))
    assert "Accept-Encoding" in headers["Vary"]
    assert b"</html>" in gzip.decompress(content)


@pytest.mark.parametrize("accepted", ["", "identity", "gzip;q=0", "br"])
def test_who_does_not_accept_it_gets_the_page_as_it_is(visitor: ApiClient, accepted: str) -> None:
    headers, content = page(visitor, accepted=accepted)
    assert "Content-Encoding" not in headers
    assert "Accept-Encoding" in headers["Vary"]
    assert b"</html>" in content


def test_the_token_differs_in_each_answer(visitor: ApiClient) -> None:
    pages = [gzip.decompress(page(visitor)[1]).decode() for _ in range(2)]
    tokens = [set(re.findall(r'(?:WB_CSRF = |name="_csrf" value=)"(\w+)"', text)) for text in pages]
    assert all(tokens)
    assert not tokens[0] & tokens[1]


def test_an_empty_overview_shows_no_setting_that_could_be_guessed(visitor: ApiClient, alice: User) -> None:
    """The first steps of an empty archive have the state of the cookie."""
    credential.store(alice.pk, "session=secret-that-ends-wxyz")
    assert b"secret" not in gzip.decompress(page(visitor, "/")[1])


def test_the_length_of_a_page_varies_at_random(visitor: ApiClient) -> None:
    assert len({len(page(visitor)[1]) for _ in range(20)}) > 5


@pytest.mark.parametrize("path", ["/api/settings", "/api/credential", "/logs/tail", "/healthz"])
def test_other_answers_are_left_as_they_are(root: User, path: str) -> None:
    answer = ApiClient.signed_in(root).client.get(path, headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in answer.headers
