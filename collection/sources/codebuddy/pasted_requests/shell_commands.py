"""The requests of command lines: for each call of a program, its URL and the headers among its words."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, host_of, of_headers
from collection.sources.codebuddy.pasted_requests.shell_words import words

_WITHOUT_SCHEME = re.compile(r"[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:[/?#].*)?", re.DOTALL)
_HEADER = re.compile(r"\s*([^\s:=]+)\s*:(.*)", re.DOTALL)
# Between commands.
_SEPARATORS = {";", "|", "||", "&", "&&"}


@dataclass(frozen=True)
class Program:
    """The names of a program, and all its options that have a value: `header`, `url`, the name of a header, or empty.

    `takes_headers` means that words of the form `Name:value` are headers.
    """

    names: Collection[str]
    options: Mapping[str, str]
    takes_headers: bool = False


def requests_of(line: str, program: Program) -> Iterator[CopiedRequest]:
    """The requests of each call of the program in a line. Raises ValueError with a message if the line is cut off."""
    remaining = words(line)
    urls, headers = list[str](), list[tuple[str, str]]()
    for word in remaining:
        if word.lower() in program.names or word in _SEPARATORS:
            yield of_headers(_host(urls), headers)
            urls, headers = [], []
        elif option := _option(word, program):
            kind, value = option
            value = next(remaining, "") if value is None else value
            urls += [value] if kind == "url" else []
            headers += _headers_of(kind, value)
        elif word.startswith("-"):
            continue
        elif host_of(word) or _WITHOUT_SCHEME.fullmatch(word):
            urls.append(word)
        elif program.takes_headers:
            headers += _headers_of("header", word)
    yield of_headers(_host(urls), headers)


def _host(urls: Iterable[str]) -> str:
    """The host of the first URL with a scheme, which no value of an option looks like; else of the first without."""
    without = (host_of(f"https://{url}") for url in urls if _WITHOUT_SCHEME.fullmatch(url))
    return next(filter(None, map(host_of, urls)), "") or next(filter(None, without), "")


def _option(word: str, program: Program) -> tuple[str, str | None] | None:
    """What the value of an option is, and the value unless it is the next word; None for options without a value."""
    options = program.options
    if word in options:
        return options[word], None
    name, sign, value = word.partition("=")
    if sign and name.startswith("--") and name in options:
        return options[name], value
    if word[:1] != "-" or word[:2] == "--":
        return None
    # As in -sSH: all letters but the last have no value.
    at = next((at for at, letter in enumerate(word) if f"-{letter}" in options), None)
    return (options[f"-{word[at]}"], word[at + 1 :] or None) if at else None


def _headers_of(kind: str, value: str) -> list[tuple[str, str]]:
    if kind == "header":
        found = _HEADER.match(value)
        return [(found[1], found[2])] if found else []
    # As a cookie, a value without "=" is the name of a file.
    return [(kind, value)] if kind and (kind != "cookie" or "=" in value) else []
