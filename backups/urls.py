from django.urls import path

from archive_site.lib import anything as anything
from archive_site.lib.jsonviews import endpoint
from backups import api, pages

# A name is any text, so that one with a slash is told to be none (specification 4.6).
urlpatterns = [
    path("backups", pages.page, name="backups"),
    path("api/backups", endpoint(GET=api.listing, POST=api.create, admin=True)),
    path("api/backups/prune", endpoint(POST=api.prune, admin=True)),
    path("api/backups/<anything:name>/check", endpoint(POST=api.check, admin=True)),
    path("api/backups/<anything:name>/restore", endpoint(POST=api.restore, admin=True)),
    path("api/backups/<anything:name>/delete", endpoint(POST=api.delete, admin=True)),
    path("api/backups/<anything:name>", endpoint(GET=api.download, admin=True)),
]
