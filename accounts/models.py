"""Accounts, settings, and the identity of the store."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.db import models, transaction
from django.utils.translation import gettext_lazy as _

from accounts.session_stores.session_store import Session as Session
from archive_site.lib import clock
from archive_site.lib.environment import PASSWORD_MOST
from archive_site.lib.normal_form import normal_form

NAME_LENGTH = 64
EMAIL_LENGTH = 128
INSTANCE = 0
# What the first archive of each account holds.
FIRST_ARCHIVE = {"kind": "codebuddy", "label": "CodeBuddy", "unit": "credits"}


def username_key(username: str) -> str:
    """The name with width and case folded, so that all spellings of one name are equal.

    No name has the NUL character, which PostgreSQL does not take.
    """
    username = username.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return normal_form("NFKC", normal_form("NFKC", username.strip()).casefold())


class UserManager(BaseUserManager["User"]):
    def get_by_natural_key(self, username: str | None) -> "User":
        return self.get(username_key=username_key(username or ""))

    def named(self, username: str) -> "User | None":
        """The account of that name, in any case and width."""
        return self.filter(username_key=username_key(username)).first()

    def active_admins(self) -> models.QuerySet["User"]:
        return self.filter(is_admin=True, status=User.ACTIVE)


class User(AbstractBaseUser):
    """An account (docs/api.md#user). Django's flags follow from `is_admin` and `status`."""

    ACTIVE = "active"
    DISABLED = "disabled"
    THEMES = {"auto": _("As the system has it"), "light": _("Light"), "dark": _("Dark")}
    # Whether it has a second factor, or lacks one that the instance requires.
    NO_FACTOR, HAS_FACTOR, LACKS_FACTOR = "none", "set", "lacking"

    last_login = None
    username = models.CharField(max_length=32, unique=True)
    username_key = models.CharField(max_length=128, unique=True, editable=False)
    display_name = models.CharField(max_length=NAME_LENGTH)
    email = models.CharField(max_length=EMAIL_LENGTH, null=True, blank=True)
    is_admin = models.BooleanField(default=False)
    status = models.CharField(max_length=8, default=ACTIVE, choices=[(ACTIVE, "active"), (DISABLED, "disabled")])
    created_at = models.DateTimeField(default=clock.now, editable=False)
    register_ip = models.CharField(max_length=45, null=True, blank=True, editable=False)
    last_login_at = models.DateTimeField(null=True, blank=True, editable=False)
    last_login_ip = models.CharField(max_length=45, null=True, blank=True, editable=False)
    login_count = models.PositiveIntegerField(default=0, editable=False)
    session_version = models.PositiveIntegerField(default=1, editable=False)
    # Empty means the language of the browser.
    language = models.CharField(max_length=8, default="", db_default="", blank=True)
    theme = models.CharField(max_length=5, default="auto", db_default="auto", choices=THEMES)
    # Known without a query to each request; `accounts/second_factor/factors.py` computes it.
    second_factor = models.CharField(max_length=8, default=NO_FACTOR, db_default=NO_FACTOR, editable=False)

    USERNAME_FIELD = "username"
    REQUIRED_FIELDS: ClassVar[list[str]] = []
    objects = UserManager()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return self.username

    def save(self, *args: Any, **kwargs: Any) -> None:
        self.username_key = username_key(self.username)
        self.display_name = self.display_name or self.username
        if not self._state.adding:
            super().save(*args, **kwargs)
            return
        with transaction.atomic():
            super().save(*args, **kwargs)
            Archive.objects.create(id=self.pk, user_id=self.pk, **FIRST_ARCHIVE)

    def has_password(self, text: str) -> bool:
        """Whether a text that somebody sent is the password.

        JSON can contain lone surrogates, which cannot be hashed; no password has them.
        """
        return self.check_password(text[: PASSWORD_MOST + 1].encode(errors="replace").decode())

    @property
    def is_active(self) -> bool:  # type: ignore[override]
        return self.status == self.ACTIVE

    @property
    def is_staff(self) -> bool:
        return self.is_admin

    @property
    def is_superuser(self) -> bool:
        return self.is_admin

    @property
    def role(self) -> str:
        return "admin" if self.is_admin else "user"

    def has_perm(self, permission: str, obj: object = None) -> bool:
        return self.is_active and self.is_admin

    def has_perms(self, permissions: list[str], obj: object = None) -> bool:
        return self.is_active and self.is_admin

    def has_module_perms(self, app_label: str) -> bool:
        return self.is_active and self.is_admin

    def get_short_name(self) -> str:
        return self.display_name

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        """Django's hash of the password, and the session version: raising it ends sessions (docs/api.md#sessions)."""
        of_password = super()._get_session_auth_hash(secret)  # type: ignore[misc]
        return f"{of_password}:{self.session_version}"


class Archive(models.Model):
    """What one source bills one person. The first archive of an account has the account's own id.

    Its calls, sums, runs and budgets are found by its id and may outlive the account: so nothing here has a constraint.
    The ids of further archives begin at `FIRST_OF_FURTHER`, which no account's id reaches
    (docs/decisions/accounts.md#archives-of-an-account).
    """

    FIRST_OF_FURTHER = 2**32
    LABEL_LENGTH = 60

    user_id = models.BigIntegerField(db_index=True)
    # The source, and the unit in which it bills.
    kind = models.CharField(max_length=20)
    label = models.CharField(max_length=LABEL_LENGTH)
    unit = models.CharField(max_length=16)
    # Where the source is asked; empty where the kind or the instance says so.
    address = models.CharField(max_length=255, blank=True, default="", db_default="")
    # Whose files an archive of files holds; empty where its first file says so, and of other kinds.
    file_format = models.CharField(max_length=20, blank=True, default="", db_default="")
    # The archive whose days its bills prove.
    proves_id = models.BigIntegerField(null=True, db_index=True)
    # Since when it is being erased: nobody finds it any more.
    deleted_at = models.DateTimeField(null=True, editable=False)

    def __str__(self) -> str:
        return self.label


class Setting(models.Model):
    """One stored setting (docs/api.md#setting). `user_id` 0 is the instance; the value of a cookie is encrypted."""

    user_id = models.BigIntegerField(default=INSTANCE)
    key = models.CharField(max_length=64)
    value = models.TextField(blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user_id", "key"], name="one_value_per_scope_and_key")]

    def __str__(self) -> str:
        return f"{self.key} of {self.user_id or 'the instance'}"


class CookieLifetime(models.Model):
    """When a cookie of an account was set, and when the source refused it; the cookie by a keyed hash."""

    user_id = models.BigIntegerField(db_index=True)
    cookie_hash = models.CharField(max_length=64)
    set_at = models.DateTimeField()
    refused_at = models.DateTimeField(null=True)


class Store(models.Model):
    """The identity of the store; one row."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    store_id = models.UUIDField(default=uuid.uuid4)
    time_zone = models.CharField(max_length=64)
    key_fingerprint = models.CharField(max_length=16)
    first_run_token = models.CharField(max_length=64, blank=True)  # its hash
    created_at = models.DateTimeField(default=clock.now)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(id=1), name="one_store")]

    def __str__(self) -> str:
        return str(self.store_id)


class Captcha(models.Model):
    """A captcha: its purpose and a keyed hash of its answer; the session holds its id (docs/api.md#captcha)."""

    id = models.CharField(max_length=32, primary_key=True)
    purpose = models.CharField(max_length=8)
    answer_hash = models.CharField(max_length=64)
    expires_at = models.DateTimeField(db_index=True)


class Erasure(models.Model):
    """A deleted account, or a deleted archive, whose data is still to be erased; the row is deleted at the end."""

    user_id = models.BigIntegerField(primary_key=True)
    requested_at = models.DateTimeField(default=clock.now)


class Invitation(models.Model):
    """An open invitation link, by the hash of its token (docs/api.md#invitations)."""

    token_hash = models.CharField(max_length=64, unique=True)
    # Empty where the invited person chooses the user name.
    username = models.CharField(max_length=32, blank=True)
    display_name = models.CharField(max_length=NAME_LENGTH, blank=True)
    created_by = models.BigIntegerField()
    created_at = models.DateTimeField(default=clock.now)
    expires_at = models.DateTimeField(db_index=True)


class ApiToken(models.Model):
    """A personal token that was not revoked, by the hash of its text (docs/api.md#tokens)."""

    NAME_LENGTH = 60

    # Deleted with the account. Without a constraint, since no other table of accounts has one.
    user = models.ForeignKey(User, models.CASCADE, db_constraint=False, related_name="+")
    name = models.CharField(max_length=NAME_LENGTH)
    # Separated by blanks.
    scopes = models.CharField(max_length=32)
    beginning = models.CharField(max_length=8)
    token_hash = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=clock.now)
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.beginning

    @property
    def scope_list(self) -> list[str]:
        return self.scopes.split()

    @property
    def has_ended(self) -> bool:
        return self.expires_at is not None and self.expires_at <= clock.now()


class SecondFactor(models.Model):
    """The codes that an account is asked for after its password (docs/api.md#second-factor)."""

    # As with tokens.
    user = models.OneToOneField(User, models.CASCADE, primary_key=True, db_constraint=False, related_name="+")
    # What codes are computed from, encrypted, and what they will be computed from once a code of it was given.
    sealed = models.TextField(blank=True)
    pending = models.TextField(blank=True)
    # The 30 seconds whose code was used last: a code works once.
    last_step = models.BigIntegerField(default=0)
    # What passkeys call the account.
    handle = models.UUIDField(default=uuid.uuid4, unique=True)
    # Whether a passkey signs in without the password.
    passkeys_alone = models.BooleanField(default=False)


class Passkey(models.Model):
    """A passkey of an account: its public key, which is no secret."""

    NAME_LENGTH = 60

    # As with tokens.
    user = models.ForeignKey(User, models.CASCADE, db_constraint=False, related_name="+")
    name = models.CharField(max_length=NAME_LENGTH)
    credential_id = models.CharField(max_length=1400, unique=True)
    public_key = models.TextField()
    # How often it was used, where it counts.
    sign_count = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=clock.now)
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class RecoveryCode(models.Model):
    """A recovery code that was not used, by its hash."""

    # As with tokens.
    user = models.ForeignKey(User, models.CASCADE, db_constraint=False, related_name="+")
    code_hash = models.CharField(max_length=64, unique=True)


class ExternalIdentity(models.Model):
    """The person at a provider of sign-ins to whom an account belongs (docs/api.md#sign-in-elsewhere)."""

    # As with tokens.
    user = models.OneToOneField(User, models.CASCADE, primary_key=True, db_constraint=False, related_name="+")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=clock.now)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="one_account_of_a_person")]

    def __str__(self) -> str:
        return self.subject


