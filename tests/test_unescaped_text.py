"""No page shows the text of others as markup (docs/security/threats.md#script-injection)."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
TEMPLATES = sorted([*(ROOT / "templates").rglob("*.html"), *ROOT.glob("*/templates/**/*.html")])
MODULES = [path for app in ("accounts", "archive_site", "audit", "backups", "collection", "usage")
           for path in sorted((ROOT / app).rglob("*.py"))]  # fmt: skip
MARKUP = re.compile(
    r"\b(?:innerHTML|outerHTML|srcdoc)\b|\.(?:insertAdjacentHTML|createContextualFragment|setHTMLUnsafe)\(|document\.write"
    r"|\beval\(|\bnew Function\b|\b(?:setTimeout|setInterval)\(\s*[\"'`]|javascript:"
)
UNESCAPED = re.compile(r"\|\s*(?:safe|safeseq)\b|{%\s*autoescape\s+off")
MARKED_SAFE = re.compile(r"\bmark_safe\b|\bSafeString\(|\bhtml_safe\b|\bis_safe\b")


def lines_with(wanted: re.Pattern[str], paths: list[Path]) -> list[str]:
    assert paths
    found = [(path, line) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [f"{path.relative_to(ROOT)}: {line.strip()}" for path, line in found if wanted.search(line)]


def test_no_script_writes_markup_or_runs_a_text() -> None:
    assert lines_with(MARKUP, SCRIPTS) == []


def test_no_template_leaves_a_value_unescaped() -> None:
    assert lines_with(UNESCAPED, TEMPLATES) == []


def test_no_module_marks_a_text_as_safe() -> None:
    assert lines_with(MARKED_SAFE, MODULES) == []


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        (MARKUP, "row.innerHTML = prompt;"),
        (MARKUP, 'row.insertAdjacentHTML("beforeend", prompt);'),
        (MARKUP, 'setTimeout("run()", 1)'),
        (UNESCAPED, "{{ prompt|safe }}"),
        (UNESCAPED, "{% autoescape off %}"),
        (MARKED_SAFE, "return mark_safe(prompt)"),
    ],
)
def test_a_text_taken_for_markup_is_found(wanted: re.Pattern[str], line: str) -> None:
    assert wanted.search(line)
