from django.urls import path

from archive_site.lib.jsonviews import endpoint
from backups import api, pages

# A name is any path, so that one with a slash is told to be none (specification 4.6).
urlpatterns = [
    path("backups", pages.page, name="backups"),
    path("api/backups", endpoint(GET=api.listing, POST=api.create, admin=True)),
    path("api/backups/prune", endpoint(POST=api.prune, admin=True)),
    path("api/backups/<path:name>/restore", endpoint(POST=api.restore, admin=True)),
    path("api/backups/<path:name>/delete", endpoint(POST=api.delete, admin=True)),
    path("api/backups/<path:name>", endpoint(GET=api.download, admin=True)),
]
