"""Browser scripts in one file per page: a browser takes longer to ask for sixty small files than to run them.

A bundle holds a script and all that it imports, each module in a function of its own. What a module exports is kept by
its name on the page, so that a module that several bundles hold runs once. docs/architecture.md, "Browser scripts".
"""

import posixpath
import re
from functools import cache

from django.core.exceptions import ImproperlyConfigured

from archive_site.lib.resources import RESOURCES

# What each page behind the sign-in loads first; the scripts of pages leave out what it has.
FRAME = "js/shared/frame.js"
_PAGES = "js/pages/"
_STATIC = RESOURCES / "static"

# The forms of import and export in browser scripts; ESLint and `_closed` refuse others.
_IMPORT = re.compile(
    r'^import (?:(?:\{(?P<names>[^}]*)\}|\* as (?P<all>\w+)|(?P<default>\w+)) from )?"(?P<url>\.\.?/[^"]+)";$',
    re.MULTILINE,
)
_EXPORT_FROM = re.compile(r'^export \{(?P<names>[^}]*)\} from "(?P<url>\.\.?/[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async function|function|class|const) (?P<name>\w+))", re.MULTILINE)
# How the minified libraries end.
_EXPORT_DEFAULT = re.compile(r"\bexport ?\{(?P<name>\w+) as default\};?\s*\Z")
_IMPORT_LATER = re.compile(r'\bawait import\("(?P<url>\.\.?/[^"]+)"\)')
_OTHER = re.compile(r"^(?:import[ {\"']|export\b).*$", re.MULTILINE)
# A comment that has its lines to itself.
_COMMENT = re.compile(r"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//.*)[ \t]*$", re.MULTILINE)


def without_comments(script: str) -> str:
    """A script or style without the comments that have their lines to themselves: a quarter of its bytes."""
    return _COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), script)


@cache
def modules_of(name: str) -> tuple[str, ...]:
    """The static files that a script imports, directly or indirectly; each comes after its own imports."""
    found: dict[str, None] = {}
    for imported in _imports(name):
        found |= dict.fromkeys((*modules_of(imported), imported))
    return tuple(found)


@cache
def is_imported(name: str) -> bool:
    """Whether another script imports it from its start, so that it is served as part of bundles only."""
    return any(name in _imports(path.relative_to(_STATIC).as_posix()) for path in (_STATIC / "js").rglob("*.js"))


def bundle(name: str) -> str:
    """The script as it is served, with all that it imports.

    Raises ImproperlyConfigured for a form of import or export that bundles do not have.
    """
    if not modules_of(name):
        return _slim(name)
    left_out = {*modules_of(FRAME), FRAME} if name.startswith(_PAGES) else set()
    parts = [_closed(one, name) for one in (*modules_of(name), name) if one not in left_out]
    exported = ", ".join(_exports(name))
    if exported:
        parts.append(f'export const {{ {exported} }} = modules["{name}"];\n')
    return "".join(["const modules = (globalThis.archiveModules ??= {});\n", *parts])


def _closed(name: str, home: str) -> str:
    """The module as a function that runs once on a page, in the bundle of `home`."""
    exported = ", ".join(_exports(name))

    def take(found: re.Match[str]) -> str:
        taken = _taken(found.groupdict())
        return f'const {taken} = modules["{_target(name, found["url"])}"];' if taken else ""

    def later(found: re.Match[str]) -> str:
        path = posixpath.relpath(_target(name, found["url"]), posixpath.dirname(home))
        return f'await import("{path if path.startswith(".") else f"./{path}"}")'

    text = _EXPORT_FROM.sub(take, _IMPORT.sub(take, _slim(name)))
    text = _IMPORT_LATER.sub(later, _EXPORT_DEFAULT.sub("", _EXPORT.sub("", text)))
    if found := _OTHER.search(text):
        raise ImproperlyConfigured(f"{name}: a bundle has no form for: {found.group()}")
    return f'modules["{name}"] ??= (() => {{\n{text.strip()}\nreturn {{ {exported} }};\n}})();\n'


def _taken(parts: dict[str, str | None]) -> str | None:
    """What an import takes of a module, as the pattern of an assignment; None if it only runs it."""
    match parts:
        case {"all": str(one)}:
            return one
        case {"default": str(one)}:
            return f"{{ default: {one} }}"
        case {"names": str(names)}:
            return "{ " + re.sub(r"\s+as\b", ":", " ".join(names.split())) + " }"
    return None


@cache
def _exports(name: str) -> tuple[str, ...]:
    script = _source(name)
    handed_on = (one.split()[-1] for found in _EXPORT_FROM.finditer(script) for one in found["names"].split(",") if one)
    defaults = (f"default: {found['name']}" for found in _EXPORT_DEFAULT.finditer(script))
    return (*(found["name"] for found in _EXPORT.finditer(script)), *handed_on, *defaults)


@cache
def _imports(name: str) -> tuple[str, ...]:
    script = _source(name)
    found = (*_IMPORT.finditer(script), *_EXPORT_FROM.finditer(script))
    return tuple(_target(name, one["url"]) for one in sorted(found, key=re.Match.start))


def _target(name: str, url: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), url))


def _slim(name: str) -> str:
    # The comments of libraries hold their licences.
    return without_comments(_source(name)) if name.startswith("js/") else _source(name)


def _source(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")
