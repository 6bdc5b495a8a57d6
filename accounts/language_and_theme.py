"""The language and theme of the pages, as an account chooses them."""

from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_vary_headers

from accounts.models import User

BY_BROWSER = ""
# The only page among the addresses of programs.
_PAGE_OF_API = "/api/docs"
LANGUAGES = (BY_BROWSER, *(code for code, _ in settings.LANGUAGES))


def clean_language(language: str) -> str:
    """A language of the pages; empty for the browser's. Raises ValidationError."""
    if language not in LANGUAGES:
        words = translation.gettext("language must be empty or one of %(languages)s.")
        raise ValidationError(words % {"languages": ", ".join(LANGUAGES[1:])})
    return language


def clean_theme(theme: str) -> str:
    """A theme of the pages. Raises ValidationError."""
    if theme not in User.THEMES:
        words = translation.gettext("theme must be one of %(themes)s.")
        raise ValidationError(words % {"themes": ", ".join(User.THEMES)})
    return theme


def speak_own_language(get_response: Callable[[HttpRequest], HttpResponseBase]) -> object:
    """Middleware: answer in the language of the account, else the one chosen in the browser, else the browser's."""

    def respond(request: HttpRequest) -> HttpResponseBase:
        chosen = request.user.language if isinstance(request.user, User) else BY_BROWSER
        with translation.override(chosen or _language_named(request)):
            response = get_response(request)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ["Accept-Language"])
        return response

    return respond


def _language_named(request: HttpRequest) -> str | None:
    """The language that the browser names. None for a program that names none: English, plain numbers."""
    is_named = "Accept-Language" in request.headers or settings.LANGUAGE_COOKIE_NAME in request.COOKIES
    is_for_programs = request.path_info.startswith("/api/") and request.path_info != _PAGE_OF_API and not is_named
    return None if is_for_programs else translation.get_language_from_request(request)
