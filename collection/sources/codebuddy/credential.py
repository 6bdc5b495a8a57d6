"""Opens an account's usage with its cookie, or its token."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from django.conf import settings
from django.utils.translation import gettext

from accounts import config
from accounts.archive_changes import WrongField
from accounts.config import InstanceSettings
from accounts.credentials import credential
from accounts.credentials.credential_forms import CredentialForm
from archive_site.lib import clock
from archive_site.lib.i18n import sentences
from archive_site.lib.stored_message import Message
from collection import account_of_archive
from collection.sources.codebuddy import token as token_form
from collection.sources.codebuddy.pasted_requests import read_pasted
from collection.sources.codebuddy.reader import Upstream
from collection.sources.codebuddy.session_cookie import account_of, secret_parts, session_expiry
from collection.sources.codebuddy.token import Token
from collection.sources.codebuddy.traits import TRAITS
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.source import SourceFailure, Work

FORM = CredentialForm(
    TRAITS.kind,
    # It also refuses a good cookie with the User-Agent of another browser.
    settings=("cookie", "user_agent"),
    read=read_pasted,
    ends_at=session_expiry,
    secret_parts=lambda text: chain(secret_parts(text), token_form.secret_parts(text)),
    account=account_of,
    token_ends_at=lambda text: Token.stored(text).ends_at,
    warnings=account_of_archive.warnings,
)


def opened(archive_id: int, instance: InstanceSettings, work: Work) -> Upstream:
    """The usage of an archive's account, by its cookie or its token. Raises SourceFailure `missing` where neither is
    there, `broken` where one cannot be read and the other is not there."""
    found, failures = list[UpstreamSettings](), list[SourceFailure]()
    for settings_of in (upstream_settings, stored_token_settings):
        try:
            found.append(settings_of(archive_id, instance))
        except SourceFailure as failure:
            failures.append(failure)
    if not found:
        raise next((one for one in failures if one.outcome == "broken"), failures[0])
    asked, *others = found
    other = others[0] if others else None
    return Upstream(asked, should_stop=work.should_stop, note=work.note, now=clock.now, other=other)


def stored(archive_id: int, given: Mapping[str, object]) -> list[str]:
    """Store a cookie, and the User-Agent of its browser, as the settings do; a token stands beside it.

    Raises WrongField.
    """
    names = (*FORM.settings, *token_form.FIELDS)
    if any(name not in names for name in given):
        words = gettext("A credential of this kind has %(fields)s.")
        raise WrongField("credential", words % {"fields": ", ".join(names)})
    warnings: list[str] = []
    of_token = {name: value for name, value in given.items() if name in token_form.FIELDS}
    of_settings = {name: value for name, value in given.items() if name in FORM.settings}
    if of_token == {"token": None}:
        credential.clear(archive_id, credential.TOKEN)
    elif of_token:
        token = Token.given(of_token)
        warnings += account_of_archive.warnings(archive_id, f"token={token.token}", token.account)
        credential.store(archive_id, token.text(), credential.TOKEN)
    if of_settings or not of_token:
        outcome = config.write(of_settings, archive_id=archive_id, may_edit_instance=False)
        if outcome.errors:
            raise WrongField("credential", sentences(outcome.errors))
        warnings += outcome.warnings
    return warnings


def stored_token_settings(archive_id: int, instance: InstanceSettings) -> UpstreamSettings:
    """The upstream settings for an account that is asked with its stored token.

    Raises SourceFailure if it is missing or broken.
    """
    try:
        stored_token = credential.reveal(archive_id, credential.TOKEN)
    except credential.NoCredential:
        raise SourceFailure("missing", Message("cookie_missing")) from None
    except credential.BrokenCredential:
        raise SourceFailure("broken", Message("token_unreadable")) from None
    return token_settings(archive_id, instance, Token.stored(stored_token))


def token_settings(archive_id: int, instance: InstanceSettings, token: Token) -> UpstreamSettings:
    """The upstream settings for an account that is asked with a token."""
    return replace(_settings(archive_id, instance, cookie="", user_agent=""), api_base=instance.token_base, token=token)


def upstream_settings(
    archive_id: int, instance: InstanceSettings, *, cookie: str = "", user_agent: str = ""
) -> UpstreamSettings:
    """The upstream settings for an account; `cookie` and `user_agent` replace its stored ones.

    Raises SourceFailure if its cookie is missing or broken.
    """
    try:
        cookie = cookie or credential.reveal(archive_id)
    except credential.NoCredential:
        raise SourceFailure("missing", Message("cookie_missing")) from None
    except credential.BrokenCredential:
        raise SourceFailure("broken", Message("cookie_unreadable")) from None
    return _settings(archive_id, instance, cookie=cookie, user_agent=user_agent)


def _settings(archive_id: int, instance: InstanceSettings, *, cookie: str, user_agent: str) -> UpstreamSettings:
    return UpstreamSettings(
        api_base=instance.api_base,
        api_path=instance.api_path,
        cookie=cookie,
        user_agent=user_agent or config.user_agent(archive_id),
        default_user_agent=f"usage-archive/{settings.VERSION}",
        page_size=instance.page_size,
        timeout=instance.timeout,
        ssl_verify=instance.ssl_verify,
        server_zone=settings.SERVER_ZONE,
        upstream_zone=settings.UPSTREAM_ZONE,
    )
