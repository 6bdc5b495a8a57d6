"""Settings of accounts and of the instance (docs/api.md#settings).

`declarations` has each setting once, with one of the `setting_kinds`. `rules` checks a value, `validate_and_store`
stores a map of them, `values` reads them with their defaults, and `form` arranges them on the `page`.
"""

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
    wants_packages,
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
    "wants_packages",
    "wants_prompts",
    "write",
]
