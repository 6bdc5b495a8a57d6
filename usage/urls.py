from django.urls import path

from archive_site.lib.http import path_converters as path_converters
from archive_site.lib.http.json_views import endpoint
from usage import api, budgets_api, pages, saved_views_api
from usage.export import views as export_view

urlpatterns = [
    path("", pages.overview, name="overview"),
    path("records", pages.records, name="records"),
    path("summaries/<str:kind>", pages.summary),
    path("summaries/<str:kind>/<str:day>", pages.summary, name="summary"),
    path("exports/<str:name>", export_view.kept_export),
    path("records/export", export_view.export_records),
    path("api/summary", endpoint(GET=api.summary)),
    path("api/daily", endpoint(GET=api.daily)),
    path("api/dims", endpoint(GET=api.dims)),
    path("api/coverage", endpoint(GET=api.coverage)),
    path("api/forecast", endpoint(GET=budgets_api.forecast)),
    path("api/budgets", endpoint(GET=budgets_api.budgets, POST=budgets_api.save)),
    path("api/budgets/<str:budget_id>/delete", endpoint(POST=budgets_api.delete)),
    path("api/top", endpoint(GET=api.top)),
    path("api/records", endpoint(GET=api.records)),
    path("api/records/<anything:request_id>", endpoint(GET=api.record)),
    path("api/views", endpoint(GET=saved_views_api.views, POST=saved_views_api.create)),
    path("api/views/<str:view_id>", endpoint(POST=saved_views_api.change)),
    path("api/views/<str:view_id>/delete", endpoint(POST=saved_views_api.delete)),
]
