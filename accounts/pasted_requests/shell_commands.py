"""The requests of command lines: for each call of a program, its URL and the headers among its words."""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from accounts.pasted_requests.copied_request import CopiedRequest, host_of, of_headers
from accounts.pasted_requests.shell_words import words

_WITHOUT_SCHEME = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#].*)?", re.DOTALL)
_HEADER = re.compile(r"\s*([^\s:=]+)\s*:(.*)", re.DOTALL)


@dataclass(frozen=True)
class Program:
    """The names of a program, and its options that have a value: `header`, the name of a header, or empty for others.

    `takes_headers` means that words of the form `Name:value` are headers.
    """

    names: Collection[str]
    options: Mapping[str, str] = field(default_factory=dict)
    takes_headers: bool = False


def requests_of(line: str, program: Program) -> Iterator[CopiedRequest]:
    """The requests of each call of the program in a line. Raises ValueError with a message if the line is cut off."""
    remaining = words(line)
    host, headers = "", list[tuple[str, str]]()
    for word in remaining:
        if word.lower() in program.names:
            yield of_headers(host, headers)
            host, headers = "", []
        elif option := _option(word, program):
            kind, value = option
            headers += _headers_of(kind, next(remaining, "") if value is None else value)
        elif url_host := host_of(word) or (host_of(f"https://{word}") if _WITHOUT_SCHEME.fullmatch(word) else ""):
            host = host or url_host
        elif program.takes_headers:
            headers += _headers_of("header", word)
    yield of_headers(host, headers)


def _option(word: str, program: Program) -> tuple[str, str | None] | None:
    """What the value of an option is, and the value unless it is the next word."""
    options = program.options
    if word in options:
        return options[word], None
    name, sign, value = word.partition("=")
    if sign and name.startswith("--") and name in options:
        return options[name], value
    return (options[word[:2]], word[2:]) if word[:2] in options else None


def _headers_of(kind: str, value: str) -> list[tuple[str, str]]:
    if kind == "header":
        found = _HEADER.match(value)
        return [(found[1], found[2])] if found else []
    # As a cookie, a value without "=" is the name of a file.
    return [(kind, value)] if kind and (kind != "cookie" or "=" in value) else []
