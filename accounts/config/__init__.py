"""Settings: declared once (`declarations`), read (`values`), stored (`validate_and_store`), on the page (`form`)."""

from accounts.config.declarations import GLOBAL_KEYS, INSTANCE_KEYS, KEYS, USER_KEYS, InstanceSettings
from accounts.config.validate_and_store import SettingsWritten, unknown_key, write
from accounts.config.values import (
    ACCOUNT_LIMIT,
    MEGABYTE,
    account_limit,
    effective,
    instance_settings,
    instance_values,
    user_agent,
    wants_prompts,
)

__all__ = [
    "ACCOUNT_LIMIT",
    "GLOBAL_KEYS",
    "INSTANCE_KEYS",
    "KEYS",
    "MEGABYTE",
    "USER_KEYS",
    "InstanceSettings",
    "SettingsWritten",
    "account_limit",
    "effective",
    "instance_settings",
    "instance_values",
    "unknown_key",
    "user_agent",
    "wants_prompts",
    "write",
]
