"""Answers that are made whole, large ones in a file (docs/decisions/records.md#large-answers-in-pieces)."""

from collections.abc import Iterable
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile

from django.http import FileResponse, HttpResponse, HttpResponseBase

# Bytes of an answer that are kept in memory.
IN_MEMORY = 256 * 1024


class _FromFile(FileResponse):
    block_size = IN_MEMORY


def whole_answer(pieces: Iterable[bytes], content_type: str, *, status: int = 200) -> HttpResponseBase:
    """The answer with these bytes, with its length; no more than a piece and `IN_MEMORY` bytes are in memory at once.

    What goes wrong while a piece is made is raised here: nothing is answered yet.
    """
    with ExitStack() as unless_kept:
        kept = unless_kept.enter_context(SpooledTemporaryFile(IN_MEMORY))
        for piece in pieces:
            kept.write(piece)
        length = kept.tell()
        kept.seek(0)
        if length > IN_MEMORY:
            unless_kept.pop_all()
            return _FromFile(kept, content_type=content_type, status=status)
        content = kept.read()
    return HttpResponse(content, content_type=content_type, status=status, headers={"Content-Length": str(length)})
