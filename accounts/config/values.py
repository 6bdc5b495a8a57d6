"""Reading settings: the account's value, else the instance's, else the default."""

from typing import Any

from accounts.config.declarations import INSTANCE_KEYS, KEYS, InstanceSettings
from accounts.config.setting_kinds import Key
from accounts.models import INSTANCE, Setting
from accounts.setting_rows import value_of

MEGABYTE = 1_000_000
# The stored limit of an account as SQL, for a query that reads it together with rows of another app.
ACCOUNT_LIMIT = f"(SELECT value FROM accounts_setting WHERE user_id = {INSTANCE} AND key = 'max_account_megabytes')"  # noqa: S608 - a constant


def effective(archive_id: int) -> dict[str, str]:
    """Every key with its value for an archive, the cookie always empty (GET /api/settings). One query."""
    names = [name for name in KEYS if name != "cookie"]
    rows = Setting.objects.filter(user_id__in=[INSTANCE, archive_id], key__in=names)
    stored = {(scope, name): value for scope, name, value in rows.values_list("user_id", "key", "value")}

    def resolved(name: str, key: Key[Any]) -> str:
        # Personal settings never fall back to the instance.
        scopes = [archive_id] if key.scope == "personal" else [archive_id, INSTANCE]
        values = [_usable(key, stored[scope, name]) for scope in scopes if (scope, name) in stored]
        return next((value for value in values if value), key.default)

    return {name: resolved(name, key) for name, key in KEYS.items()}


def instance_values() -> dict[str, str]:
    """Every instance key with its value for the instance. One query."""
    rows = Setting.objects.filter(user_id=INSTANCE, key__in=INSTANCE_KEYS).values_list("key", "value")
    stored = dict(rows)
    return {name: _usable(KEYS[name], stored.get(name, "")) or KEYS[name].default for name in INSTANCE_KEYS}


def instance_settings() -> InstanceSettings:
    """The instance's settings with their types. One query."""
    return InstanceSettings(**{name: KEYS[name].read(value) for name, value in instance_values().items()})


def wants_prompts() -> bool:
    """Whether the instance stores prompts. One query, of one row."""
    return bool(_value_now("max_prompt"))


def wants_packages() -> bool:
    """Whether the instance asks for packages, orders and daily sums. One query, of one row."""
    return bool(_value_now("packages"))


def account_limit(stored: str | None) -> int | None:
    """The bytes that an account may store, from the value of `ACCOUNT_LIMIT`; None without a limit."""
    key: Key[Any] = KEYS["max_account_megabytes"]
    megabytes = int(key.read(_usable(key, stored or "") or key.default))
    return megabytes * MEGABYTE or None


def user_agent(archive_id: int) -> str:
    """The archive's User-Agent, empty if it has none."""
    return value_of(archive_id, "user_agent") or ""


def _value_now(name: str) -> Any:
    key: Key[Any] = KEYS[name]
    return key.read(_usable(key, value_of(INSTANCE, name) or "") or key.default)


def _usable(key: Key[Any], value: str) -> str:
    """The stored value; empty if another version stored a value that this one does not accept."""
    try:
        return key.normalise(value) if value else ""
    except ValueError:
        return ""
