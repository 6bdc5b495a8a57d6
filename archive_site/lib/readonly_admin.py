"""The base of all pages of the admin site: they show rows and change none.

Lists answer the filters that they offer, and no other look-ups: docs/decisions/accounts.md#filters-of-the-admin-site.
"""

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db import DataError
from django.db.models import QuerySet
from django.http import HttpRequest

# ModelAdmin is generic in the type stubs only.
if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

# Longer searches could exceed the limits of SQLite for patterns and for the depth of an expression.
_SEARCH_LENGTH = 200


class _OfferedFilters(ChangeList):
    """A list whose only look-ups are those of its filters, each with one printable value."""

    def get_filters(self, request: HttpRequest) -> Any:
        values = self.get_filters_params().values()
        if not all(len(each) == 1 and each[0].isprintable() for each in values):
            raise IncorrectLookupParameters
        found = super().get_filters(request)
        _, _, left_over, *_ = found
        if left_over:
            raise IncorrectLookupParameters
        return found


class ReadOnlyAdmin(_ModelAdmin):
    """Shows rows to administrators; adds, changes and deletes none: docs/decisions/accounts.md#one-way-in."""

    # No actions on selected rows, not even those that an app registers, unless a page lists them.
    actions: Any = None
    list_per_page = 50
    show_full_result_count = False
    # Counts beside the filters read the table once per choice, which takes too long for records of many accounts.
    show_facets = admin.ShowFacets.NEVER

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Leave the decision to the list, which refuses each look-up that none of its filters makes."""
        return True

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return _OfferedFilters

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        try:
            return super().get_changelist_instance(request)
        except (ValueError, OverflowError, DataError) as error:
            # A value that the column cannot hold, such as a day before the first in UTC.
            raise IncorrectLookupParameters from error

    def get_object(self, request: HttpRequest, object_id: str, from_field: str | None = None) -> Any:
        # No row has such a key, and PostgreSQL refuses to look for it.
        return None if "\0" in object_id else super().get_object(request, object_id, from_field)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        if len(search_term) > _SEARCH_LENGTH:
            raise IncorrectLookupParameters
        return super().get_search_results(request, queryset, search_term)
