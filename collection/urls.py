from django.urls import path

from accounts import archives
from archive_site.lib.http.bearer import COLLECT, EXPORT, READ
from archive_site.lib.http.described import of_archive
from archive_site.lib.http.json_views import endpoint
from collection import api, pages
from collection.transfer import import_api

named = of_archive(archives.find)
COLLECTING, WATCHING = {"POST": (COLLECT,)}, {"GET": (READ, COLLECT)}

urlpatterns = [
    path("runs", pages.run_list, name="runs"),
    path("runs/<number:run_id>", pages.run, name="run"),
    path("runs/<number:run_id>/report", pages.report, name="report"),
    path("import", pages.import_page, name="import"),
    path("api/collect", endpoint(POST=of_archive(archives.find_unless_all)(api.collect), scopes=COLLECTING)),
    path("api/collect/older", endpoint(POST=named(api.collect_older), scopes=COLLECTING)),
    path("api/verify", endpoint(POST=named(api.verify), scopes=COLLECTING)),
    path("api/credential/test", endpoint(POST=api.test_credential)),
    path("api/runs", endpoint(GET=named(api.run_list), scopes=WATCHING)),
    path("api/runs/<number:run_id>", endpoint(GET=named(api.run), scopes=WATCHING)),
    path("api/runs/<number:run_id>/stop", endpoint(POST=named(api.stop), scopes=COLLECTING)),
    path(
        "api/account/export", endpoint(GET=import_api.export_account, scopes={"GET": (EXPORT,)}), name="account_export"
    ),
    path("api/import", endpoint(POST=named(import_api.import_calls))),
    # Any text, even an empty one, so that an unknown action always gives 404 `unknown` (docs/api.md#maintenance).
    path("api/maintenance/", endpoint(POST=named(api.maintenance)), {"action": ""}),
    path("api/maintenance/<anything:action>", endpoint(POST=named(api.maintenance))),
]
