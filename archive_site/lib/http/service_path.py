"""The path of the service on its host: docs/deploy.md#a-path-of-a-host."""

from django.conf import settings
from django.http import HttpRequest


def own_path(path: str) -> str:
    """The path within the service, of a request as a proxy passes it on: with the path of the service, or without."""
    prefix: str = settings.SERVICE_PATH
    return path[len(prefix) :] or "/" if prefix and f"{path}/".startswith(f"{prefix}/") else path


def shown(request: HttpRequest) -> dict[str, str]:
    """Context of all pages: the path of the service, for their scripts."""
    return {"service_path": settings.SERVICE_PATH}
