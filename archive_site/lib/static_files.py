"""Static files under hashed names, and the imports of browser scripts."""

import re
from functools import cache
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile, File
from whitenoise.storage import CompressedManifestStaticFilesStorage

# The only form of import in browser scripts; ESLint enforces it.
_IMPORT = r'(?P<before>from|import) "(?P<url>\.\.?/[^"]+)";'
# Lines that hold nothing but a comment.
_COMMENT = re.compile(rb"^[ \t]*(?:/\*\*(?:[^*]|\*(?!/))*\*/|//.*)[ \t]*\n", re.MULTILINE)
_STATIC = Path(settings.BASE_DIR) / "static"


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Whitenoise's storage, with hashed names in the imports of scripts, so that pages need no import map.

    Its scripts have no comments: those are for readers of the source.
    """

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", ((rf"(?P<matched>{_IMPORT})", '%(before)s "%(url)s";'),)),
    )
    # Each pass puts in the hashed names of the pass before, so the longest chain of imports needs as many passes.
    max_post_process_passes = 20

    def _save(self, name: str, content: "File[bytes]") -> str:
        if name.startswith("js/") and name.endswith(".js"):
            # Its hash was computed from it just before.
            content.seek(0)
            content = ContentFile(without_comments(content.read()))
        return str(super()._save(name, content))


def without_comments(script: bytes) -> bytes:
    """A script without the lines that hold nothing but a comment."""
    return _COMMENT.sub(b"", script)


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
