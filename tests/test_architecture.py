"""Imports point one way, and no text in the code or in a template goes around them."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from django.apps import apps as registry

from collection.sources.kinds import KINDS, Kind
from usage.search.sqlite.terms import NARROW, WIDE
from usage.source_traits import Traits

ROOT = Path(__file__).resolve().parents[1]
# Each app may import those after it.
APPS = ["backups", "collection", "usage", "accounts", "audit"]
# The rooms of each app, its folders. Each may import those after it.
ROOMS = {
    "backups": ["restore", "snapshot", "offline_migration"],
    "collection": ["transfer", "verification", "schedule", "reading", "runs", "sources", "compaction"],
    "usage": [
        "importing", "bills", "statements", "packages", "budgets", "retention", "forecast", "export", "coverage",
        "reads", "search", "record_lists", "rollups", "change_log", "repeated", "proofs", "row_writes", "saved_views",
        "incoming", "prompt_privacy", "amounts", "models",
    ],
    "accounts": [
        "openid", "notices", "webhooks", "signin", "tokens", "second_factor", "config", "delivery", "credentials",
        "passwords", "session_stores",
    ],
    "audit": [],
}  # fmt: skip
LIBRARY = "archive_site.lib"
PACKAGES = {*APPS, "archive_site"}
# Django's settings name the account model in a text.
SETTINGS = ROOT / "archive_site/settings.py"


def modules(folder: str) -> list[Path]:
    return sorted(path for path in (ROOT / folder).rglob("*.py") if "migrations" not in path.parts)


@cache
def nodes(source: str) -> list[ast.AST]:
    return list(ast.walk(ast.parse(source)))


def imports(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, wherever in the file; relative ones made absolute."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in nodes(path.read_text()):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from (f"{base}.{alias.name}" for alias in node.names)


def texts(source: str) -> Iterator[str]:
    """Every string in a module's code, with the fixed parts of f-strings."""
    for node in nodes(source):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def modules_by_text(source: str) -> Iterator[str]:
    """Every module of the project that a module's code names in a string, like the tasks of the queue."""
    for text in texts(source):
        package, *names = text.split(".")
        inside = ROOT / package / names[0] if names and names[0].isidentifier() else None
        if package in PACKAGES and inside and (inside.is_dir() or inside.with_suffix(".py").exists()):
            yield text


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def breaches(folder: str, forbidden: list[str], allowed: tuple[str, ...] = ()) -> list[str]:
    return [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(folder)
        for name in (*imports(path), *modules_by_text(path.read_text()))
        if any(is_within(name, package) for package in forbidden)
        and not any(is_within(name, package) for package in allowed)
    ]


@pytest.mark.parametrize("app", APPS)
def test_an_app_imports_only_those_below_it(app: str) -> None:
    assert breaches(app, APPS[: APPS.index(app)]) == []


@pytest.mark.parametrize("app", APPS)
def test_every_folder_of_an_app_has_its_place(app: str) -> None:
    folders = {path.parent.name for path in (ROOT / app).glob("*/__init__.py")}
    assert folders - {"management", "migrations", "templatetags"} == set(ROOMS[app])


@pytest.mark.parametrize(("app", "room"), [(app, room) for app in APPS for room in ROOMS[app]])
def test_a_room_imports_only_those_below_it(app: str, room: str) -> None:
    above = ROOMS[app][: ROOMS[app].index(room)]
    found = [(path.name, name) for path in modules(f"{app}/{room}") for name in imports(path)]
    assert [one for one in found if any(is_within(one[1], f"{app}.{other}") for other in above)] == []


@pytest.mark.parametrize("app", APPS)
def test_no_room_is_imported_by_what_it_imports(app: str) -> None:
    """Also not by modules beside the rooms: rooms and modules of an app form no circle."""
    needed: dict[str, set[str]] = {}
    for path in modules(app):
        place = ".".join(path.relative_to(ROOT).with_suffix("").parts[:2])
        found = {".".join(name.split(".")[:2]) for name in imports(path) if name.startswith(f"{app}.")}
        needed.setdefault(place, set()).update(found - {place})
    # Raises CycleError, which names the circle.
    TopologicalSorter(needed).prepare()


def modules_of_room(folder: Path) -> set[str]:
    """The modules and folders of a room, by name."""
    own = {path.stem for path in folder.glob("*.py")} - {"__init__"}
    return own | {path.parent.name for path in folder.glob("*/__init__.py")}


