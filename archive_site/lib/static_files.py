"""Static files under hashed names, and the imports of browser scripts."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

# The only form of import in browser scripts; ESLint enforces it.
_IMPORT = r'(?P<before>from|import) "(?P<url>\.\.?/[^"]+)";'
# An import of what few visitors need, when they need it.
_IMPORT_LATER = r'import\("(?P<url>\.\.?/[^"]+)"\)'
# A comment that has its lines to itself.
_COMMENT = re.compile(r"^[ \t]*(?:/\*(?:[^*]|\*(?!/))*\*/|//.*)[ \t]*$", re.MULTILINE)
_STATIC = Path(settings.BASE_DIR) / "static"


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Whitenoise's storage, with hashed names in the imports of scripts, so that pages need no import map."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (
            "js/*.js",
            (
                (rf"(?P<matched>{_IMPORT})", '%(before)s "%(url)s";'),
                (rf"(?P<matched>{_IMPORT_LATER})", 'import("%(url)s")'),
            ),
        ),
    )
    # Each pass puts in the hashed names of the pass before, so the longest chain of imports needs as many passes.
    max_post_process_passes = 20

    def post_process(self, paths: dict[str, tuple[Storage, str]], **options: Any) -> Iterator[Any]:
        # Comments are a quarter of the bytes of the scripts.
        slim = {
            name: (_WithoutComments(storage) if name.startswith(("js/", "css/")) else storage, path)
            for name, (storage, path) in paths.items()
        }
        yield from super().post_process(slim, **options)


class _WithoutComments:
    """Scripts and styles of a storage without their comments."""

    def __init__(self, storage: Storage):
        self._storage = storage

    def open(self, path: str) -> "ContentFile[bytes]":
        with self._storage.open(path) as script:
            return ContentFile(without_comments(script.read().decode()).encode())


def without_comments(script: str) -> str:
    """A script or style with empty lines instead of its comments, so that errors name the same lines."""
    return _COMMENT.sub(lambda comment: "\n" * comment.group().count("\n"), script)


@cache
def modules_of(name: str) -> tuple[str, ...]:
    """The static files that a script imports, directly or indirectly; each comes after its own imports."""
    found: dict[str, None] = {}
    for imported in _imports(name):
        found |= dict.fromkeys((*modules_of(imported), imported))
    return tuple(found)


def _imports(name: str) -> list[str]:
    path = _STATIC / name
    targets = (path.parent / found["url"] for found in re.finditer(_IMPORT, path.read_text(encoding="utf-8")))
    return [target.resolve().relative_to(_STATIC.resolve()).as_posix() for target in targets]
