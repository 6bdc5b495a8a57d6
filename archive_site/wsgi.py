"""The web application, for any WSGI server."""

import os
from collections.abc import Callable
from typing import Any

import django
from django.core.handlers.wsgi import WSGIHandler
from django.http import HttpResponseBase

from archive_site.lib.http.service_path import own_path
from archive_site.lib.http.utf8_request import Utf8Request


class Application(WSGIHandler):
    """Django's application under the path of the service, whether a proxy strips that or not."""

    request_class = Utf8Request

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> HttpResponseBase:
        environ["PATH_INFO"] = own_path(environ.get("PATH_INFO", ""))
        return super().__call__(environ, start_response)


os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive_site.settings")
django.setup(set_prefix=False)
application = Application()
