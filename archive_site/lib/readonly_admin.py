"""The base of all pages of the admin site: they show rows and change none.

Lists answer the filters that they offer, and no other look-ups: docs/decisions/accounts.md#filters-of-the-admin-site.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.db import DataError
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

# ModelAdmin is generic in the type stubs only.
if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

    _ModelAdmin = admin.ModelAdmin[Any]
else:
    _ModelAdmin = admin.ModelAdmin

# Longer searches could exceed the limits of SQLite for patterns and for the depth of an expression.
_SEARCH_LENGTH = 200
# Django's icons of a boolean have English names in every language.
BOOLEAN = {True: _("Yes"), False: _("No")}


class _Count(int):
    """A number whose text has its thousands apart. Django's own separator follows the language: Chinese has none."""

    def __str__(self) -> str:
        return f"{int(self):,}"


class _OfferedFilters(ChangeList):
    """A list whose only look-ups are those of its filters, each with one printable value."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_count = _Count(self.result_count)

    def get_filters(self, request: HttpRequest) -> Any:
        values = self.get_filters_params().values()
        if not all(len(each) == 1 and each[0].isprintable() for each in values):
            raise IncorrectLookupParameters
        found = super().get_filters(request)
        left_over = found[2]
        if left_over:
            raise IncorrectLookupParameters
        return found


class _Named(admin.FieldListFilter):
    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        codes = cast("Any", changelist.model_admin).codes[self.field.name]
        names = {**codes, **{title: codes[value] for value, title in self.field.flatchoices}}
        for choice in super().choices(changelist):
            yield {**choice, "display": names.get(choice["display"], choice["display"])}


class NamedChoices(_Named, admin.ChoicesFieldListFilter):
    """A filter by a field of codes, under the names that its page gives them in `codes`."""


class NamedValues(_Named, admin.AllValuesFieldListFilter):
    """The same for a field whose codes are those that occur."""


def code(field: str, label: "str | _StrPromise") -> Callable[[Any, Any], str]:
    """A column that names the codes of a field as the page does in `codes`."""

    @admin.display(description=label, ordering=field)
    def named(page: ReadOnlyAdmin, row: Any) -> str:
        value = getattr(row, field)
        return str(page.codes[field].get(value, value))

    return named


def count(field: str, label: "str | _StrPromise") -> Callable[[Any, Any], str]:
    """A column of numbers with their thousands apart."""

    @admin.display(description=label, ordering=field)
    def separated(page: ReadOnlyAdmin, row: Any) -> str:
        value = getattr(row, field)
        return "-" if value is None else f"{value:,}"

    return separated


class ReadOnlyAdmin(_ModelAdmin):
    """Shows rows to administrators; adds, changes and deletes none: docs/decisions/accounts.md#one-way-in."""

    # What a row and rows are called, and what fields are, by their names. A verbose name of the model itself would be
    # part of its migrations.
    row: "str | _StrPromise" = ""
    rows: "str | _StrPromise" = ""
    labels: Mapping[str, "str | _StrPromise"] = {}
    # The names of the codes in a field, by field and code.
    codes: Mapping[str, Mapping[Any, "str | _StrPromise"]] = {}
    # No actions on selected rows, not even those that an app registers, unless a page lists them.
    actions: Any = None
    list_per_page = 50
    show_full_result_count = False
    # Counts beside the filters read the table once per choice, which takes too long for records of many accounts.
    show_facets = admin.ShowFacets.NEVER

    def __init__(self, model: type[Model], site: admin.AdminSite) -> None:
        super().__init__(model, site)
        model._meta.verbose_name, model._meta.verbose_name_plural = self.row, self.rows
        for name, label in self.labels.items():
            setattr(model._meta.get_field(name), "verbose_name", label)  # noqa: B010 - reverse relations have none

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
