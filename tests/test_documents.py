"""References to the documents lead somewhere: to files and headings that exist."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), ROOT / "tests/benchmarks/README.md"])
CODE = (".py", ".js", ".mjs", ".css", ".html", ".svg", ".sh", ".toml", ".yml", ".yaml", ".txt", ".po", ".md")
NAMED = ("Makefile", "Dockerfile", "run")
OTHERS_WORK = ("static/vendor/", "tests/vendor/")
REFERENCE = re.compile(r"\bdocs/((?:[\w-]+/)*[\w-]+\.md)(?:#([\w-]+))?")
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)|!\[[^\]\n]*\]\(([^)\s]+)\)")
# A file or folder of the project, named as code: with its path, or a module by its name alone.
NAMED_FILE = re.compile(r"`((?:[\w.-]+/)*[\w.-]*)`")
MODULE = (".py", ".js", ".mjs", ".sh")
TARGET = re.compile(r"`make ([\w-]+)")
HEADING = re.compile(r"(?m)^#{1,6} +(.+?)(?: +#+)? *$")
FENCE = re.compile(r"(?ms)^(```|~~~).*?^\1[ \t]*$")
# Citations of texts outside the repository; headings of docs/ take their place.
CITATION = re.compile(
    r"(?i)\b(?:specification|design),?(?: section)? [0-9]|\bthe (?:specification|contract)\b|\(section [0-9]"
    r"|\bguards? of [0-9]|(?<=\w )\([1-9]\.[1-9](?:\.[1-9])?(?:, [1-9]\.[1-9])*\)"
)


@cache
def files() -> tuple[Path, ...]:
    """All files of the project that may refer to a document, also untracked ones."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = sorted(name for name in set(listed.split("\0")) if name and not name.startswith(OTHERS_WORK))
    found = [ROOT / name for name in names if name.endswith(CODE) or Path(name).name in NAMED]
    return tuple(path for path in found if path.is_file() and path != Path(__file__).resolve())


@cache
def prose(document: Path) -> str:
    """A document without its code blocks."""
    return FENCE.sub("", document.read_text(encoding="utf-8"))


def slug(heading: str) -> str:
    """GitHub's anchor of a heading: lower case, blanks as hyphens, no other punctuation."""
    shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")


@cache
def slugs(document: Path) -> frozenset[str]:
    """Every anchor of a document; a repeated heading gets a number."""
    found: list[str] = []
    for heading in HEADING.findall(prose(document)):
        base = slug(heading)
        name, number = base, 0
        while name in found:
            number += 1
            name = f"{base}-{number}"
        found.append(name)
    return frozenset(found)


def leads_nowhere(document: Path, anchor: str) -> bool:
    if not document.exists():
        return True
    return bool(anchor) and document.suffix == ".md" and anchor not in slugs(document)


def places(wanted: re.Pattern[str]) -> Iterator[tuple[str, re.Match[str]]]:
    """Every match of a pattern in the files, with its place."""
    for path in files():
        text = path.read_text(encoding="utf-8")
        for found in wanted.finditer(text):
            yield f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, found.start()) + 1}", found


def links(document: Path) -> Iterator[str]:
    """The links of a document that stay within the repository."""
    for found in LINK.finditer(prose(document)):
        target = found[1] or found[2]
        if not re.match(r"[a-z][a-z0-9+.-]*:|//|/", target):
            yield target


def test_every_reference_to_a_document_leads_to_a_heading() -> None:
    wrong = [
        f"{place}: {found[0]}"
        for place, found in places(REFERENCE)
        if leads_nowhere(ROOT / "docs" / found[1], found[2] or "")
    ]
    assert wrong == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_of_a_document_leads_somewhere(document: Path) -> None:
    wrong = []
    for link in links(document):
        name, _, anchor = link.partition("#")
        if leads_nowhere((document.parent / name).resolve() if name else document, anchor):
            wrong.append(link)
    assert wrong == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_that_a_document_names_exists(document: Path) -> None:
    names = [path.relative_to(ROOT).as_posix() for path in files()]
    modules = {name.rpartition("/")[2] for name in names}
    folders = {name.partition("/")[0] for name in names if "/" in name}
    wrong = []
    for named in NAMED_FILE.findall(prose(document)):
        top, slash, rest = named.partition("/")
        if slash and rest and top in folders and not (ROOT / named).exists():
            wrong.append(named)
        if not slash and named.endswith(MODULE) and named not in modules:
            wrong.append(named)
    assert wrong == []


def test_every_target_that_a_document_names_is_in_the_makefile() -> None:
    targets = set(re.findall(r"(?m)^([\w -]+):(?!=)", (ROOT / "Makefile").read_text(encoding="utf-8")))
    known = {target for line in targets for target in line.split()}
    named = {target for document in DOCUMENTS for target in TARGET.findall(prose(document))}
    assert named - known == set()
    assert {"run", "test", "test-all"} <= named


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_two_headings_of_a_document_share_an_anchor(document: Path) -> None:
    named = [slug(heading) for heading in HEADING.findall(prose(document))]
    assert [name for name in dict.fromkeys(named) if named.count(name) > 1] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 150


def test_what_a_newcomer_reads_is_short() -> None:
    read = ("README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/vocabulary.md")
    assert sum((ROOT / name).stat().st_size for name in read) < 40_000


def test_no_line_cites_a_text_that_is_not_in_the_repository() -> None:
    assert [f"{place}: {found[0]}" for place, found in places(CITATION)] == []


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Create a user", "create-a-user"),
        ("`GET /api/records/<request_id>`", "get-apirecordsrequest_id"),
        ("Who may, and who may not?", "who-may-and-who-may-not"),
        ("Read the [README](README.md)", "read-the-readme"),
        ("Sign-in throttle", "sign-in-throttle"),
        ("采集任务", "采集任务"),
    ],
)
def test_an_anchor_is_made_as_github_makes_it(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


@pytest.mark.parametrize(
    "line",
    [
        "# specification 4.2",
        '"""Sums (specification 4.2, 4.4)."""',
        "# (design 7)",
        '"""As copied (design, section 4)."""',
        "# what the session says (section 1)",
        "# Beyond the specification:",
        "# as the specification's timestamps are",
        '"""Changed through the API (4.4)."""',
        '"""The rules, one for all (3.1, 4.5)."""',
        "# a guard of 3.1 and 4.5 holds",
        "# every row of the contract's table",
    ],
)
def test_a_citation_is_found(line: str) -> None:
    assert CITATION.search(line)


@pytest.mark.parametrize(
    "line", ["<section id='a'>", "(section508, wcag2a)", "a design of time", "time.sleep(0.2)", "a.b == (1.5, 0.25)"]
)
def test_other_words_are_no_citation(line: str) -> None:
    assert not CITATION.search(line)
