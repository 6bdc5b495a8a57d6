"""Requests of signed-in accounts, and decorators that require them for pages."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.auth.decorators import login_required as django_login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

if TYPE_CHECKING:
    # The stubs' name for the account model: the library imports no app.
    from django.contrib.auth.models import _User


class AccountRequest(HttpRequest):
    """The request of views behind `endpoint`, `signed_in_page` and `admin_page`."""

    user: "_User"


Page = Callable[..., HttpResponseBase]
# Django refuses to redirect to an address of over 2,048 letters, and quoting takes up to three for one.
_LONGEST_RETURN = 600


def login_required(view: Page) -> Page:
    """Lead visitors to `/login`, and from there back here unless the address is very long."""
    guarded = django_login_required(view)

    @wraps(view)
    def answer(request: HttpRequest, *args: Any, **path: Any) -> HttpResponseBase:
        if len(request.get_full_path()) > _LONGEST_RETURN and not request.user.is_authenticated:
            return HttpResponseRedirect(settings.LOGIN_URL)
        return guarded(request, *args, **path)

    return answer


def admins_only(view: Page) -> Page:
    """Raise PermissionDenied for a signed-in account that is not an administrator."""

    @wraps(view)
    def guarded(request: AccountRequest, *args: Any, **path: Any) -> HttpResponseBase:
        if not request.user.is_admin:
            raise PermissionDenied
        return view(request, *args, **path)

    return guarded


def signed_in_page(view: Page) -> Page:
    """A page for signed-in accounts, by GET and HEAD, never cached. Others are redirected to `/login`."""
    return never_cache(require_safe(login_required(view)))


def admin_page(view: Page) -> Page:
    """A `signed_in_page` for administrators only."""
    return signed_in_page(admins_only(view))
