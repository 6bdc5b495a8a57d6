"""The web application, for any WSGI server."""

import os

from django.core.wsgi import get_wsgi_application

from archive_site.lib.http.utf8_request import Utf8Request

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive_site.settings")
application = get_wsgi_application()
application.request_class = Utf8Request
