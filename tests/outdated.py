"""`make outdated`: locked packages with a newer release, and what holds each back."""

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import Distribution, distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
# A release for later versions of Python than this one is listed, too.
_LATER_PYTHON = "3.99"
_OF_NODE = ("tests/scripts", "static/vendor/build")
_LOCKED = re.compile(r"^([\w.-]+)==", re.MULTILINE)
_LATEST = re.compile(r"^\S+ \((\S+)\)$", re.MULTILINE)


def main() -> None:
    requirements, direct = list(_requirements(distributions())), _direct()
    latest = _latest_for_this_python()
    for name in sorted(latest):
        print(_line(name, latest[name], holders(name, latest[name], requirements), is_direct=name in direct))
    for name in sorted(direct):
        newest, here = _latest_of_all(name), latest.get(name, direct[name])
        if newest and Version(newest) > Version(here):
            python = f"Python {sys.version_info.major}.{sys.version_info.minor}"
            print(_line(name, newest, [python], is_direct=True))
    for folder in _OF_NODE:
        for name, newest in _behind_in(ROOT / folder):
            print(f"{name} {newest}: raise it in {folder}/package.json")


def holders(name: str, latest: str, requirements: Iterable[tuple[str, Requirement]]) -> list[str]:
    """The packages that do not allow this release of another one, with the requirement of each."""
    found = {
        f"{who} ({asked.name}{asked.specifier})"
        for who, asked in requirements
        if canonicalize_name(asked.name) == name and not asked.specifier.contains(latest, prereleases=True)
    }
    return sorted(found)


def _line(name: str, latest: str, held_by: list[str], *, is_direct: bool) -> str:
    if held_by:
        return f"{name} {latest}: held back by {', '.join(held_by)}"
    what = "raise it in pyproject.toml, then make lock" if is_direct else "make lock LOCK_FLAGS=--upgrade"
    return f"{name} {latest}: {what}"


def _requirements(installed: Iterable[Distribution]) -> Iterator[tuple[str, Requirement]]:
    """What installed packages require of others on this machine, without their extras."""
    for one in installed:
        for text in one.requires or ():
            asked = Requirement(text)
            if asked.marker is None or asked.marker.evaluate({"extra": ""}):
                yield canonicalize_name(one.metadata["Name"]), asked


def _direct() -> Mapping[str, str]:
    """The versions of pyproject.toml by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    asked = [Requirement(text) for group in groups for text in group]
    return {canonicalize_name(one.name): str(one.specifier).removeprefix("==") for one in asked}


def _latest_for_this_python() -> dict[str, str]:
    """The latest releases of the locked packages that are behind."""
    files = ((ROOT / "requirements" / name).read_text(encoding="utf-8") for name in ("run.txt", "test.txt"))
    locked = {canonicalize_name(name) for text in files for name in _LOCKED.findall(text)}
    rows = json.loads(_pip("list", "--outdated", "--format", "json").stdout)
    latest = {canonicalize_name(row["name"]): row["latest_version"] for row in rows}
    return {name: version for name, version in latest.items() if name in locked}


def _latest_of_all(name: str) -> str | None:
    """The latest release of a package for any Python; None where it has none that is built for all."""
    asked = _pip("index", "versions", name, "--python-version", _LATER_PYTHON, "--only-binary=:all:", check=False)
    found = _LATEST.search(asked.stdout)
    return found[1] if found else None


def _behind_in(folder: Path) -> list[tuple[str, str]]:
    """The packages of Node that are behind, with their latest releases. Raises RuntimeError where npm cannot say."""
    # It ends with 1 where something is behind or not installed, and says why it failed in JSON, too.
    asked = subprocess.run(["npm", "outdated", "--json"], cwd=folder, capture_output=True, text=True)
    rows = json.loads(asked.stdout or "{}")
    if "error" in rows or (asked.returncode and not rows):
        raise RuntimeError(f"npm outdated in {folder.name}: {rows.get('error') or asked.stderr}")
    return [(name, row["latest"]) for name, row in rows.items() if row["latest"] != row["wanted"]]


def _pip(*words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *words]
    return subprocess.run(command, capture_output=True, text=True, check=check)


if __name__ == "__main__":
    main()
