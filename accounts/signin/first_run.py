"""Creating the first administrator on a page that only a one-time link opens (docs/api.md#first-run)."""

import hmac

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from accounts.account_creation import create_account
from accounts.models import Store, User
from accounts.tokens.token_text import hash_of, new_link_token
from archive_site.lib.storage.transaction_locks import lock_accounts
from archive_site.lib.stored_message import Message
from audit import log


def issue_token() -> str | None:
    """A new token for the first-run link, None once any account exists. Earlier links become invalid."""
    with transaction.atomic():
        lock_accounts()
        if User.objects.exists():
            return None
        token = new_link_token()
        Store.objects.update(first_run_token=hash_of(token))
    return token


def is_open(token: str) -> bool:
    """Whether the link still opens the first-run page."""
    kept = Store.objects.values_list("first_run_token", flat=True).first() or ""
    return bool(kept) and hmac.compare_digest(kept, hash_of(token)) and not User.objects.exists()


def create_first_admin(
    token: str, username: str, password: str, repeated: str, *, email: str = "", ip: str = ""
) -> User:
    """Create the administrator and use up the token. Raises ValidationError; the link then stays valid."""
    with transaction.atomic():
        lock_accounts()
        if not is_open(token):
            raise ValidationError(gettext("This link is no longer valid: an account already exists."))
        admin = create_account(username, password, repeated, email=email, is_admin=True)
        Store.objects.update(first_run_token="")
        detail = Message("first_administrator_created")
        log.record("first_run", actor=admin.username, user_id=admin.pk, ip=ip, detail=detail)
    return admin
