"""`run_messages.py` lists every message that the code can give a run."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.collection.run_messages import MESSAGES

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [
    *(ROOT / "collection").glob("*.py"),
    ROOT / "archive_site/lib/storage/disk_space.py",
]
MODULES = sorted(path for path in SOURCES if not path.name.startswith("simulat"))
# Lines of the log, errors of other kinds, and what is translated where it is said.
ELSEWHERE = {
    "_tell", "_note", "_tell_now", "error", "warning", "append", "execute", "compile", "get",
    "ValueError", "UnreadableRow", "MissingRequestId", "gettext", "gettext_lazy", "gettext_noop",
}  # fmt: skip
NO_MESSAGES = {
    "again page", "{} of {} rows came", "{} of {} rows could not be read", "no rows came", "gzip, deflate",
    "got more than", "… more lines were left out\n", "run {} ({}): {}",
}  # fmt: skip
WORDS = re.compile(r"[a-z] [a-z]|[a-z] \{\}|\{\} [a-z]|, [a-z]")


def texts_in(source: str) -> Iterator[str]:
    """The texts in a module's code that read like a sentence or a part of one; `{}` is what is put in."""
    tree = ast.parse(source)
    for text in _texts(tree):
        if WORDS.search(text) and text not in NO_MESSAGES and not text.lstrip().startswith("SELECT "):
            yield text


def _texts(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and _name(node.func) in ELSEWHERE:
        return
    within = list(ast.iter_child_nodes(node))
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        within = [part for part in within if not isinstance(part, ast.Constant)]
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        # A text by itself is a docstring.
        return
    for child in within:
        yield from _texts(child)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def is_listed(text: str) -> bool:
    pattern = re.compile(".*".join(map(re.escape, text.split("{}"))), re.DOTALL)
    return any(map(pattern.search, MESSAGES))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_all_that_a_run_may_say_is_listed(path: Path) -> None:
    assert [text for text in texts_in(path.read_text()) if not is_listed(text)] == []


@pytest.mark.parametrize(
    "source",
    [
        'raise CollectionEnded(API, "The upstream sleeps.")',
        'raise CollectionEnded(API, f"The upstream sleeps for {hours} hours.")',
        'words += f", {sleeping} of them asleep"',
        'SLEEPING = "it is asleep"',
    ],
)
def test_a_message_that_is_not_listed_is_found(source: str) -> None:
    assert [text for text in texts_in(source) if not is_listed(text)]
