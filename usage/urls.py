from django.urls import path

from archive_site.lib.jsonviews import endpoint
from usage import api, pages

urlpatterns = [
    path("", pages.overview, name="overview"),
    path("api/summary", endpoint(GET=api.summary)),
    path("api/records", endpoint(GET=api.records)),
    path("api/records/<path:request_id>", endpoint(GET=api.record)),
]
