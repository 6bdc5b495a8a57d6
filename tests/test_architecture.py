"""Imports point one way, and the frame's library knows no app."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Each may import those after it.
APPS = ["backups", "collection", "usage", "accounts", "audit"]
LIBRARY = "archive_site.lib"


def modules(folder: str) -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*.py") if "migrations" not in path.parts)


def imports(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, wherever in the file; relative ones made absolute."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def breaches(folder: str, forbidden: list[str], allowed: tuple[str, ...] = ()) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(folder)
        for name in imports(path)
        if any(is_within(name, package) for package in forbidden)
        and not any(is_within(name, package) for package in allowed)
    ]


@pytest.mark.parametrize("app", APPS)
def test_an_app_imports_only_those_below_it(app: str) -> None:
    assert breaches(app, APPS[: APPS.index(app)]) == []


@pytest.mark.parametrize("app", APPS)
def test_an_app_imports_nothing_of_the_frame_but_its_library(app: str) -> None:
    assert breaches(app, ["archive_site"], (LIBRARY,)) == []


def test_the_library_imports_no_app() -> None:
    assert breaches("archive_site/lib", APPS) == []


def test_the_library_imports_nothing_else_of_the_frame() -> None:
    assert breaches("archive_site/lib", ["archive_site"], (LIBRARY,)) == []


@pytest.mark.parametrize("folder", [*APPS, "archive_site"])
def test_nothing_imports_the_tests(folder: str) -> None:
    assert breaches(folder, ["tests"]) == []


def test_every_folder_with_code_has_its_place() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert packages == {*APPS, "archive_site", "tests"}


def test_only_the_upstream_client_speaks_to_other_machines() -> None:
    speaking = ["requests", "urllib3", "http.client", "urllib.request"]
    found = {line.partition(" ")[0] for folder in [*APPS, "archive_site"] for line in breaches(folder, speaking)}
    assert all(path.startswith(("collection/upstream", "collection/simulat")) for path in found), found


def test_only_the_credential_reads_what_is_encrypted() -> None:
    found = {line.partition(" ")[0] for app in APPS for line in breaches(app, [f"{LIBRARY}.storage.encryption.decrypt"])}
    assert found == {"accounts/credential.py"}
