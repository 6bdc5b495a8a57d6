"""The way to the provider and back (docs/api.md#sign-in-elsewhere).

The library keeps state, nonce and code verifier in the session; what the way is for stands beside them.
"""

import logging
from threading import BoundedSemaphore
from typing import Any, Literal
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt
import requests
from django.conf import settings
from django.core.exceptions import SuspiciousOperation, ValidationError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext, gettext_noop
from django.views.decorators.cache import never_cache
from mozilla_django_oidc.views import OIDCAuthenticationCallbackView, OIDCAuthenticationRequestView

from accounts.actor import Actor
from accounts.models import User
from accounts.openid import identities
from accounts.openid.backend import callback_address, library_settings
from accounts.openid.person import Person, configured
from accounts.openid.provider import ProviderUnavailable, provider
from accounts.second_factor import factors
from accounts.signin import half_in, reauthentication, visitor_sessions
from accounts.signin.forms import throttled_words
from accounts.signin.leading_out import lead_out
from accounts.signin.pages import welcome
from accounts.signin.reauthentication_page import ask
from accounts.signin.second_step import lacks_recent_factor
from accounts.signin.signin import END_SESSION, let_in, record_failure
from accounts.signin.throttling import TooManyFailures, Try, count_try
from archive_site.lib import clock
from archive_site.lib.http import rate_limits
from archive_site.lib.http.account_request import AccountRequest
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.client_address import client_address
from archive_site.lib.http.json_views import error_response, retry_later
from archive_site.lib.http.next_path import next_path
from archive_site.lib.i18n import sentences
from archive_site.lib.stored_message import Message

logger = logging.getLogger(__name__)
_PURPOSES, _STATES = "openid_purposes", "oidc_states"
Purpose = Literal["enter", "link", "again"]
# A proof at the provider that is no more than so many seconds old is a recent one.
_JUST_NOW = 300
# Seconds in which a person comes back from there.
_LONGEST_WAY = 900
# How many answers of visitors the provider is asked about at once.
_ROOM = BoundedSemaphore(4)
SILENT = gettext_noop("The provider of sign-ins does not answer. Try again later.")
UNKNOWN = gettext_noop("No account of this instance belongs to you there. Ask an administrator.")
FAILED = gettext_noop("The sign-in there did not work. Try again.")
# What goes wrong on the way back, other than an error of this program.
_TROUBLE = (
    SuspiciousOperation,
    requests.RequestException,
    jwt.PyJWTError,
    ValueError,
    KeyError,
    TypeError,
)


@method_decorator(never_cache, name="dispatch")
class Begin(OIDCAuthenticationRequestView):  # type: ignore[misc] # the library has no types
    """Leads to the provider: to sign in, to link the account that is signed in, or to prove again who it is."""

    http_method_names = ["get", "head", "post"]

    @staticmethod
    def get_settings(attr: str, *args: Any) -> Any:
        return library_settings(attr, *args)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        configured()
        try:
            super().__init__(*args, **kwargs)
        except ProviderUnavailable:
            # It is said where a page can be given.
            self.OIDC_OP_AUTH_ENDPOINT = ""

    def get(self, request: HttpRequest) -> HttpResponseBase:
        try:
            rate_limits.require_captcha_rate(request)
        except ApiError as error:
            return error_response(error)
        if not self.OIDC_OP_AUTH_ENDPOINT:
            return _said(request, gettext(SILENT), 503)
        self.purpose: Purpose = "again" if request.GET.get("for") == "again" else "enter"
        if self.purpose == "enter" and request.user.is_authenticated:
            return redirect(settings.LOGIN_REDIRECT_URL)
        if self.purpose == "again" and not request.user.is_authenticated:
            return redirect(settings.LOGIN_URL)
        if not request.user.is_authenticated:
            visitor_sessions.begin(request.session)
        return self._led_there(request)

    def post(self, request: AccountRequest) -> HttpResponseBase:
        """To link, which no other page can begin: the form has the token."""
        if not request.user.is_authenticated:
            return redirect(settings.LOGIN_URL)
        if not reauthentication.is_password_recent(request.session) or lacks_recent_factor(request):
            return ask(f"{reverse('profile')}#elsewhere")
        if not self.OIDC_OP_AUTH_ENDPOINT:
            return _said(request, gettext(SILENT), 503)
        self.purpose = "link"
        return lead_out(request, self._led_there(request).headers["Location"])

    def _led_there(self, request: HttpRequest) -> HttpResponseBase:
        """What this way is for is kept beside its state, so that no answer serves another one."""
        answer: HttpResponseBase = super().get(request)
        state = parse_qs(urlsplit(answer.headers["Location"]).query)["state"][0]
        begun = int(clock.now().timestamp())
        purpose = {"for": self.purpose, "account": request.user.pk, "next": next_path(request), "at": begun}
        before = request.session.get(_PURPOSES, {})
        kept = {each: what for each, what in before.items() if each in request.session[_STATES]}
        request.session[_PURPOSES] = {**kept, state: purpose}
        return answer

    def get_extra_params(self, request: HttpRequest) -> dict[str, str]:
        proof = {} if self.purpose == "enter" else {"prompt": "login", "max_age": "0"}
        return {"redirect_uri": callback_address(), **proof}


