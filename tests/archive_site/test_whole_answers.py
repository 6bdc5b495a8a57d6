"""Answers that are made whole, large ones in a file (docs/decisions/records.md#large-answers-in-pieces)."""

import gzip
import json
import weakref
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from django.http import FileResponse, HttpResponse, HttpResponseBase

from archive_site.lib.http import whole_answers
from archive_site.lib.http.answer_types import Answer
from archive_site.lib.http.compression import in_gzip
from archive_site.lib.http.json_views import json_pieces
from archive_site.lib.http.whole_answers import whole_answer

# The end of an answer looks at the connections of its thread.
pytestmark = pytest.mark.django_db


class Name(Answer, frozen=True):
    name: str


def content(response: HttpResponseBase) -> bytes:
    if isinstance(response, HttpResponse):
        return response.content
    assert isinstance(response, FileResponse)
    return b"".join(response)


@pytest.fixture(autouse=True)
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_answers, "IN_MEMORY", 10)


@pytest.mark.parametrize(
    ("pieces", "kind"), [([b"12345", b"67890"], HttpResponse), ([b"12345", b"678901"], FileResponse)]
)
def test_a_large_one_is_in_a_file(pieces: list[bytes], kind: type) -> None:
    response = whole_answer(pieces, "text/csv", status=201)
    assert isinstance(response, kind)
    assert (response.status_code, response.headers["Content-Type"]) == (201, "text/csv")
    assert int(response.headers["Content-Length"]) == len(b"".join(pieces))
    assert "Content-Disposition" not in response.headers
    assert content(response) == b"".join(pieces)
    response.close()


def test_no_piece_is_kept() -> None:
    class Watched:
        def __init__(self, number: int):
            self.text = str(number) * 10

    made: list[weakref.ref[Watched]] = []

    def pieces() -> Iterator[bytes]:
        for number in range(5):
            assert not any(before() for before in made)
            watched = Watched(number)
            made.append(weakref.ref(watched))
            yield watched.text.encode()
            del watched

    whole_answer(pieces(), "text/plain").close()
    assert len(made) == 5


def test_a_failure_is_raised_before_anything_is_answered() -> None:
    def broken() -> Iterator[bytes]:
        yield b"x" * 20
        raise LookupError

    with pytest.raises(LookupError):
        whole_answer(broken(), "text/plain")


@pytest.mark.parametrize("number", [0, 1, 19, 20, 21, 250])
def test_a_list_that_is_made_while_it_is_written_reads_like_any_other(number: int) -> None:
    names = [Name(f"{place}") for place in range(number)]
    body: dict[str, Any] = {"before": 1, "names": iter(names), "after": [2]}
    plain = {"before": 1, "names": [{"name": one.name} for one in names], "after": [2]}
    assert b"".join(json_pieces(body)).decode() == json.dumps(plain)


@pytest.mark.parametrize(
    ("pieces", "is_packed"), [([b"a" * 1023], False), ([b"a" * 1000, b"b" * 24, b"c"], True), ([], False)]
)
def test_compression_reads_piece_by_piece(pieces: Iterable[bytes], is_packed: bool) -> None:
    packed, found = in_gzip(iter(pieces))
    assert found == is_packed
    joined = b"".join(packed)
    assert (gzip.decompress(joined) if is_packed else joined) == b"".join(pieces)
