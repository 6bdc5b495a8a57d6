"""Pages that show the archive."""

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts import credential
from accounts.config import instance_settings
from accounts.models import User
from usage.models import DayGroup

# Where on the upstream service a person sees the own usage.
USAGE_PAGE = "/profile/plans-usage"


@never_cache
@require_safe
@login_required
def overview(request: HttpRequest) -> HttpResponse:
    """Figures and newest records; the first steps while nothing is archived."""
    user = request.user
    assert isinstance(user, User)
    context = {
        "cookie": credential.state(user.pk),
        "has_records": DayGroup.objects.filter(user_id=user.pk).exists(),
        "usage_page": instance_settings().api_base + USAGE_PAGE,
    }
    return render(request, "overview.html", context)
