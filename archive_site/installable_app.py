"""The service as an installable app: manifest, service worker and offline page.

The rules: docs/decisions/pages.md#installable-app.
"""

import hashlib
import json

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from archive_site.lib.resources import RESOURCES

NAME = "Usage Archive"
# The files of the offline page.
_FILES = ("css/site.css", "js/shared/theme.js", "js/shared/offline_reload.js", "favicon.svg")
_WORKER = RESOURCES / "static" / "js" / "service_worker.js"
_ICONS = (
    ("favicon.svg", "any", "image/svg+xml", "any"),
    ("img/icon-192.png", "192x192", "image/png", "any"),
    ("img/icon-512.png", "512x512", "image/png", "any"),
    ("img/icon-maskable-512.png", "512x512", "image/png", "maskable"),
)


@require_safe
def manifest(request: HttpRequest) -> HttpResponse:
    """GET /app.webmanifest: name, icons and scope of the app."""
    icons = [
        {"src": static(name), "sizes": sizes, "type": kind, "purpose": purpose} for name, sizes, kind, purpose in _ICONS
    ]
    about = {
        "id": reverse("overview"), "name": NAME, "short_name": NAME, "start_url": reverse("overview"),
        "scope": reverse("overview"),
        "display": "standalone", "background_color": "#f5f6f8", "theme_color": "#1f5f8b", "icons": icons,
    }  # fmt: skip
    return JsonResponse(about, content_type="application/manifest+json", headers={"Cache-Control": "no-cache"})


@require_safe
def service_worker(request: HttpRequest) -> HttpResponse:
    """GET /service-worker.js: the script, after the addresses that it keeps.

    Another version of them, or another language, gives another text, so browsers install it again.
    """
    files = [static(name) for name in _FILES]
    version = hashlib.sha256(json.dumps([settings.VERSION, get_language(), files]).encode()).hexdigest()[:12]
    # Browsers have one store for all services of a host.
    caches = f"offline {settings.SERVICE_PATH} " if settings.SERVICE_PATH else "offline-"
    kept = {
        "caches": caches, "name": f"{caches}{version}",
        "path": settings.SERVICE_PATH, "page": reverse("offline"), "files": files,
    }  # fmt: skip
    text = f"const KEPT = {json.dumps(kept)};\n{_WORKER.read_text(encoding='utf-8')}"
    return HttpResponse(text, content_type="text/javascript", headers={"Cache-Control": "no-cache"})


@never_cache
@require_safe
def offline(request: HttpRequest) -> HttpResponse:
    """GET /offline: the page that browsers keep. It holds no token and nothing of an account."""
    return render(request, "offline.html", {"user": None})
