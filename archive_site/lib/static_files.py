"""Static files under names with a hash, and what the browser scripts import."""

import re
from functools import cache
from pathlib import Path

from django.conf import settings
from whitenoise.storage import CompressedManifestStaticFilesStorage

# How every browser script names another one; ESLint holds the scripts to it.
_IMPORT = r'(?P<before>from|import) "(?P<url>\.\.?/[^"]+)";'
_STATIC = Path(settings.BASE_DIR) / "static"


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Whitenoise's storage, where the scripts import each other under the hashed names: no page needs an import map."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", ((rf"(?P<matched>{_IMPORT})", '%(before)s "%(url)s";'),)),
    )
    # Each pass names what the scripts of the pass before are called: as many as the longest way along imports.
    max_post_process_passes = 20


@cache
def modules_of(name: str) -> tuple[str, ...]:
    """The modules that a script needs, imported by it or by another one: static files, each after what it needs."""
    found: dict[str, None] = {}
    for imported in _imports(name):
        found |= dict.fromkeys((*modules_of(imported), imported))
    return tuple(found)


def _imports(name: str) -> list[str]:
    path = _STATIC / name
    targets = (path.parent / found["url"] for found in re.finditer(_IMPORT, path.read_text(encoding="utf-8")))
    return [target.resolve().relative_to(_STATIC.resolve()).as_posix() for target in targets]
