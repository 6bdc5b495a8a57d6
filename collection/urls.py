from django.urls import path

from archive_site.lib.jsonviews import endpoint
from collection import api, pages

urlpatterns = [
    path("runs", pages.run_list, name="runs"),
    path("runs/<str:run_id>", pages.run, name="run"),
    path("api/collect", endpoint(POST=api.collect)),
    path("api/credential/test", endpoint(POST=api.test_credential)),
    path("api/runs", endpoint(GET=api.run_list)),
    path("api/runs/<str:run_id>", endpoint(GET=api.run)),
    path("api/runs/<str:run_id>/stop", endpoint(POST=api.stop)),
    path("api/maintenance/<str:action>", endpoint(POST=api.maintenance)),
]