class Webhook(models.Model):
    """An address that is sent signed events (docs/webhooks.md), encrypted with its secret, and its last answer."""

    # As with tokens.
    user = models.ForeignKey(User, models.CASCADE, db_constraint=False, related_name="+")
    identity = models.UUIDField(default=uuid.uuid4, unique=True)
    sealed = models.TextField()
    shown = models.CharField(max_length=40)
    # What it is sent.
    collections = models.BooleanField(default=True)
    notices = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=clock.now)
    tried_at = models.DateTimeField(null=True)
    # Null where none was answered.
    status = models.PositiveSmallIntegerField(null=True)
    reason = models.CharField(max_length=16, blank=True)

    def __str__(self) -> str:
        return f"webhook {self.pk}"


class Notice(models.Model):
    """A notice of one cause to an account, from when it was found until it was over (docs/api.md#notices).

    `cause` distinguishes the causes of one event; the texts are stored messages, or the body of what webhooks are sent.
    """

    identity = models.UUIDField(default=uuid.uuid4, unique=True)
    user_id = models.BigIntegerField()
    event = models.CharField(max_length=24)
    cause = models.CharField(max_length=200)
    stored_begin = models.TextField()
    stored_end = models.TextField(blank=True)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["user_id", "id"], name="notice_by_account")]
        constraints = [
            models.UniqueConstraint(
                fields=["user_id", "event", "cause"],
                condition=models.Q(ended_at=None),
                name="one_open_notice_of_a_cause",
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} of {self.user_id}"


class Delivery(models.Model):
    """One part of a notice for one address, which is named by a keyed hash, or for a webhook, named by its identity.

    `shown` is its scheme, which people see once the address is removed.
    """

    class Part(models.TextChoices):
        BEGIN = "begin"
        END = "end"

    class State(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        FAILED = "failed"
        # Its address was removed, or a restore put back what may have been sent since.
        DROPPED = "dropped"

    notice = models.ForeignKey(Notice, models.CASCADE, related_name="deliveries")
    user_id = models.BigIntegerField()
    part = models.CharField(max_length=5, choices=Part.choices)
    address = models.CharField(max_length=64)
    shown = models.CharField(max_length=40)
    state = models.CharField(max_length=7, choices=State.choices, default=State.WAITING)
    reason = models.CharField(max_length=16, blank=True)
    # Why the service refused it, in its words.
    said = models.CharField(max_length=200, blank=True)
    tries = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField()
    # While a process sends it.
    claimed_at = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["next_at"], name="delivery_waiting", condition=models.Q(state="waiting"))]
        constraints = [models.UniqueConstraint(fields=["notice", "part", "address"], name="one_delivery_to_an_address")]

    def __str__(self) -> str:
        return f"{self.part} of {self.notice_id} to {self.shown}"
