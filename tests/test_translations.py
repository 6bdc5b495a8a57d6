"""Every text is translated, and what is served is what `make messages` makes of the translations."""

import gettext
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOCALE = Path("archive_site/locale/zh_Hans/LC_MESSAGES")
DOMAINS = ("django", "djangojs")
_LEFT_OUT = shutil.ignore_patterns(".*", "data", "tests", "vendor", "__pycache__")


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with freshly collected texts."""
    copy = tmp_path_factory.mktemp("messages") / "project"
    shutil.copytree(ROOT, copy, ignore=_LEFT_OUT)
    environment = {**os.environ, "ARCHIVE_HOME": str(copy / "data"), "DJANGO_SETTINGS_MODULE": "archive_site.settings"}
    done = subprocess.run(
        [sys.executable, "manage.py", "messages"], cwd=copy, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return copy


def chosen(path: Path, *which: str) -> str:
    return subprocess.run(["msgattrib", *which, path], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_text_has_a_translation_that_somebody_looked_at(gathered: Path, domain: str) -> None:
    path = gathered / LOCALE / f"{domain}.po"
    assert chosen(path, "--untranslated") == ""
    assert chosen(path, "--only-fuzzy") == ""


@pytest.mark.parametrize("domain", DOMAINS)
def test_ranges_have_the_chinese_word(domain: str) -> None:
    assert [text for text in catalogue(ROOT / LOCALE / f"{domain}.mo").values() if "–" in text] == []


@pytest.mark.parametrize("domain", DOMAINS)
def test_the_translations_served_are_those_of_the_texts(gathered: Path, domain: str) -> None:
    served, made = (catalogue(folder / LOCALE / f"{domain}.mo") for folder in (ROOT, gathered))
    assert len(made) > 100
    assert served == made


def test_the_scripts_have_the_same_words(gathered: Path) -> None:
    words = Path("static/words/zh-hans.js")
    assert (ROOT / words).read_text() == (gathered / words).read_text()


def catalogue(path: Path) -> dict[object, str]:
    """The texts of a compiled catalogue, without the header with its creation time."""
    with path.open("rb") as file:
        texts: dict[object, str] = dict(vars(gettext.GNUTranslations(file))["_catalog"])
    texts.pop("")
    return texts
