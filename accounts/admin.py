"""Accounts and settings on the admin site: accounts can be changed, settings only read; no secret is shown."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import ModelAdmin, SimpleListFilter
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.options import IncorrectLookupParameters
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from accounts.actor import actor_of
from accounts.archives import of_account
from accounts.models import INSTANCE, Archive, Setting, User
from accounts.signin.reauthentication import is_needed
from accounts.signin.reauthentication_page import ask
from accounts.user_changes import update
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.parameter_parsing import whole_number
from archive_site.lib.i18n import sentences
from archive_site.lib.readonly_admin import BOOLEAN, NamedChoices, ReadOnlyAdmin, code, count

# The cookie is secret; the User-Agent is shown only to its owner.
_HIDDEN = {
    "cookie": _("(encrypted)"),
    "token": _("(encrypted)"),
    "notice_addresses": _("(encrypted)"),
    "user_agent": _("(personal)"),
}


class ArchiveFilter(SimpleListFilter):
    """Rows of one account and its archives, for tables that refer to these by id."""

    title = _("account")
    parameter_name = "account"
    column = "archive_id"

    def lookups(self, request: HttpRequest, model_admin: "ModelAdmin[Any]") -> Iterable[tuple[Any, str]]:
        return [(str(pk), name) for pk, name in User.objects.values_list("pk", "username")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        if value is None:
            return queryset
        if not (value.isascii() and value.isdigit() and len(value) < 19):
            raise IncorrectLookupParameters
        return queryset.filter(**{f"{self.column}__in": of_account(int(value))})


class OwnerFilter(ArchiveFilter):
    column = "user_id"


class OfArchiveAdmin(ReadOnlyAdmin):
    """Rows of an account or of one of its archives, shown with the name of the account."""

    column = "archive_id"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        # No archive has the id of the instance; a deleted account may have its first one no more.
        owner = Subquery(Archive.objects.filter(pk=OuterRef(self.column)).values("user_id"))
        name = Subquery(User.objects.filter(pk=OuterRef("owner_id")).values("username"))
        rows = super().get_queryset(request).annotate(owner_id=Coalesce(owner, F(self.column)))
        named: QuerySet[Any] = rows.annotate(account_name=name)
        return named

    @admin.display(description=_("account"))
    def account(self, row: Any) -> str:
        if row.owner_id == INSTANCE:
            return gettext("instance")
        return row.account_name or gettext("%(id)s (deleted)") % {"id": row.owner_id}


def _each(words: str, change: dict[str, str]) -> Any:
    """An action on the selected accounts: the change that the API makes, with its guards and audit entry."""

    @admin.action(description=_(words))
    def act(model_admin: "ModelAdmin[User]", request: AccountRequest, chosen: QuerySet[User]) -> HttpResponse | None:
        if is_needed(request.session):
            return ask(request.get_full_path())
        actor = actor_of(request)
        for user in chosen.order_by("pk"):
            try:
                update(user.pk, change, actor)
                said = gettext("Saved: %(name)s.") % {"name": user.username}
                model_admin.message_user(request, said, messages.SUCCESS)
            except ValidationError as error:
                refusal = {"name": user.username, "reason": sentences(error.messages)}
                said = gettext("Not changed: %(name)s. %(reason)s") % refusal
                model_admin.message_user(request, said, messages.ERROR)
        return None

    act.__name__ = words.lower().replace(" ", "_")
    return act


@admin.register(User)
class UserAdmin(ReadOnlyAdmin):
    actions = (
        _each(gettext_noop("Enable"), {"status": User.ACTIVE}),
        _each(gettext_noop("Disable"), {"status": User.DISABLED}),
        _each(gettext_noop("Make administrator"), {"is_admin": "1"}),
        _each(gettext_noop("Remove administrator role"), {"is_admin": "0"}),
    )
    row, rows = _("account"), _("accounts")
    labels = {
        "username": _("name"), "display_name": _("shown name"), "email": _("mail address"),
        "is_admin": _("administrator"), "status": _("status"), "created_at": _("created"),
        "register_ip": _("registered from"), "last_login_at": _("last sign-in"),
        "last_login_ip": _("last sign-in from"),
    }  # fmt: skip
    codes = {"is_admin": BOOLEAN, "status": {User.ACTIVE: _("active"), User.DISABLED: _("disabled")}}
    list_display = (
        "username", "display_name", "email", "shown_is_admin", "shown_status", "last_login_at", "shown_login_count",
    )  # fmt: skip
    list_filter = ("is_admin", ("status", NamedChoices))
    search_fields = ("username", "display_name", "email")
    ordering = ("id",)
    fields = (
        "id", "username", "display_name", "email", "shown_is_admin", "shown_status", "created_at", "register_ip",
        "last_login_at", "last_login_ip", "shown_login_count",
    )  # fmt: skip
    shown_is_admin = code("is_admin", _("administrator"))
    shown_status = code("status", _("status"))
    shown_login_count = count("login_count", _("sign-ins"))

    def response_action(self, request: HttpRequest, queryset: QuerySet[Any], *args: Any) -> HttpResponse | None:
        if not all(map(whole_number, request.POST.getlist(ACTION_CHECKBOX_NAME))):
            raise SuspiciousOperation("A selected row has no such id.")
        return super().response_action(request, queryset, *args)


@admin.register(Setting)
class SettingAdmin(OfArchiveAdmin):
    column = "user_id"
    row, rows = _("setting"), _("settings")
    labels = {"key": _("key"), "updated_at": _("updated")}
    list_display = ("key", "account", "shown_value", "updated_at")
    list_filter = (OwnerFilter,)
    search_fields = ("key",)
    ordering = ("user_id", "key")
    fields = ("account", "key", "shown_value", "updated_at")

    @admin.display(description=_("value"))
    def shown_value(self, setting: Setting) -> str:
        return str(_HIDDEN.get(setting.key, setting.value))
