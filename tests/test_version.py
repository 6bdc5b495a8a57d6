"""The version is written down once, in `archive_site/__init__.py`; everything else takes it from there."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from accounts import config
from archive_site import __version__
from collection.sources.codebuddy.credential import upstream_settings
from tests.factories import make_user

ROOT = Path(__file__).resolve().parents[1]
SOURCE = "archive_site/__init__.py"
# Dependencies have versions of their own, migrations and tests name past releases.
ELSEWHERE = re.compile(r"^(requirements|tests|static/vendor)/|/migrations/|\.(md|po|mo)$")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def literals(text: str, version: str) -> list[str]:
    """The quoted texts that are a version, or end with one after a name and a slash or a blank."""
    return re.findall(rf"""["'](?:[^"'\n=]*[/ ])?{re.escape(version)}["']""", text)


def test_no_other_file_holds_the_version() -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    paths = [ROOT / name for name in listed if name and not ELSEWHERE.search(name)]
    found = [
        path.relative_to(ROOT).as_posix()
        for path in paths
        if path.is_file() and literals(path.read_bytes().decode("utf-8", "replace"), __version__)
    ]
    assert found == [SOURCE]


@pytest.mark.parametrize("text", ['version = "1.2.3"', "AGENT = 'usage-archive/1.2.3'", 'f"usage-archive 1.2.3"'])
def test_a_literal_is_found(text: str) -> None:
    assert literals(text, "1.2.3")


@pytest.mark.parametrize("text", ['"some-package==1.2.3"', '"11.2.3"', '"1.2.30"', '"1x2x3"'])
def test_other_numbers_are_no_literal(text: str) -> None:
    assert not literals(text, "1.2.3")


def test_the_package_takes_its_version_from_the_code() -> None:
    assert "version" not in PROJECT["project"]
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"] == {"path": SOURCE}


@pytest.mark.django_db
def test_a_request_of_an_account_without_a_user_agent_carries_name_and_version() -> None:
    asked = upstream_settings(make_user("alice").pk, config.instance_settings(), cookie="session=x")
    assert asked.default_user_agent == f"{PROJECT['project']['name']}/{__version__}"
