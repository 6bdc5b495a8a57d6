from django.urls import path

from accounts import archives
from archive_site.lib.http.bearer import READ
from archive_site.lib.http.described import of_archive
from archive_site.lib.http.json_views import endpoint
from usage import api, pages, privacy_api, repeated_api, retention_api
from usage import export_api as export_view
from usage.bills import api as bills_api
from usage.budgets import api as budgets_api
from usage.change_log import api as changes_api
from usage.packages import api as packages_api
from usage.packages import page as packages_page
from usage.saved_views import api as saved_views_api
from usage.statements import page as statement_page

READING = {"GET": (READ,)}
named = of_archive(archives.find)

urlpatterns = [
    path("", pages.overview, name="overview"),
    path("records", pages.records, name="records"),
    path("repeated", pages.repeated, name="repeated"),
    path("packages", packages_page.page, name="packages"),
    path("summaries/<str:kind>", pages.summary, name="last_summary"),
    path("summaries/<str:kind>/<str:day>", pages.summary, name="summary"),
    path("statements/<str:month>", statement_page.page, name="statement"),
    path("exports/<str:name>", export_view.kept_export, name="kept_export"),
    path("records/export", export_view.export_records),
    path("api/summary", endpoint(GET=named(api.summary), scopes=READING)),
    path("api/daily", endpoint(GET=named(api.daily), scopes=READING)),
    path("api/dims", endpoint(GET=named(api.dims), scopes=READING)),
    path("api/coverage", endpoint(GET=named(api.coverage), scopes=READING)),
    path("api/bills", endpoint(GET=named(bills_api.bills), scopes=READING)),
    path("api/forecast", endpoint(GET=named(budgets_api.forecast), scopes=READING)),
    path("api/budgets", endpoint(GET=named(budgets_api.budgets), POST=named(budgets_api.save), scopes=READING)),
    path("api/privacy", endpoint(GET=privacy_api.chosen, POST=privacy_api.choose)),
    path("api/privacy/apply", endpoint(POST=privacy_api.apply)),
    path("api/retention", endpoint(GET=retention_api.chosen, POST=retention_api.choose)),
    path("api/retention/preview", endpoint(POST=retention_api.preview)),
    path("api/budgets/<number:budget_id>/delete", endpoint(POST=named(budgets_api.delete))),
    path("api/packages", endpoint(GET=named(packages_api.packages), scopes=READING)),
    path("api/orders", endpoint(GET=named(packages_api.orders), scopes=READING)),
    path("api/changes", endpoint(GET=named(changes_api.changes), scopes=READING)),
    path("api/top", endpoint(GET=named(api.top), scopes=READING)),
    path("api/repeated", endpoint(GET=named(repeated_api.repeated), scopes=READING)),
    path("api/records", endpoint(GET=named(api.records), scopes=READING)),
    path("api/records/<anything:request_id>", endpoint(GET=named(api.record), scopes=READING)),
    path("api/views", endpoint(GET=saved_views_api.views, POST=saved_views_api.create, scopes=READING)),
    path("api/views/<number:view_id>", endpoint(POST=saved_views_api.change)),
    path("api/views/<number:view_id>/delete", endpoint(POST=saved_views_api.delete)),
]
