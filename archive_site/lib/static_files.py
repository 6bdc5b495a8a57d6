"""Static files under hashed names, with browser scripts and style sheets in bundles."""

from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from archive_site.lib.script_bundles import bundle, is_imported
from archive_site.lib.style_bundles import style


class HashedStaticFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc] # whitenoise has no types
    """Whitenoise's storage, with bundles of scripts and the hashed names of those that are loaded later."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", ((r'(?P<matched>await import\("(?P<url>\.\.?/[^"]+)"\))', 'await import("%(url)s")'),)),
    )

    def post_process(self, paths: dict[str, tuple[Storage, str]], **options: Any) -> Iterator[Any]:
        # Comments are a quarter of the bytes.
        served = {
            name: (_Slim(storage) if name.startswith(("js/", "css/")) else storage, path)
            for name, (storage, path) in paths.items()
            if not (name.startswith("js/") and is_imported(name))
        }
        yield from super().post_process(served, **options)


class _Slim:
    """Scripts and styles of a storage as they are served."""

    def __init__(self, storage: Storage):
        self._storage = storage

    def open(self, path: str) -> "ContentFile[bytes]":
        return ContentFile((bundle(path) if path.startswith("js/") else style(path)).encode())
