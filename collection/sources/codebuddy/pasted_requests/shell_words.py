"""The words of a command line of bash, cmd or PowerShell, as developer tools quote them."""

import re
from collections.abc import Iterator

from archive_site.lib.stored_message import Message

# Outside quotes, a backslash (bash), caret (cmd) or backtick (PowerShell) before white space continues the line; a
# single-line text field keeps the blanks and drops the line break.
_BASH = re.compile(
    r"""(?P<blank>(?:\s|[\\^`](?=\s|\Z))+)
      | \$'(?P<ansi>[^'\\]*(?:\\.[^'\\]*)*)'
      | '(?P<single>[^']*)'
      | "(?P<double>[^"\\]*(?:\\.[^"\\]*)*)"
      | [\\^](?P<escaped>.)
      | (?P<plain>\$(?!')|[^\s'"\\^$]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_POWERSHELL = re.compile(
    r"""(?P<blank>(?:\s|`(?=\s|\Z))+)
      | '(?P<doubled>[^']*(?:''[^']*)*)'
      | "(?P<ticked>[^"`]*(?:(?:`.|"")[^"`]*)*)"
      | `(?P<escaped>.)
      | (?P<plain>[^\s'"`]+)
    """,
    re.VERBOSE | re.DOTALL,
)
_ANSI_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{1,4})|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(.))", re.DOTALL)
_ANSI_LETTERS = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}

# The first quote is a double one; only cmd puts a caret before a quote or at the end of a line.
_FIRST_QUOTE_OF_CMD = re.compile(r"""[^'"^]*\^?\"""")
_ESCAPE_OF_CMD = re.compile(r'\^(?:["\r\n]|\s+-)')
_SIGN_OF_BASH = re.compile(r"'\\''|\$'|\\\r?\n")
# Plain `curl` is another program in PowerShell; cmd has no single quotes and no backticks.
_BEGIN_OF_POWERSHELL = re.compile(r"""(?:\$\s+)?\S+\.exe\s(?:[^"'`]*'|[^`]*`)""", re.IGNORECASE)
_CONTINUED_BY_POWERSHELL = re.compile(r"`[ \t]*\r?\n")


def words(line: str) -> Iterator[str]:
    """The words of a command line, without quotes. Raises ValueError with a message if the line is cut off."""
    if _FIRST_QUOTE_OF_CMD.match(line) and _ESCAPE_OF_CMD.search(line):
        return _words(_without_carets(line), _BASH)
    return _words(line, _POWERSHELL if _is_of_powershell(line) else _BASH)


def _is_of_powershell(line: str) -> bool:
    is_likely = _BEGIN_OF_POWERSHELL.match(line) or _CONTINUED_BY_POWERSHELL.search(line)
    return bool(is_likely and not _SIGN_OF_BASH.search(line))


def _without_carets(line: str) -> str:
    """Undo the escapes of cmd: a caret before each special character, also within quotes."""
    return re.sub(r"\^(\s+|.)", lambda found: " " if found[1].isspace() else found[1], line)


def _words(line: str, pieces: re.Pattern[str]) -> Iterator[str]:
    position = 0
    word: list[str] = []
    while position < len(line):
        piece = pieces.match(line, position)
        if not piece:
            raise ValueError(Message("pasted_text_cut_off"))
        position = piece.end()
        if piece.lastgroup != "blank":
            word.append(_unquoted(piece))
        elif word:
            yield "".join(word)
            word = []
    if word:
        yield "".join(word)


def _unquoted(piece: re.Match[str]) -> str:
    kind = piece.lastgroup or ""
    text = piece[kind]
    if kind == "ansi":
        return _ANSI_ESCAPE.sub(_ansi_character, text)
    if kind == "double":
        return re.sub(r'\\(["\\$`])', r"\1", text)
    if kind == "doubled":
        # Windows PowerShell passes a double quote on to a program only behind a backslash.
        return text.replace("''", "'").replace('\\"', '"')
    if kind == "ticked":
        return re.sub(r'`(.)|"(")', lambda found: found[1] or found[2], text, flags=re.DOTALL).replace('\\"', '"')
    return text


def _ansi_character(found: re.Match[str]) -> str:
    hexadecimal = found[1] or found[2]
    if hexadecimal:
        return chr(int(hexadecimal, 16))
    if found[3]:
        return chr(int(found[3], 8))
    return _ANSI_LETTERS.get(found[4], found[4])
