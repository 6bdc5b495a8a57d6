"""Browser scripts and style sheets as they are served: in bundles under hashed names."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.test import override_settings

from accounts.models import User
from archive_site.lib import script_bundles, style_bundles
from archive_site.lib.resources import RESOURCES
from archive_site.lib.script_bundles import FRAME, bundle, is_imported, modules_of, without_comments
from tests.factories import ApiClient

STATIC = RESOURCES / "static"
HASHED = {
    **settings.STORAGES,
    "staticfiles": {"BACKEND": "archive_site.lib.static_files.HashedStaticFiles"},
}
HASHED_NAME = re.compile(r"\.[0-9a-f]{12}\.js$")
MODULE = re.compile(r'^modules\["([^"]+)"\] \?\?=', re.MULTILINE)
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


def hashed_scripts(root: Path) -> list[Path]:
    return [path for path in (root / "js").rglob("*.js") if HASHED_NAME.search(path.name)]


def test_a_script_comes_after_what_it_imports() -> None:
    names = [f"js/pages/{path.name}" for path in (STATIC / "js" / "pages").glob("*.js")]
    for name in names:
        found = modules_of(name)
        assert len(found) == len(set(found))
        assert all(set(modules_of(one)) <= set(found[:place]) for place, one in enumerate(found))


def test_a_served_script_imports_only_what_it_loads_later_under_a_hashed_name(collected: Path) -> None:
    served = hashed_scripts(collected)
    found = re.compile(r'^import\b.*|\bfrom "\..*|await import\("(\.[^"]+)"\)', re.MULTILINE)
    imports = [(path, one) for path in served for one in found.finditer(path.read_text(encoding="utf-8"))]
    assert "../shared/table_taking.js" in {HASHED_NAME.sub(".js", one[1] or "") for _, one in imports}
    assert [one.group() for _, one in imports if not (one[1] and HASHED_NAME.search(one[1]))] == []
    assert [one[1] for path, one in imports if not (path.parent / one[1]).is_file()] == []


def test_scripts_that_others_import_are_served_in_bundles_only(collected: Path) -> None:
    served = {HASHED_NAME.sub(".js", path.relative_to(collected).as_posix()) for path in hashed_scripts(collected)}
    all_of_them = {path.relative_to(STATIC).as_posix() for path in (STATIC / "js").rglob("*.js")}
    assert served == {name for name in all_of_them if not is_imported(name)}
    assert {FRAME, "js/pages/overview.js", "js/shared/palette.js", "js/shared/theme.js"} <= served
    assert "js/shared/i18n.js" not in served


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_what_its_scripts_need(page: str, root: User, anonymous: ApiClient) -> None:
    visitor = anonymous if page == "/login" else ApiClient.signed_in(root)
    scripts = re.findall(r'<script type="module" src="/static/([^"]+)"', visitor.get(page).content.decode())
    assert scripts
    assert [name for name in scripts if is_imported(name)] == []
    mine = [name for name in scripts if name.startswith("js/pages/")]
    assert not mine or scripts.index(FRAME) < scripts.index(mine[0])
    for name in scripts:
        missing = {*modules_of(name), name} - {*MODULE.findall(bundle(name))}
        assert missing <= ({*modules_of(FRAME)} if name in mine else {name})


def test_a_bundle_runs_each_module_after_those_that_it_imports() -> None:
    for name in ("js/pages/overview.js", "js/pages/records.js", FRAME, "js/shared/palette.js"):
        held = MODULE.findall(bundle(name))
        assert held[-1] == name
        assert len(held) == len(set(held))
        assert all(set(modules_of(one)) & set(held) <= set(held[:place]) for place, one in enumerate(held))


@pytest.mark.parametrize(
    ("line", "served"),
    [
        ('import { a, b as c } from "./two.js";', 'const { a, b: c } = modules["js/two.js"];'),
        ('import "./two.js";', ""),
        ('import * as two from "./two.js";', 'const two = modules["js/two.js"];'),
        ('import two from "./two.js";', 'const { default: two } = modules["js/two.js"];'),
        ('export { a } from "./two.js";', 'const { a } = modules["js/two.js"];'),
        ("export async function load() {}", "async function load() {}"),
        ('const one = await import("./two.js");', 'const one = await import("../two.js");'),
    ],
)
def test_forms_of_import_and_export(line: str, served: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "js").mkdir()
    (tmp_path / "js/one.js").write_text(f"{line}\n")
    monkeypatch.setattr(script_bundles, "_STATIC", tmp_path)
    text = script_bundles._closed("js/one.js", "js/pages/three.js")
    assert text.splitlines()[1].strip() == served


@pytest.mark.parametrize(
    "line",
    [
        "export default 1;",
        "export let a = 1;",
        "export const { a } = b;",
        "export { a };",
        'import "elsewhere";',
    ],
)
def test_other_forms_are_refused(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "js").mkdir()
    (tmp_path / "js/one.js").write_text(f"{line}\n")
    monkeypatch.setattr(script_bundles, "_STATIC", tmp_path)
    with pytest.raises(ImproperlyConfigured, match=re.escape(f"js/one.js: a bundle has no form for: {line}")):
        script_bundles._closed("js/one.js", "js/one.js")


@pytest.mark.thorough
def test_a_page_names_scripts_by_their_hashed_names(collected: Path, root: User) -> None:
    text = ApiClient.signed_in(root).get("/runs").content.decode()
    named = re.findall(r'(?:href|src)="/static/(js/[^"]+)"', text)
    assert named
    assert [name for name in named if not HASHED_NAME.search(name)] == []
    assert [name for name in named if not (collected / name).is_file()] == []


def test_scripts_are_served_without_comments(collected: Path) -> None:
    for path in (STATIC / "js").rglob("*.js"):
        served = without_comments(path.read_text(encoding="utf-8"))
        assert not re.search(r"^\s*(//|/\*)", served, re.MULTILINE), path
    # The bundle of the overview has a library, whose licence stays.
    [runs] = collected.glob("js/pages/runs.*.js")
    assert not re.search(r"^\s*(//|/\*)", runs.read_text(encoding="utf-8"), re.MULTILINE)
    [overview] = collected.glob("js/pages/overview.*.js")
    assert re.findall(r"^\s*(?://|/\*).*", overview.read_text(encoding="utf-8"), re.MULTILINE) == [
        "/* uPlot 1.6.32; MIT, see LICENSE beside. */"
    ]


def test_no_comment_that_is_removed_is_part_of_a_text() -> None:
    """Backticks are the only quotes that reach over lines."""
    for path in (STATIC / "js").rglob("*.js"):
        script = path.read_text(encoding="utf-8")
        for comment in script_bundles._COMMENT.finditer(script):
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


def test_a_page_has_one_sheet_beside_that_of_all_pages(root: User) -> None:
    page = ApiClient.signed_in(root).get("/runs").content.decode()
    assert re.findall(r'<link rel="stylesheet" href="/static/([^"]+)"', page) == ["css/site.css", "css/charts.css"]


def test_a_sheet_is_served_with_those_that_it_imports(collected: Path) -> None:
    [site, overview] = (
        next((collected / "css").glob(f"{name}.????????????.css")).read_text() for name in ("site", "overview")
    )
    assert "@import" not in site + overview
    assert re.search(r"@layer tabler \{[^@]*Tabler", site)
    filters = (STATIC / "css/filters.css").read_text()
    assert [rule for rule in re.findall(r"^\.[^{]+\{", filters, re.MULTILINE) if rule not in overview] == []


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("css/one.css", '@import url("two.css") screen;', "no such form"),
        ("css/one.css", '@import url("../other/three.css");', "names files"),
    ],
)
def test_a_sheet_that_cannot_be_joined_is_refused(
    name: str, text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sheets = {name: text, "css/two.css": "", "other/three.css": 'a { background: url("dot.png"); }'}
    for path, content in sheets.items():
        (tmp_path / "static" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "static" / path).write_text(content)
    monkeypatch.setattr(style_bundles, "RESOURCES", tmp_path)
    with pytest.raises(ImproperlyConfigured, match=words):
        style_bundles.style(name)