@pytest.mark.parametrize(("app", "room"), [(app, room) for app in APPS for room in ROOMS[app]])
def test_the_docstring_of_a_room_names_its_modules(app: str, room: str) -> None:
    folder = ROOT / app / room
    docstring = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
    assert modules_of_room(folder) - set(re.findall(r"`(\w+)`", docstring)) == set()


def unknown_modules(folder: Path, docstring: str) -> set[str]:
    """What a docstring that lists modules of its folder names, and neither the folder nor one around it has."""
    named = set(re.findall(r"`([a-z_]\w*)`", docstring))
    if not named & modules_of_room(folder):
        return set()
    around = [folder, *folder.parents][: len(folder.relative_to(ROOT).parts)]
    paths = {path for path in re.findall(r"`(\w+/[\w/]+(?:\.py)?)`", docstring) if not is_path_of_code(path)}
    return named.difference(*map(modules_of_room, around)) | paths


def is_path_of_code(path: str) -> bool:
    return (ROOT / path).exists() or (ROOT / f"{path}.py").exists()


def test_the_docstring_of_a_folder_names_no_module_that_is_gone() -> None:
    packages = [path for path in all_modules() if path.name == "__init__.py"]
    docstrings = {path.parent: ast.get_docstring(ast.parse(path.read_text())) or "" for path in packages}
    found = {str(folder.relative_to(ROOT)): unknown_modules(folder, text) for folder, text in docstrings.items()}
    assert {folder: names for folder, names in found.items() if names} == {}


@pytest.mark.parametrize("name", ["gone", "usage/gone.py", "usage/gone"])
def test_a_module_that_is_gone_is_seen(name: str) -> None:
    assert unknown_modules(ROOT / "usage/reads", f"`summary` has the sums, `{name}` the rest.") == {name}


@pytest.mark.parametrize("name", ["trends", "rollups", "filters", "usage/filters.py", "usage/rollups", "RecordFilters"])
def test_a_module_here_or_in_a_folder_around_is_known(name: str) -> None:
    assert unknown_modules(ROOT / "usage/reads", f"`summary` has the sums, `{name}` the rest.") == set()


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
    assert packages == {*PACKAGES, "tests"}


def test_only_the_upstream_client_and_the_sender_of_notices_speak_to_other_machines() -> None:
    speaking = ["requests", "urllib3", "http.client", "urllib.request", "smtplib", "apprise"]
    found = {line.partition(" ")[0] for folder in [*APPS, "archive_site"] for line in breaches(folder, speaking)}
    speakers = ("collection/sources/", "accounts/delivery/sending/", "accounts/openid/", "archive_site/client/")
    assert all(path.startswith(speakers) for path in found), found


def kind_folders() -> list[str]:
    return [path.parent.name for path in (ROOT / "collection/sources").glob("*/traits.py")]


def test_a_kind_of_source_is_known_to_its_folder_and_to_the_list_of_kinds_alone() -> None:
    kinds = [f"collection.sources.{name}" for name in kind_folders()]
    found = {line.partition(" ")[0] for folder in [*APPS, "archive_site"] for line in breaches(folder, kinds)}
    own = tuple(f"collection/sources/{name}/" for name in kind_folders())
    # Two commands play a service for people who try this one.
    players = {"archive_site/management/commands/demo.py", "collection/management/commands/simulate_upstream.py"}
    assert {path for path in found if not path.startswith(own)} == {"collection/sources/kinds.py", *players}


def id_forms_in(text: str, traits: Traits) -> list[str]:
    """The forms of a source's request ids in a text: alternatives of a pattern, and what only its ids begin with."""
    forms = {form.removesuffix("$") for form in f"{traits.request_id}|{traits.request_id_begun}".split("|")} - {""}
    beginnings = {found[0] for form in forms if (found := re.match(r"\w+-", form))}
    text = text.replace(r"\d", "0-9")
    alone = [form for form in forms if re.search(rf"(?:^|[|(:^/]){re.escape(form)}(?:$|[|)$/])", text)]
    return sorted([*alone, *(beginning for beginning in beginnings if beginning in text)])


def takes_pairs_apart(source: str) -> bool:
    """Whether a module takes a text like `a=b; c=d` apart, by its signs or by a pattern."""
    signs = set(texts(source))
    return {";", "="} <= signs or any(re.search(r"\[[^]]*(?:=[^]]*;|;[^]]*=)[^]]*\]", text) for text in signs)


def names_settings(source: str, keys: tuple[str, ...]) -> bool:
    """Whether a module lists all of these keys of settings, in its code or in its SQL."""
    listed = [node.elts for node in nodes(source) if isinstance(node, ast.List | ast.Tuple | ast.Set)]
    named = [{one.value for one in elements if isinstance(one, ast.Constant)} for elements in listed]
    return any(set(keys) <= names for names in named) or any(
        all(f"'{key}'" in text for key in keys) for text in texts(source)
    )


