from django.urls import path

from archive_site.lib.http import path_converters as path_converters
from archive_site.lib.http.json_views import endpoint
from collection import api, import_api, pages

urlpatterns = [
    path("runs", pages.run_list, name="runs"),
    path("runs/<str:run_id>", pages.run, name="run"),
    path("runs/<str:run_id>/report", pages.report, name="report"),
    path("import", pages.import_page, name="import"),
    path("api/collect", endpoint(POST=api.collect)),
    path("api/collect/older", endpoint(POST=api.collect_older)),
    path("api/verify", endpoint(POST=api.verify)),
    path("api/credential/test", endpoint(POST=api.test_credential)),
    path("api/runs", endpoint(GET=api.run_list)),
    path("api/runs/<str:run_id>", endpoint(GET=api.run)),
    path("api/runs/<str:run_id>/stop", endpoint(POST=api.stop)),
    path("api/account/export", endpoint(GET=import_api.export_account)),
    path("api/import", endpoint(POST=import_api.import_calls)),
    # Any text, even an empty one, so that an unknown action always gives 404 `unknown` (docs/api.md#maintenance).
    path("api/maintenance/", endpoint(POST=api.maintenance), {"action": ""}),
    path("api/maintenance/<anything:action>", endpoint(POST=api.maintenance)),
]
