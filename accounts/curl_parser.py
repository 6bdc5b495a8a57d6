"""Reading a pasted cookie: a bare cookie, a Cookie header, or a copied request (docs/decisions.md#pasted-requests).

Browsers copy a request as cURL for bash or cmd, or as PowerShell. Error texts never repeat the pasted text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from archive_site.lib.stored_message import Message

LONGEST = 65_536


@dataclass(frozen=True)
class Pasted:
    """The value of a Cookie header, and the User-Agent pasted with it (empty if none); neither is checked."""

    cookie: str = field(repr=False)
    user_agent: str = field(default="", repr=False)


_CURL = re.compile(r"(?:\$\s+)?curl(?:\.exe)?\s", re.IGNORECASE)
_CMD = re.compile(r'curl(?:\.exe)?\s+\^?"', re.IGNORECASE)
_CMD_ESCAPE = re.compile(r'\^(?:["\r\n]|\s+-)')
_POWERSHELL = re.compile(r"Invoke-(?:WebRequest|RestMethod)\b|New-Object\s+Microsoft\.PowerShell", re.IGNORECASE)
_COOKIE_NAME = re.compile(r"cookie\s*:", re.IGNORECASE)


def read_pasted(text: str) -> Pasted:
    """The cookie, and the User-Agent if there is one, in a pasted text.

    Raises ValueError with a message that follows "cookie" if the text is too long, is cut off, or has no cookie.
    """
    text = text.strip()
    if len(text) > LONGEST:
        raise ValueError(Message("pasted_text_too_long", most=f"{LONGEST:,}", length=f"{len(text):,}"))
    if _CURL.match(text):
        headers = list(_curl_headers(_words(_without_carets(text))))
    elif _POWERSHELL.search(text):
        headers = list(_powershell_headers(text))
    else:
        name = _COOKIE_NAME.match(text)
        return _found([("cookie", text[name.end() :] if name else text)])
    return _found(headers)


def _found(headers: list[tuple[str, str]]) -> Pasted:
    cookies = [value.strip(" ;") for name, value in headers if name == "cookie"]
    cookie = "; ".join(filter(None, cookies))
    if not cookie:
        raise ValueError(Message("pasted_text_without_cookie"))
    agents = [value.strip() for name, value in headers if name == "user-agent"]
    return Pasted(cookie, agents[-1] if agents else "")


# The words of a command line. Outside quotes, a backslash (bash) or caret (cmd) before white space continues the line;
# a single-line text field keeps the blanks and drops the line break.
_PIECE = re.compile(
    r"""(?P<blank>(?:\s|[\\^`](?=\s|\Z))+)
      | \$'(?P<ansi>[^'\\]*(?:\\.[^'\\]*)*)'
      | '(?P<single>[^']*)'
      | "(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"
      | [\\^](?P<escaped>.)
      | (?P<plain>\$(?!')|[^\s'"\\^$]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_ANSI_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{1,4})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


def _without_carets(text: str) -> str:
    """Undo the escapes of a cmd command line: a caret before each special character, also within quotes."""
    if not (_CMD.match(text) and _CMD_ESCAPE.search(text)):
        return text
    return re.sub(r"\^(\s+|.)", lambda found: " " if found[1].isspace() else found[1], text)


def _words(line: str) -> Iterator[str]:
    position, word = 0, None
    while position < len(line):
        piece = _PIECE.match(line, position)
        if not piece:
            raise ValueError(Message("pasted_text_cut_off"))
        position = piece.end()
        if piece.lastgroup != "blank":
            word = (word or "") + _unquoted(piece)
        elif word is not None:
            yield word
            word = None
    if word is not None:
        yield word


def _unquoted(piece: re.Match[str]) -> str:
    kind = piece.lastgroup or ""
    if kind == "ansi":
        return _ANSI_ESCAPE.sub(_ansi_character, piece[kind])
    if kind == "double":
        return re.sub(r'\\(["\\$`])', r"\1", piece[kind])
    return piece[kind]


def _ansi_character(found: re.Match[str]) -> str:
    hexadecimal = found[1] or found[2]
    if hexadecimal:
        return chr(int(hexadecimal, 16))
    if found[3]:
        return chr(int(found[3], 8))
    return _ANSI_LETTERS.get(found[4], found[4])


_OPTIONS = {"-H": "header", "--header": "header", "-b": "cookie", "--cookie": "cookie"}
_OPTIONS |= {"-A": "user-agent", "--user-agent": "user-agent"}
_OPTIONS |= dict.fromkeys(("-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode"), "data")


def _curl_headers(words: Iterator[str]) -> Iterator[tuple[str, str]]:
    for word in words:
        kind, value = _OPTIONS.get(word), ""
        if kind:
            value = next(words, "")
        elif word[:2] in _OPTIONS:
            kind, value = _OPTIONS[word[:2]], word[2:]
        if kind == "header":
            name, _, value = value.partition(":")
            yield name.strip().lower(), value.strip()
        # A value without "=" is the name of a file.
        elif kind == "user-agent" or (kind == "cookie" and "=" in value):
            yield kind, value


_POWERSHELL_TEXT = r'"((?:[^"`]|`.)*)"'
_POWERSHELL_AGENT = re.compile(r"\.UserAgent\s*=\s*" + _POWERSHELL_TEXT, re.IGNORECASE | re.DOTALL)
_POWERSHELL_HEADER = re.compile(r'"(cookie|user-agent)"\s*=\s*' + _POWERSHELL_TEXT, re.IGNORECASE | re.DOTALL)
_POWERSHELL_COOKIE = re.compile(
    rf"System\.Net\.Cookie\(\s*{_POWERSHELL_TEXT}\s*,\s*{_POWERSHELL_TEXT}", re.IGNORECASE | re.DOTALL
)
_POWERSHELL_ESCAPE = re.compile(r"\$\(\[char\]([0-9]{1,5})\)|`(.)", re.DOTALL)


def _powershell_headers(text: str) -> Iterator[tuple[str, str]]:
    for name, value in _POWERSHELL_COOKIE.findall(text):
        yield "cookie", f"{_powershell_plain(name)}={_powershell_plain(value)}"
    for value in _POWERSHELL_AGENT.findall(text):
        yield "user-agent", _powershell_plain(value)
    for name, value in _POWERSHELL_HEADER.findall(text):
        yield name.lower(), _powershell_plain(value)


def _powershell_plain(text: str) -> str:
    return _POWERSHELL_ESCAPE.sub(lambda found: chr(int(found[1])) if found[1] else found[2], text)