def settings_of(kind: Kind) -> tuple[str, ...]:
    """The keys of the settings that a source judges."""
    return kind.way.credential.settings if kind.way else ()


def facts_in(source: str, kind: Kind) -> list[object]:
    """What a module has of a source."""
    written = set(texts(source))
    found: list[object] = [*sorted({kind.traits.usage_page, kind.traits.time_column} & written - {""})]
    found += [form for text in written for form in id_forms_in(text, kind.traits)]
    keys = settings_of(kind)
    return found + ([keys] if len(keys) > 1 and names_settings(source, keys) else [])


def test_what_is_of_one_source_alone_is_written_in_its_folder_alone() -> None:
    # The account's file keeps back the personal settings, which docs/api.md names.
    specified = {ROOT / "collection/api_types.py": [("cookie", "user_agent")]}
    for kind in KINDS.values():
        folder = ROOT / "collection/sources" / kind.traits.kind.replace("-", "_")
        general = [path for path in all_modules() if folder not in path.parents]
        found = {path: facts_in(path.read_text(), kind) for path in general}
        of_kind = specified if len(settings_of(kind)) > 1 else {}
        assert {path: facts for path, facts in found.items() if facts} == of_kind
        shown = [path for name in ("static/js", "templates") for path in (ROOT / name).rglob("*") if path.is_file()]
        assert [path for path in shown if id_forms_in(path.read_text(), kind.traits)] == []


def test_only_sources_take_cookies_of_their_services_apart() -> None:
    found = [path for path in all_modules() if takes_pairs_apart(path.read_text())]
    assert [path for path in found if ROOT / "collection/sources" not in path.parents] == []


@pytest.mark.parametrize(
    "source",
    [
        'FORM = re.compile(r"(?:[0-9a-f]{32}|x)")',
        'is_own = text.startswith("crb-")',
        'FORM = r"^(crb-|x$)"',
        'FORM = r"^[\\da-f]{12,32}$"',
        'Setting.objects.filter(key__in=["cookie", "user_agent"])',
        "QUERY = \"s.key IN ('cookie', 'user_agent')\"",
        'URL = "/profile/plans-usage"',
    ],
)
def test_a_fact_of_one_source_is_seen(source: str) -> None:
    assert facts_in(source, KINDS["codebuddy"])


@pytest.mark.parametrize("source", ['OURS = r"store-[0-9a-f]{32}"', 'KEYS = ["cookie"]', 'USAGE = "/usage"'])
def test_what_others_have_too_is_no_fact_of_one_source(source: str) -> None:
    assert facts_in(source, KINDS["codebuddy"]) == []


@pytest.mark.parametrize(
    "source",
    [
        'values = [pair.partition("=")[2] for pair in cookie.split(";")]',
        'PAIRS = re.compile(r"[^\\s=;]+=[^\\s;]*")',
    ],
)
def test_pairs_that_are_taken_apart_are_seen(source: str) -> None:
    assert takes_pairs_apart(source)


def test_only_the_credential_and_the_addresses_of_receivers_are_read_in_plain() -> None:
    found = {
        line.partition(" ")[0] for app in APPS for line in breaches(app, [f"{LIBRARY}.storage.encryption.decrypt"])
    }
    assert found == {
        "accounts/credentials/credential.py",
        "accounts/delivery/addresses.py",
        "accounts/delivery/stored_webhooks.py",
        "accounts/second_factor/codes.py",
    }


# Dependencies without an import


def owner_of(path: Path) -> str:
    """The app that a file belongs to; `archive_site` for the frame, its library included."""
    return path.relative_to(ROOT).parts[0]


@cache
def tables() -> dict[str, str]:
    """The app that owns each table, by the table's name."""
    owners = {model._meta.db_table: model._meta.app_label for model in registry.get_models()}
    return {table: app for table, app in owners.items() if app in APPS} | {NARROW: "usage", WIDE: "usage"}


def foreign_tables(owner: str, source: str) -> list[str]:
    """The tables of other apps that a module's code names in its SQL."""
    words = {word for text in texts(source) for word in re.findall(r"\w+", text)}
    return sorted(table for table, app in tables().items() if table in words and app != owner)


