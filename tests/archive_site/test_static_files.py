"""The imports of browser scripts: preloaded by the pages, and under their hashed names."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.test import override_settings

from accounts.models import User
from archive_site.lib import static_files
from archive_site.lib.static_files import modules_of, without_comments
from tests.factories import ApiClient

STATIC = Path(settings.BASE_DIR) / "static"
HASHED = {
    **settings.STORAGES,
    "staticfiles": {"BACKEND": "archive_site.lib.static_files.HashedStaticFiles"},
}
PAGES = [
    "/",
    "/records",
    "/runs",
    "/config",
    "/config/instance",
    "/profile",
    "/users",
    "/backups",
    "/audit",
    "/logs",
    "/login",
]


@pytest.fixture(scope="module")
def collected_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The static files as the service serves them."""
    root = tmp_path_factory.mktemp("static")
    with override_settings(STATIC_ROOT=root, STORAGES=HASHED):
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["build", "*.d.ts"])
    return root


@pytest.fixture
def collected(collected_once: Path) -> Iterator[Path]:
    """The same, and pages that name them."""
    with override_settings(STATIC_ROOT=collected_once, STORAGES=HASHED):
        yield collected_once


def test_a_script_comes_after_what_it_imports() -> None:
    names = [f"js/pages/{path.name}" for path in (STATIC / "js" / "pages").glob("*.js")]
    for name in names:
        found = modules_of(name)
        assert len(found) == len(set(found))
        assert all(set(modules_of(one)) <= set(found[:place]) for place, one in enumerate(found))


def test_every_import_of_a_served_script_leads_to_a_hashed_file(collected: Path) -> None:
    served = [path for path in (collected / "js").rglob("*.js") if re.search(r"\.[0-9a-f]{12}\.js$", path.name)]
    found = re.compile(r'(?:from |import |import\()"(\.[^"]+)"')
    imports = [(path, url) for path in served for url in found.findall(path.read_text(encoding="utf-8"))]
    assert "./table_taking" in {re.sub(r"\.[0-9a-f]{12}\.js$", "", url) for _, url in imports}
    assert [url for _, url in imports if not re.search(r"\.[0-9a-f]{12}\.js$", url)] == []
    assert [url for path, url in imports if not (path.parent / url).is_file()] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_all_that_its_scripts_import_once(page: str, root: User, anonymous: ApiClient) -> None:
    visitor = anonymous if page == "/login" else ApiClient.signed_in(root)
    text = visitor.get(page).content.decode()
    scripts = re.findall(r'<script type="module" src="/static/([^"]+)"', text)
    preloaded = re.findall(r'<link rel="modulepreload" fetchpriority="low" href="/static/([^"]+)"', text)
    needed = {name for script in scripts for name in modules_of(script)}
    assert scripts
    assert sorted(preloaded) == sorted(needed)


def test_a_page_names_scripts_by_their_hashed_names(collected: Path, root: User) -> None:
    text = ApiClient.signed_in(root).get("/").content.decode()
    named = re.findall(r'(?:href|src)="/static/(js/[^"]+)"', text)
    assert named
    assert [name for name in named if not re.search(r"\.[0-9a-f]{12}\.js$", name)] == []
    assert [name for name in named if not (collected / name).is_file()] == []


def test_scripts_are_served_without_comments_and_with_the_same_lines(collected: Path) -> None:
    for path in (STATIC / "js").rglob("*.js"):
        script, served = path.read_text(encoding="utf-8"), without_comments(path.read_text(encoding="utf-8"))
        assert served.count("\n") == script.count("\n")
        assert not re.search(r"^\s*(//|/\*)", served, re.MULTILINE), path
    [overview] = collected.glob("js/pages/overview.*.js")
    assert not re.search(r"^\s*(//|/\*)", overview.read_text(encoding="utf-8"), re.MULTILINE)


def test_no_comment_that_is_removed_is_part_of_a_text() -> None:
    """Backticks are the only quotes that reach over lines."""
    for path in (STATIC / "js").rglob("*.js"):
        script = path.read_text(encoding="utf-8")
        for comment in static_files._COMMENT.finditer(script):
            assert without_comments(script[: comment.start()]).count("`") % 2 == 0, (path, comment.group())


@pytest.mark.parametrize(
    ("script", "served"),
    [
        ("// one\nlet a = 1;\n", "\nlet a = 1;\n"),
        ("/** two\n * lines */\n  // three\nb();\n", "\n\n\nb();\n"),
        ('const link = "https://x"; // behind\n', 'const link = "https://x"; // behind\n'),
        ("/* before */ c();\n", "/* before */ c();\n"),
        ("f(); /* a\n*/ g();\n", "f(); /* a\n*/ g();\n"),
    ],
)
def test_only_comments_with_lines_to_themselves_are_removed(script: str, served: str) -> None:
    assert without_comments(script) == served
