"""The admin site, and its read-only pages for the queue: docs/decisions/accounts.md#one-way-in.

The pages of django-q2 itself would let an administrator run any callable (`Schedule`) or submit a task again.
"""

from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import admin as auth_admin
from django.contrib.auth.models import Group
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop
from django.views.generic import RedirectView
from django_q import admin as queue_admin
from django_q.models import Failure, OrmQ, Schedule, Success

from archive_site.lib.readonly_admin import ReadOnlyAdmin
from audit.redaction import redacted

# Both modules register their models on import. Importing them first makes `unregister` independent of the app order.
assert auth_admin
assert queue_admin
for model in (Schedule, Success, Failure, OrmQ, Group):
    admin.site.unregister(model)

admin.site.site_header = admin.site.site_title = "Usage Archive"
admin.site.index_title = _("What is stored")
apps.get_app_config("django_q").verbose_name = _("Queue")
# Texts of the site that Django has in English only, or with another Chinese word.
_OF_DJANGO = (
    gettext_noop("Log out"),
    gettext_noop("Model name"),
    gettext_noop("Add link"),
    gettext_noop("Change or view list link"),
)
admin.site.site_url = settings.LOGIN_REDIRECT_URL


def sign_in(request: HttpRequest) -> HttpResponseBase:
    """Redirect to `/login`. Raises PermissionDenied for a signed-in account that is not an administrator."""
    if request.user.is_authenticated and not admin.site.has_permission(request):
        raise PermissionDenied
    return RedirectView.as_view(url=settings.LOGIN_URL, query_string=True)(request)


def view_on_site(request: HttpRequest, content_type_id: str, object_id: str) -> HttpResponseBase:
    """Answer 404: no row has a page of its own, and Django's view fails on ids that no column can hold."""
    raise Http404


class TaskAdmin(ReadOnlyAdmin):
    row, rows = _("finished task"), _("finished tasks")
    labels = {"id": _("id"), "name": _("name"), "func": _("function"), "started": _("started"), "stopped": _("ended")}
    list_display = ("name", "func", "started", "stopped", "seconds")
    list_filter = ("started",)
    search_fields = ("name", "func")
    ordering = ("-stopped",)
    fields = ("id", "name", "func", "arguments", "started", "stopped", "seconds", "shown_result")

    @admin.display(description=_("arguments"))
    def arguments(self, task: Any) -> str:
        return redacted(f"{task.args or ''} {task.kwargs or ''}".strip())

    @admin.display(description=_("seconds"))
    def seconds(self, task: Any) -> float:
        return float(task.time_taken())

    @admin.display(description=_("result"))
    def shown_result(self, task: Any) -> str:
        return redacted(str(task.result))


class FailureAdmin(TaskAdmin):
    row, rows = _("failed task"), _("failed tasks")


class QueueAdmin(ReadOnlyAdmin):
    row, rows = _("waiting task"), _("waiting tasks")
    labels = {"lock": _("not before")}
    list_display = ("id", "shown_name", "function", "lock")
    ordering = ("id",)
    fields = ("id", "shown_name", "function", "lock")

    @admin.display(description=_("name"))
    def shown_name(self, waiting: OrmQ) -> str:
        return str(waiting.name())

    @admin.display(description=_("function"))
    def function(self, waiting: OrmQ) -> str:
        return str(waiting.func())


admin.site.register(Success, TaskAdmin)
admin.site.register(Failure, FailureAdmin)
admin.site.register(OrmQ, QueueAdmin)
