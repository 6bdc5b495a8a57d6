"""The settings registry and its resolution: personal, then instance, then default (specification 2.4).

The API, the pages, the command and the lists of keys all read it; nothing else knows a default or a bound.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Literal

from django.utils.translation import gettext_lazy as _

from accounts import config_rules as rules
from accounts.models import INSTANCE, Setting
from archive_site.lib.i18n import Words, filled

Scope = Literal["instance", "personal"]


@dataclass(frozen=True)
class Key:
    """One setting. `normalise` gives the stored form, or raises ValueError with a sentence naming what is accepted.

    `listed` keys are those of `_globalKeys`, which the specification closes at 17. `choices` are all values, if few.
    """

    name: str
    scope: Scope
    default: str
    normalise: Callable[[str], str]
    listed: bool
    about: Words
    accepted: Words
    choices: tuple[str, ...] = ()


def _instance(
    name: str, default: str, rule: rules.Rule, about: Words, accepted: Words, *, listed: bool = True
) -> tuple[str, Key]:
    return name, Key(name, "instance", default, rule, listed, about, accepted)


def _switch(name: str, default: str, about: Words, *, listed: bool = True) -> tuple[str, Key]:
    return _instance(name, default, rules.boolean, about, _("1 or 0"), listed=listed)


def _number(name: str, default: int, span: tuple[int, int], about: Words, *, listed: bool = True) -> tuple[str, Key]:
    accepted = filled(_("%(least)s to %(most)s"), least=span[0], most=span[1])
    return _instance(name, str(default), rules.whole_number(*span), about, accepted, listed=listed)


def _choice(name: str, default: str, choices: tuple[str, ...], about: Words) -> tuple[str, Key]:
    accepted = ", ".join(choices)
    return name, Key(name, "instance", default, rules.one_of(*choices), True, about, accepted, choices)


def _personal(name: str, rule: rules.Rule, about: Words, accepted: Words) -> tuple[str, Key]:
    return name, Key(name, "personal", "", rule, False, about, accepted)


# fmt: off
KEYS: dict[str, Key] = dict([
    _switch("allow_register", "0", _("Whether visitors may register an account.")),
    _instance("api_base", "https://www.codebuddy.cn", rules.origin,
              _("The upstream service; cookies of one host are refused by another."),
              _("an https origin (http for this machine only)")),
    _instance("api_path", "/billing/meter/get-user-request-usage", rules.path,
              _("Where on the upstream service the usage API is."), _("a path that starts with /")),
    _number("captcha_length", 4, (3, 8), _("How many characters a captcha shows.")),
    _choice("captcha_policy", "always", ("always", "on_failure", "off"), _("When signing in asks for a captcha.")),
    _switch("catch_up", "1", _("Whether collections missed while the service was down are caught up.")),
    _number("catch_up_grace_hours", 6, (1, 48), _("How many hours late a missed collection is still caught up.")),
    _number("drift_tolerance_minutes", 10, (0, 120), _("How many minutes late a collection may start and be on time.")),
    _number("max_prompt", 20000, (0, 200000), _("How many characters of a prompt are kept; 0 keeps none.")),
    _number("page_size", 200, (20, 1000), _("How many rows each page asks of the upstream.")),
    _number("register_max_per_ip", 3, (0, 1000), _("How many accounts an address may register a day; 0 is no limit.")),
    _number("rewind_minutes", 180, (0, 10080), _("How many minutes before the last complete one a collection starts.")),
    _switch("schedule_enabled", "1", _("Whether collections start by themselves.")),
    _instance("schedule_times", "08:00,12:30,18:00,23:50", rules.times_of_day,
              _("When each day collections start."), _("times as HH:MM, separated by commas")),
    _switch("ssl_verify", "1", _("Whether the upstream's certificate is checked.")),
    _number("timeout", 30, (3, 120), _("How many seconds one request to the upstream may take.")),
    _number("verify_days", 2, (0, 31), _("How many days are checked for missing records after a collection.")),
    _switch("backup_enabled", "1", _("Whether backups are made by themselves."), listed=False),
    _number("backup_interval_hours", 24, (1, 720), _("How many hours lie between two of them."), listed=False),
    _number("backup_keep", 14, (1, 365), _("How many backups are kept."), listed=False),
    _number("collect_min_interval_seconds", 30, (0, 3600),
            _("How many seconds an account waits between two collections."), listed=False),
    _number("collect_max_range_days", 31, (1, 31), _("How many days one collection may span."), listed=False),
    _number("max_schedule_slots_per_day", 12, (1, 48), _("How many times a day the schedule may hold."), listed=False),
    _personal("cookie", rules.cookie, _("The cookie of your account at the upstream."),
              filled(_("a cookie of at most %(most)s characters, or a whole 'Copy as cURL'"),
                     most=f"{rules.COOKIE_LENGTH:,}")),
    _personal("user_agent", rules.user_agent, _("The User-Agent of the browser that the cookie comes from."),
              filled(_("at most %(most)s characters"), most=rules.USER_AGENT_LENGTH)),
])
# fmt: on

GLOBAL_KEYS = sorted(name for name, key in KEYS.items() if key.listed)
INSTANCE_KEYS = sorted(name for name, key in KEYS.items() if key.scope == "instance")
USER_KEYS = sorted(name for name, key in KEYS.items() if key.scope == "personal")


@dataclass(frozen=True)
class Instance:
    """The instance's settings as values: switches, numbers in the unit of their name, texts, lists."""

    allow_register: bool
    api_base: str
    api_path: str
    captcha_length: int
    captcha_policy: str
    catch_up: bool
    catch_up_grace_hours: int
    drift_tolerance_minutes: int
    max_prompt: int
    page_size: int
    register_max_per_ip: int
    rewind_minutes: int
    schedule_enabled: bool
    schedule_times: list[str]
    ssl_verify: bool
    timeout: int
    verify_days: int
    backup_enabled: bool
    backup_interval_hours: int
    backup_keep: int
    collect_min_interval_seconds: int
    collect_max_range_days: int
    max_schedule_slots_per_day: int


