"""The views of the way there and back, loaded when they are first asked: most instances have no provider."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.openid.person import configured


def begin(request: HttpRequest) -> HttpResponseBase:
    configured()
    from accounts.openid.pages import Begin

    answer: HttpResponseBase = Begin.as_view()(request)
    return answer


def callback(request: HttpRequest) -> HttpResponseBase:
    configured()
    from accounts.openid.pages import Callback

    answer: HttpResponseBase = Callback.as_view()(request)
    return answer
