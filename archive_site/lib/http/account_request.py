"""A request of somebody who is signed in, and the decorators that let no other request reach a page."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

if TYPE_CHECKING:
    # The account model, by the name that the stubs of Django give it: the library imports no app.
    from django.contrib.auth.models import _User


class AccountRequest(HttpRequest):
    """What the views behind `endpoint`, `signed_in_page` and `admin_page` take."""

    user: "_User"


Page = Callable[..., HttpResponseBase]


def admins_only(view: Page) -> Page:
    """Raise PermissionDenied for others who are signed in."""

    @wraps(view)
    def guarded(request: AccountRequest, *args: Any, **path: Any) -> HttpResponseBase:
        if not request.user.is_admin:
            raise PermissionDenied
        return view(request, *args, **path)

    return guarded


def signed_in_page(view: Page) -> Page:
    """A page for everybody who is signed in, by GET and HEAD, that no cache keeps. Others are led to the sign-in."""
    return never_cache(require_safe(login_required(view)))


def admin_page(view: Page) -> Page:
    """A page for administrators, as `signed_in_page` otherwise."""
    return signed_in_page(admins_only(view))
