"""All routes: those of each app, those that span apps, the admin site, and one for unknown API paths.

`archive_site/probes.py` answers `/healthz` and `/readyz` before a route is looked for.
"""

from django.contrib import admin
from django.urls import include, path, re_path
from django.views.generic import RedirectView

from accounts import archives
from accounts.signin import pages as account_pages
from archive_site import installable_app
from archive_site.admin import sign_in, view_on_site
from archive_site.combined_answers import (
    api,
    api_page,
    archive_totals_api,
    archives_api,
    archives_page,
    settings_and_account_pages,
)
from archive_site.lib.http.bearer import READ, SCOPES
from archive_site.lib.http.described import of_archive
from archive_site.lib.http.json_views import endpoint, unknown_path

named = of_archive(archives.find)

urlpatterns = [
    path("app.webmanifest", installable_app.manifest, name="app_manifest"),
    path("service-worker.js", installable_app.service_worker),
    path("offline", installable_app.offline, name="offline"),
    # The admin site uses the sign-in of the pages, with its throttle and audit: docs/decisions/accounts.md#one-way-in.
    path("admin/login/", sign_in),
    path("admin/logout/", account_pages.logout),
    path("admin/password_change/", RedirectView.as_view(pattern_name="profile")),
    path("admin/r/<path:content_type_id>/<path:object_id>/", admin.site.admin_view(view_on_site)),
    path("admin/", admin.site.urls),
    path("", include("audit.urls")),
    path("", include("accounts.urls")),
    path("", include("usage.urls")),
    path("", include("collection.urls")),
    path("", include("backups.urls")),
    path("archives", archives_page.page, name="archives"),
    path("config", settings_and_account_pages.config, name="config"),
    path("profile", settings_and_account_pages.profile, name="profile"),
    path("users", settings_and_account_pages.users, name="users"),
    path("api/manifest", endpoint(GET=named(api.manifest), scopes={"GET": (READ,)})),
    path("api/bundle", endpoint(GET=named(api.bundle), scopes={"GET": (READ,)})),
    path("api/docs", api_page.api_docs, name="api_docs"),
    path("api/openapi.json", endpoint(GET=api.openapi, scopes={"GET": SCOPES}), name="openapi"),
    path("api/status", endpoint(GET=named(api.status), scopes={"GET": SCOPES})),
    path("api/archives", endpoint(GET=archives_api.own_archives, POST=archives_api.create_archive)),
    path("api/archives/totals", endpoint(GET=archive_totals_api.totals, scopes={"GET": (READ,)})),
    path("api/archives/<number:archive_id>", endpoint(POST=archives_api.change_archive)),
    path("api/archives/<number:archive_id>/test", endpoint(POST=archives_api.test_archive)),
    path("api/archives/<number:archive_id>/delete", endpoint(POST=archives_api.remove_archive)),
    path("api/account/delete", endpoint(POST=api.delete_own_account)),
    path("api/users/<number:user_id>/delete", endpoint(POST=api.delete_user, admin=True)),
    re_path(r"^api/(?P<rest>(?s:.*))\Z", unknown_path),
]

handler400 = "archive_site.lib.http.error_responses.bad_request"
handler403 = "archive_site.lib.http.error_responses.forbidden"
handler404 = "archive_site.lib.http.error_responses.not_found"
handler500 = "archive_site.lib.http.error_responses.server_error"