def models_by_name(owner: str, source: str) -> list[str]:
    """The models that a module gets from Django's registry, and the models of other apps that it names."""
    calls = [node.func for node in nodes(source) if isinstance(node, ast.Call)]
    asked = [ast.unparse(call) for call in calls if ast.unparse(call).rpartition(".")[2] == "get_model"]
    foreign = "|".join(app for app in APPS if app != owner)
    return asked + [text for text in texts(source) if re.fullmatch(rf"({foreign})\.[A-Z]\w*", text)]


def foreign_tags(owner: str, page: str, templates: Mapping[str, str], libraries: Mapping[str, str]) -> set[str]:
    """The libraries of tags that a page of `owner` loads, itself or by another template, from apps above it.

    `templates` are texts by name, `libraries` the apps that libraries belong to. The frame may combine all apps.
    """
    # The tags of the frame know no app: a test of their own holds that.
    allowed = ["archive_site", *(APPS if owner == "archive_site" else APPS[APPS.index(owner) :])]
    loaded = {
        word
        for name in reachable(page, templates)
        for words in re.findall(r"{%\s*load\s+(.*?)%}", templates[name])
        for word in words.split()
    }
    return {library for library in loaded & libraries.keys() if libraries[library] not in allowed}


def reachable(page: str, templates: Mapping[str, str]) -> set[str]:
    """A template with all that it extends and includes."""
    found, waiting = set[str](), [page]
    while waiting:
        name = waiting.pop()
        if name in templates and name not in found:
            found.add(name)
            waiting += re.findall(r"{%\s*(?:include|extends)\s+[\"']([^\"']+)", templates[name])
    return found


def all_modules() -> list[Path]:
    return [path for folder in sorted(PACKAGES) for path in modules(folder)]


def test_no_app_names_a_table_of_another() -> None:
    found = {str(path.relative_to(ROOT)): foreign_tables(owner_of(path), path.read_text()) for path in all_modules()}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_model_is_had_by_its_name() -> None:
    code = [path for path in all_modules() if path != SETTINGS]
    found = {str(path.relative_to(ROOT)): models_by_name(owner_of(path), path.read_text()) for path in code}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_page_loads_tags_of_an_app_above_the_one_that_renders_it() -> None:
    folder = ROOT / "templates"
    templates = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    libraries = {path.stem: owner_of(path) for path in all_modules() if path.parent.name == "templatetags"}
    found = {
        (str(path.relative_to(ROOT)), text): foreign_tags(owner_of(path), text, templates, libraries)
        for path in all_modules()
        for text in texts(path.read_text())
        if text in templates
    }
    assert len(found) > len(APPS), "no module renders a template: the check has nothing to look at"
    assert {page: names for page, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "source",
    [
        'SQL = "SELECT store_id FROM accounts_store WHERE id = 1"',
        'SQL = f"SELECT {columns} FROM usage_record r"',
        f'cursor.execute("DELETE FROM {NARROW}")',
    ],
)
def test_a_table_of_another_app_is_seen(source: str) -> None:
    assert len(foreign_tables("collection", source)) == 1


def test_an_apps_own_tables_are_its_to_name() -> None:
    assert foreign_tables("usage", 'SQL = "SELECT id FROM usage_record"') == []


@pytest.mark.parametrize(
    "source",
    [
        'apps.get_model("accounts.Store")', 'get_model(label, "Store")', 'Store = models.ForeignKey("accounts.Store")',
    ],
)  # fmt: skip
def test_a_model_that_is_had_by_its_name_is_seen(source: str) -> None:
    assert models_by_name("usage", source)


def test_an_apps_own_models_are_its_to_name() -> None:
    assert models_by_name("accounts", 'models.ForeignKey("accounts.Store")') == []


@pytest.mark.parametrize("text", ["collection.tasks.collect_run", "archive_site.tasks.tick", "usage.reads.queries"])
def test_a_module_that_is_named_in_a_text_is_seen(text: str) -> None:
    assert list(modules_by_text(f'async_task("{text}", 1)')) == [text]


@pytest.mark.parametrize("text", ["audit.html", "usage.conditional", "accounts.", "accounts. And so on"])
def test_a_text_that_only_looks_like_a_module_is_none(text: str) -> None:
    assert list(modules_by_text(f"render({text!r})")) == []


@pytest.mark.parametrize(("owner", "found"), [("accounts", {"archives"}), ("usage", set()), ("archive_site", set())])
@pytest.mark.parametrize("page", ["{% load i18n archives %}", "{% load sums from archives %}", '{% include "part" %}'])
def test_tags_of_an_app_above_are_seen(page: str, owner: str, found: set[str]) -> None:
    templates = {"page": page, "part": '{% extends "page" %}{% load archives %}'}
    assert foreign_tags(owner, "page", templates, {"archives": "usage"}) == found
