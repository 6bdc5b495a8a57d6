"""Style sheets with those that they import: a browser finds an import only when it has read the sheet that names it.

docs/architecture.md, "Browser scripts".
"""

import posixpath
import re

from django.core.exceptions import ImproperlyConfigured

from archive_site.lib.resources import RESOURCES
from archive_site.lib.script_bundles import without_comments

_IMPORT = re.compile(r'^@import url\("(?P<url>[^"]+)"\)(?: layer\((?P<layer>\w+)\))?;$', re.MULTILINE)
_CHARSET = '@charset "UTF-8";'
# An address that is relative to the folder of its sheet.
_RELATIVE = re.compile(r"\burl\((?![\"']?(?:data:|#))")


def style(name: str) -> str:
    """The sheet as it is served, with all that it imports.

    Raises ImproperlyConfigured for other forms of import, and for an imported sheet of another folder that names files.
    """
    text = _IMPORT.sub(lambda found: _imported(name, found), without_comments(_source(name)))
    if "@import" in text:
        raise ImproperlyConfigured(f"{name}: a bundle has no such form of @import")
    return text


def _imported(name: str, found: re.Match[str]) -> str:
    folder = posixpath.dirname(name)
    target = posixpath.normpath(posixpath.join(folder, found["url"]))
    text = style(target).removeprefix(_CHARSET)
    if posixpath.dirname(target) != folder and _RELATIVE.search(text):
        raise ImproperlyConfigured(f"{target}: a sheet of another folder names files")
    return f"@layer {found['layer']} {{\n{text}\n}}" if found["layer"] else text


def _source(name: str) -> str:
    return (RESOURCES / "static" / name).read_text(encoding="utf-8")