def effective(user_id: int) -> dict[str, str]:
    """Every key with its value for an account, the cookie always empty (GET /api/settings). One query."""
    names = [name for name in KEYS if name != "cookie"]
    rows = Setting.objects.filter(user_id__in=[INSTANCE, user_id], key__in=names)
    stored = {(scope, name): value for scope, name, value in rows.values_list("user_id", "key", "value")}

    def resolved(key: Key) -> str:
        # What is personal never falls back to the instance.
        scopes = [user_id] if key.scope == "personal" else [user_id, INSTANCE]
        values = [_usable(key, stored[scope, key.name]) for scope in scopes if (scope, key.name) in stored]
        return next((value for value in values if value), key.default)

    return {name: resolved(key) for name, key in KEYS.items()}


def instance_values() -> dict[str, str]:
    """Every instance key with its value for the instance. One query."""
    rows = Setting.objects.filter(user_id=INSTANCE, key__in=INSTANCE_KEYS).values_list("key", "value")
    stored = dict(rows)
    return {name: _usable(KEYS[name], stored.get(name, "")) or KEYS[name].default for name in INSTANCE_KEYS}


def instance_settings() -> Instance:
    """The instance's settings with their types. One query."""
    values = instance_values()
    return Instance(**{field.name: _typed(field.type, values[field.name]) for field in fields(Instance)})


def user_agent(user_id: int) -> str:
    """The account's own User-Agent, empty where it set none."""
    return Setting.objects.filter(user_id=user_id, key="user_agent").values_list("value", flat=True).first() or ""


def _usable(key: Key, value: str) -> str:
    """The stored value, or nothing where another version stored what this one does not accept."""
    try:
        return key.normalise(value) if value else ""
    except ValueError:
        return ""


def _typed(kind: object, value: str) -> Any:
    if kind is bool:
        return value == "1"
    if kind is int:
        return int(value)
    return value.split(",") if kind == list[str] else value
