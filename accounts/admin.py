"""Accounts and settings on the admin site: to look at, without any secret."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest

from accounts.models import INSTANCE, Setting, User
from archive_site.lib.readonly_admin import ReadOnlyAdmin

# A cookie is secret; the rest of what is personal is told to its owner alone.
_HIDDEN = {"cookie": "(encrypted)", "user_agent": "(personal)"}


class AccountFilter(SimpleListFilter):
    """Rows of one account, for tables that name accounts by their id."""

    title = "account"
    parameter_name = "account"

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Iterable[tuple[Any, str]]:
        return [(str(pk), name) for pk, name in User.objects.values_list("pk", "username")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value() or ""
        return queryset.filter(user_id=int(value)) if value.isascii() and value.isdigit() else queryset


class OfAccountAdmin(ReadOnlyAdmin):
    """Rows that carry a `user_id`, shown with the name it belongs to."""

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        name = User.objects.filter(pk=OuterRef("user_id")).values("username")
        rows: QuerySet[Any] = super().get_queryset(request).annotate(account_name=Subquery(name))
        return rows

    @admin.display(description="account")
    def account(self, row: Any) -> str:
        if row.user_id == INSTANCE:
            return "instance"
        return row.account_name or f"{row.user_id} (deleted)"


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    list_display = ("username", "display_name", "email", "is_admin", "status", "last_login_at", "login_count")
    list_filter = ("is_admin", "status")
    search_fields = ("username", "display_name", "email")
    ordering = ("id",)
    fields = (
        "id", "username", "display_name", "email", "is_admin", "status", "created_at", "register_ip",
        "last_login_at", "last_login_ip", "login_count",
    )  # fmt: skip


@admin.register(Setting)
class SettingAdmin(OfAccountAdmin):
    list_display = ("key", "account", "shown_value", "updated_at")
    list_filter = (AccountFilter,)
    search_fields = ("key",)
    ordering = ("user_id", "key")
    fields = ("account", "key", "shown_value", "updated_at")

    @admin.display(description="value")
    def shown_value(self, setting: Setting) -> str:
        return _HIDDEN.get(setting.key, setting.value)
