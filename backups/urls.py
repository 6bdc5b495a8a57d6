from django.urls import path

from archive_site.lib.http.json_views import endpoint
from backups import api, pages

# A name is any text, so that a name with a slash gets the answer for a wrong name (docs/api.md#backup).
urlpatterns = [
    path("backups", pages.page, name="backups"),
    path("api/backups", endpoint(GET=api.listing, POST=api.create, admin=True)),
    path("api/backups/prune", endpoint(POST=api.prune, admin=True)),
    path("api/backups/<anything:name>/check", endpoint(POST=api.check, admin=True)),
    path("api/backups/<anything:name>/restore", endpoint(POST=api.restore, admin=True)),
    path("api/backups/<anything:name>/delete", endpoint(POST=api.delete, admin=True)),
    path("api/backups/<anything:name>", endpoint(GET=api.download, admin=True)),
]
