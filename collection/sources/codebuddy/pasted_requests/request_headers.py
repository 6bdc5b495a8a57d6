"""The headers of a request or an answer, as browsers copy them: raw, or name and value on lines of their own."""

import re
from collections.abc import Iterator

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, Form, host_of, of_headers

_REQUEST_LINE = re.compile(
    r"[A-Z]{3,10}[ ](?:/|\*|https?://)\S*(?:[ ](?:HTTP/[0-9.]+|h[23]))?[ \t]*(?:\r?\n|\Z)", re.IGNORECASE
)
_STATUS_LINE = re.compile(r"HTTP/[0-9.]+[ ][1-5][0-9]{2}\b[^\n]*(?:\n|\Z)", re.IGNORECASE)
_FIRST_NAME = re.compile(r":(?:authority|method|path|scheme)\b")
_SET_COOKIE = re.compile(r"set-cookie:[ \t]*\S", re.IGNORECASE)
# A header of one line may as well be a cookie that is stored as it is.
_FIRST_OF_LINES = re.compile(r"[A-Za-z][\w.-]*(?::[ \t]*\S[^\n]*|:?[ \t]*\r?)\n")
_HEADER = re.compile(r"(:?[A-Za-z][\w.-]*):(.*)")
_COOKIE = re.compile(r"cookie:[ \t]*\S", re.IGNORECASE)
_EMPTY_LINE = re.compile(r"\n\s*\n")


def _begins(text: str) -> object:
    return _is_begin_of_request(text) or _SET_COOKIE.match(text) or _FIRST_OF_LINES.match(text)


def _is_begin_of_request(text: str) -> object:
    return _first_line(text) or _FIRST_NAME.match(text)


def _first_line(text: str) -> object:
    return _REQUEST_LINE.match(text) or _STATUS_LINE.match(text)


def _requests(text: str, _: str) -> Iterator[CopiedRequest]:
    for number, lines in enumerate(_parts(text)):
        # Behind an empty line there is the body, or another request.
        if number and not _is_begin_of_request(f"{lines[0]}\n"):
            continue
        headers = list(_headers(_without_request_line(lines)))
        hosts = [value for name, value in headers if name.lower() in ("host", ":authority")]
        yield of_headers(host_of(f"https://{hosts[0].strip()}") if hosts else "", headers)


def _parts(text: str) -> list[list[str]]:
    """The lines between empty ones; of names and values on lines of their own, an empty one may be a value."""
    parts = list[list[str]]()
    lacks_value = False
    for part in _EMPTY_LINE.split(text):
        lines = part.splitlines() or [""]
        if lacks_value:
            parts[-1] += ["", *lines]
            lacks_value = len(lines) % 2 == 1
        else:
            parts.append(lines)
            headers = _without_request_line(lines)
            lacks_value = len(headers) % 2 == 1 and not _are_on_one_line(headers)
    return parts


def _without_request_line(lines: list[str]) -> list[str]:
    return lines[1:] if _first_line(lines[0]) else lines


def _are_on_one_line(lines: list[str]) -> bool:
    """Whether each line has a name and a value, though the first value may be empty."""
    first = _HEADER.match(lines[0]) if lines else None
    return bool(first and (first[2].strip() or any(map(_COOKIE.match, lines))))


def _headers(lines: list[str]) -> Iterator[tuple[str, str]]:
    if _are_on_one_line(lines):
        yield from _headers_on_one_line(lines)
        return
    for name, value in zip(lines[::2], lines[1::2], strict=False):
        yield name.strip().removesuffix(":"), value.strip()


def _headers_on_one_line(lines: list[str]) -> Iterator[tuple[str, str]]:
    name = ""
    for line in lines:
        if header := _HEADER.match(line):
            name = header[1]
            yield name, header[2].strip()
        elif name.lower() == "cookie":
            # A part of the cookie is better refused than lost.
            raise ValueError(Message("pasted_text_cut_off"))


FORM = Form(_begins, _requests)
