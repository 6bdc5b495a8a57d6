"""The sentences that release 0.1.0 stored, and how they become messages. Frozen: it follows no later wording.

A place is `{name:kind}`. Kinds: `n` a number, `t` any text, `d` a time, `m` another sentence or any text, `s` another
sentence, `l` a list of sentences, `L` a list of texts.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from audit.migrations._templates_of_0_1_0 import BY_ACTION, CHANGES, ENDS, EXPORT, LINES, PARTS, REASONS, WINDOW, WITHIN

_COUNTED = re.compile(r"((?:[1-9]\d{0,2}(?:,\d{3})*)|0) (account|record)(s?)")
_SHAPES = {"n": r"0|[1-9]\d*", "d": r"[-\d: ]+"}
_PLACE = re.compile(r"\{(\w+):(\w)\}")
_LINE = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (.+)", re.DOTALL)
_LEFT_OUT = "… more lines were left out"
Data = dict[str, Any]


class _Unknown(Exception):
    """A text is no sentence that is known here."""


def stored_end(text: str) -> str:
    """The message of a run; what is not known stays as it is."""
    return _stored(text, ENDS)


def stored_log(text: str) -> str:
    """The detail of a run, line by line."""
    return "\n".join(map(_stored_line, text.split("\n")))


@cache
def _ends_and_lines() -> Mapping[str, str]:
    return {**LINES, **ENDS}


def _stored_line(line: str) -> str:
    if line == _LEFT_OUT:
        return _json({"code": "lines_left_out"})
    found = _LINE.fullmatch(line)
    if found is None:
        return line
    try:
        return _json({"at": found[1], **_message(found[2], _ends_and_lines())})
    except _Unknown:
        return line


def stored_detail(action: str, text: str) -> str:
    """The detail of an audit entry."""
    return _stored(text, BY_ACTION.get(action, {}))


def _stored(text: str, known: Mapping[str, str]) -> str:
    try:
        return _json(_message(text, known))
    except _Unknown:
        return text


def _json(data: Data) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _message(text: str, known: Mapping[str, str]) -> Data:
    for code, template in known.items():
        start, pattern, places = _compiled(template)
        found = pattern.fullmatch(text) if text.startswith(start) else None
        if found:
            try:
                return {"code": code, **{name: _value(name, kind, found[name]) for name, kind in places}}
            except _Unknown:
                continue
    raise _Unknown


@cache
def _compiled(template: str) -> tuple[str, re.Pattern[str], list[tuple[str, str]]]:
    """How a sentence begins, its pattern, and its places with their kinds."""
    pieces: list[str] = []
    end = 0
    for place in _PLACE.finditer(template):
        pieces += [re.escape(template[end : place.start()]), f"(?P<{place[1]}>{_SHAPES.get(place[2], '.+?')})"]
        end = place.end()
    pattern = re.compile("".join([*pieces, re.escape(template[end:])]), re.DOTALL)
    return template.partition("{")[0], pattern, _PLACE.findall(template)


def _value(name: str, kind: str, text: str) -> Any:
    return _VALUES[kind](name, text)


def _sentence(name: str, text: str) -> Data:
    if name in ("accounts", "records"):
        return _counted(text)
    return _message(text, WITHIN[name])


def _counted(text: str) -> Data:
    found = _COUNTED.fullmatch(text)
    if found is None or (found[1] == "1") == bool(found[3]):
        raise _Unknown
    return {"code": f"{found[2]}s_counted", "number": int(found[1].replace(",", "")), "count": found[1]}


def _sentence_or_text(name: str, text: str) -> Data | str:
    try:
        return _sentence(name, text)
    except _Unknown:
        return text


def _sentences(name: str, text: str) -> list[Data]:
    """The parts of a list; a part that holds the separator itself is put together again."""
    found: list[Data] = []
    pending = ""
    for part in text.split(", "):
        pending = f"{pending}, {part}" if pending else part
        try:
            found.append(_message(pending, WITHIN[name]))
        except _Unknown:
            continue
        pending = ""
    if pending or not found:
        raise _Unknown
    return found


def _texts(name: str, text: str) -> list[str]:
    parts = text.split(", ")
    if not all(parts):
        raise _Unknown
    return parts


_VALUES: Mapping[str, Callable[[str, str], Any]] = {
    "n": lambda name, text: int(text),
    "t": lambda name, text: text,
    "d": lambda name, text: text,
    "m": _sentence_or_text,
    "s": _sentence,
    "l": _sentences,
    "L": _texts,
}


def all_codes() -> Iterable[str]:
    """Every code that a sentence can become: the living templates have to keep them."""
    groups = [WINDOW, PARTS, REASONS, ENDS, LINES, CHANGES, EXPORT, *BY_ACTION.values()]
    return {*(code for group in groups for code in group), "lines_left_out", "accounts_counted", "records_counted"}
