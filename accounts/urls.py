from django.urls import path

from accounts import api, pages
from archive_site.lib.jsonviews import endpoint

urlpatterns = [
    path("login", pages.login, name="login"),
    path("logout", pages.logout, name="logout"),
    path("first-run/<str:token>", pages.first_run, name="first_run"),
    path("config", pages.config, name="config"),
    path("api/settings", endpoint(GET=api.read_settings, POST=api.write_settings)),
]
