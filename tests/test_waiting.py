"""Tests of pages wait for what a page shows, or in `tests/browser/waiting.py`, and never for time."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

BROWSER = Path(__file__).parent / "browser"
# `wait_for` of a locator, and `wait` of an event, process or thread, are looked for as calls of these names.
FORBIDDEN = {
    "sleep", "wait", "wait_for", "wait_for_event", "wait_for_function", "wait_for_load_state", "wait_for_selector",
    "wait_for_timeout", "wait_for_url",
}  # fmt: skip
# The function that waits, processes of an instance, and the command that draws pages for review.
ALLOWED = {"waiting.py", "running_instance.py", "screenshots.py"}


def waits(source: str) -> Iterator[str]:
    """The calls that wait, and the load states of networks, as lines with their numbers."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in FORBIDDEN:
                yield f"{node.lineno}: {name}"
        elif isinstance(node, ast.Constant) and node.value == "networkidle":
            yield f"{node.lineno}: networkidle"


def sources() -> list[Path]:
    return [path for path in sorted(BROWSER.glob("*.py")) if path.name not in ALLOWED]


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.name)
def test_no_test_of_pages_waits_in_another_way(path: Path) -> None:
    assert list(waits(path.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize(
    "source",
    [
        "page.wait_for_timeout(400)",
        "page.wait_for_url('**/runs')",
        "page.locator('p').wait_for()",
        "time.sleep(1)",
        "sleep(1)",
        "Event().wait(1)",
        "page.goto('/', wait_until='networkidle')",
    ],
)
def test_each_other_way_is_found(source: str) -> None:
    assert list(waits(source))
