"""The base of all pages of the admin site: they show rows and change none."""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin import SimpleListFilter
from django.http import HttpRequest

# ModelAdmin is generic in the type stubs only.
if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(_ModelAdmin):
    """Shows rows to administrators; adds, changes and deletes none: docs/decisions.md#one-way-in."""

    # No actions on selected rows, not even those that an app registers, unless a page lists them.
    actions: Any = None
    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow only the offered filters: the hits of others would reveal values of columns that are not shown."""
        return lookup.partition("__")[0] in {_parameter(item) for item in self.get_list_filter(request)}


def _parameter(item: Any) -> str:
    if isinstance(item, type) and issubclass(item, SimpleListFilter):
        return item.parameter_name or ""
    return str(item[0] if isinstance(item, tuple | list) else item)
