from django.urls import path

from archive_site.lib.http.json_views import endpoint
from audit import api, pages

urlpatterns = [
    path("audit", pages.audit, name="audit"),
    path("logs", pages.logs, name="logs"),
    path("logs/tail", pages.log_tail),
    path("api/audit", endpoint(GET=api.entries)),
]
