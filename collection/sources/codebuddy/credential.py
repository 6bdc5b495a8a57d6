"""Opens an account's usage with its cookie."""

from collections.abc import Mapping

from django.conf import settings
from django.utils.translation import gettext

from accounts import config, credential
from accounts.archive_changes import WrongField
from accounts.config import InstanceSettings
from accounts.credential_forms import CredentialForm
from archive_site.lib import clock
from archive_site.lib.i18n import sentences
from archive_site.lib.stored_message import Message
from collection import account_of_archive
from collection.sources.codebuddy.pasted_requests import read_pasted
from collection.sources.codebuddy.reader import Upstream
from collection.sources.codebuddy.session_cookie import account_of, secret_parts, session_expiry
from collection.sources.codebuddy.traits import TRAITS
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.source import SourceFailure, Work

FORM = CredentialForm(
    TRAITS.kind,
    # It also refuses a good cookie with the User-Agent of another browser.
    settings=("cookie", "user_agent"),
    read=read_pasted,
    ends_at=session_expiry,
    secret_parts=secret_parts,
    account=account_of,
    warnings=account_of_archive.warnings,
)


def opened(archive_id: int, instance: InstanceSettings, work: Work) -> Upstream:
    """The usage of an archive's account. Raises SourceFailure `missing` or `broken` for its cookie."""
    asked = upstream_settings(archive_id, instance)
    return Upstream(asked, should_stop=work.should_stop, note=work.note, now=clock.now)


def stored(archive_id: int, given: Mapping[str, object]) -> list[str]:
    """Store a cookie, and the User-Agent of its browser, as the settings do. Raises WrongField."""
    unknown = [name for name in given if name not in FORM.settings]
    if unknown:
        raise WrongField(
            "credential", gettext("A credential of this kind has %(fields)s.") % {"fields": ", ".join(FORM.settings)}
        )
    outcome = config.write(given, archive_id=archive_id, may_edit_instance=False)
    if outcome.errors:
        raise WrongField("credential", sentences(outcome.errors))
    return outcome.warnings


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
