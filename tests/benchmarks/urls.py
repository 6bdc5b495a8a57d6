"""The project's routes, and under `/bare/` each read of the API again as a bare view.

A bare view has the same sign-in and the same limits; it sends from memory the bytes that the real one answered first.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import path, resolve

from archive_site.lib.http.json_views import endpoint
from archive_site.urls import handler400, handler403, handler404, handler500
from archive_site.urls import urlpatterns as real

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]

_answers: dict[str, bytes] = {}


def bare(request: HttpRequest, rest: str) -> HttpResponseBase:
    key = request.get_full_path()
    if key not in _answers:
        match = resolve(f"/{rest}")
        answer: Any = match.func(request, *match.args, **match.kwargs)
        if answer.status_code != 200:
            return HttpResponse(answer.content, status=answer.status_code)
        _answers[key] = answer.content
    return HttpResponse(_answers[key], content_type="application/json")


urlpatterns = [path("bare/<path:rest>", endpoint(GET=bare)), *real]