@method_decorator(never_cache, name="dispatch")
class Callback(OIDCAuthenticationCallbackView):  # type: ignore[misc] # the library has no types
    """Takes back whom the provider has signed in, through the steps of a sign-in with a password."""

    user: Person

    @staticmethod
    def get_settings(attr: str, *args: Any) -> Any:
        return library_settings(attr, *args)

    def get(self, request: HttpRequest) -> HttpResponseBase:
        configured()
        purposes = request.session.get(_PURPOSES, {})
        self.purpose = purposes.pop(request.GET.get("state", ""), None)
        if self.purpose is None:
            # This browser has begun no such way: any page may lead here, as often as it likes.
            return _said(request, gettext(FAILED), 400)
        request.session[_PURPOSES] = purposes
        try:
            self.attempt: Try = count_try("", client_address(request))
        except TooManyFailures as error:
            return retry_later(_said(request, throttled_words(error), 429), error.retry_after)
        # At an error the library would sign out whoever is signed in, at the word of any page that leads here. An
        # answer of another provider is none.
        if request.GET.get("error") or request.GET.get("iss", configured().issuer) != configured().issuer:
            return self.login_failure()
        # The provider may take its time, and others need threads.
        if not _ROOM.acquire(blocking=False):
            self.attempt.take_back()
            return _said(request, gettext(SILENT), 503)
        try:
            answer: HttpResponseBase = super().get(request)
        except ProviderUnavailable:
            self.attempt.take_back()
            return _said(request, gettext(SILENT), 503)
        except _TROUBLE as error:
            logger.warning("A sign-in elsewhere failed: %s", _kind_of(error))
            return self.login_failure()
        finally:
            _ROOM.release()
        return answer

    def login_failure(self) -> HttpResponse:
        record_failure("", None, client_address(self.request), Message("openid_failed"))
        return _said(self.request, gettext(FAILED), 400)

    def login_success(self) -> HttpResponse:
        person, request = self.user, self.request
        try:
            if self.purpose["for"] == "link":
                return self._linked(person)
            if self.purpose["for"] == "again":
                return self._again(person)
            user = identities.account_of(person)
            # The first account of an instance is that of its administrator, by the link of the first run.
            if user is None and configured().creates and User.objects.exists():
                user = identities.created_for(person, client_address(request))
        except ValidationError as error:
            return _said(request, sentences(error.messages), 400)
        if user is None or not user.is_active:
            detail = Message("account_disabled") if user else Message("openid_unknown")
            record_failure(user.username if user else "", user, client_address(request), detail)
            return _said(request, gettext(UNKNOWN), 403)
        if factors.settled(user) == User.HAS_FACTOR:
            self.attempt.take_back()
            half_in.begin(request, user, is_proved=_has_just_proved(person))
        else:
            let_in(request, user, self.attempt, proved_at=clock.now() if _has_just_proved(person) else None)
        request.session[END_SESSION] = _end_of(person)
        return welcome(request, self.purpose["next"])

    def _linked(self, person: Person) -> HttpResponse:
        """Only the session that has begun it links: it has just given the password of its account, and its person there
        has just proved who they are."""
        request = self.request
        user = request.user
        if not isinstance(user, User) or user.pk != self.purpose["account"] or not _has_just_proved(person):
            return self.login_failure()
        # The way there may have been begun days ago, with the password, and stand in the history of the browser.
        if not 0 <= clock.now().timestamp() - self.purpose.get("at", 0) <= _LONGEST_WAY:
            return self.login_failure()
        own = identities.of_account(user.pk)
        if own is not None and own.subject != person.subject:
            raise ValidationError(gettext("Your account belongs to another person there. Remove that first."))
        identities.link(user, person.issuer, person.subject, Actor(user.username, user.pk, client_address(request)))
        self.attempt.take_back()
        return HttpResponseRedirect(f"{reverse('profile')}#elsewhere")

    def _again(self, person: Person) -> HttpResponse:
        """Counts as the password: the same person, who has just proved who they are."""
        request = self.request
        own = identities.of_account(request.user.pk) if request.user.pk else None
        if own is None or own.subject != person.subject or not _has_just_proved(person):
            return self.login_failure()
        self.attempt.take_back()
        reauthentication.note_password(request.session)
        return HttpResponseRedirect(self.purpose["next"] or settings.LOGIN_REDIRECT_URL)


def _has_just_proved(person: Person) -> bool:
    return -60 <= clock.now().timestamp() - (person.authenticated_at or 0) <= _JUST_NOW


def _end_of(person: Person) -> str:
    """The address at which a session there ends, too; empty where the provider has none."""
    try:
        address = provider().end_session
    except ProviderUnavailable:
        return ""
    if not address:
        return ""
    back = {"id_token_hint": person.id_token, "post_logout_redirect_uri": f"{settings.ORIGIN}{reverse('login')}"}
    return f"{address}{'&' if '?' in address else '?'}{urlencode({**back, 'client_id': configured().client_id})}"


def _kind_of(error: Exception) -> str:
    """What went wrong, without its text, which may hold what the provider was sent."""
    answer = error.response if isinstance(error, requests.RequestException) else None
    return type(error).__name__ if answer is None else f"{type(error).__name__} {answer.status_code}"


def _said(request: HttpRequest, words: str, status: int) -> HttpResponse:
    context = {
        "title": gettext("Not signed in"),
        "message": words,
        "status": status,
        "back": settings.LOGIN_URL,
        "back_text": gettext("Sign in"),
    }
    return render(request, "error.html", context, status=status)
