"""Answers with static files (docs/decisions/web.md#compression)."""

from collections.abc import Callable
from functools import cached_property, partial
from typing import Any

from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import Redirect, StaticFile

_VALIDATORS = {"etag", "last-modified"}


class StaticAnswers(WhiteNoiseMiddleware):  # type: ignore[misc]  # whitenoise has no types
    """Whitenoise's middleware without headers that do nothing for a static file: a first load of a page has about 70.

    It comes before Django's, whose headers are for pages; only `nosniff` concerns scripts and styles, too.
    """

    def add_mime_headers(self, headers: Any, path: str, url: str) -> None:
        super().add_mime_headers(headers, path, url)
        headers["X-Content-Type-Options"] = "nosniff"
        if headers["Content-Type"].startswith("text/javascript"):
            # Modules are always UTF-8.
            headers["Content-Type"] = "text/javascript"

    def get_static_file(self, path: str, url: str, stat_cache: Any = None) -> "StaticFile | Redirect | _LaterFile":
        """The file at once, or at its first request where the state of all files is known (`stat_cache`)."""
        if stat_cache is None:
            return self._file(path, url, None)
        return _LaterFile(partial(self._file, path, url, stat_cache))

    def _file(self, path: str, url: str, stat_cache: Any) -> StaticFile | Redirect:
        file = super().get_static_file(path, url, stat_cache)
        if self.immutable_file_test(path, url):
            # Its name changes with its contents, so a browser never asks whether it is still the same.
            file.alternatives = [
                (encoding, name, [(key, value) for key, value in headers if key.lower() not in _VALIDATORS])
                for encoding, name, headers in file.alternatives
            ]
        return file


class _LaterFile:
    """A file whose headers are made at its first request: those of all files take a tenth of the start."""

    def __init__(self, make: Callable[[], StaticFile | Redirect]):
        self._make = make

    @cached_property
    def _made(self) -> StaticFile | Redirect:
        return self._make()

    def get_response(self, method: str, request_headers: Any) -> Any:
        return self._made.get_response(method, request_headers)
