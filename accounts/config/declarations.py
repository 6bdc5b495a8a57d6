"""Every setting, declared once: its typed field, its key, its control on the page, its row in the docs.

A new setting is a new field here; `make settings-table` then writes its row of docs/settings.md.
"""

from dataclasses import dataclass, fields
from typing import Any

from django.utils.translation import gettext_lazy as _

from accounts.config import rules
from accounts.config.setting_kinds import METADATA, Group, Key, choice, number, personal, switch, text, times
from archive_site.lib.i18n import filled

COLLECTION = Group("collection", _("Collection"))
SCHEDULE = Group("schedule", _("Schedule"))
ACCOUNTS = Group("accounts", _("Accounts"))
BACKUPS = Group("backups", _("Backups"))


# fmt: off
@dataclass(frozen=True)
class InstanceSettings:
    """The instance's settings as values: switches, numbers in the unit of their name, texts, lists.

    The settings page shows groups and fields in this order.
    """

    api_base: str = text(
        "https://www.codebuddy.cn", rules.origin, COLLECTION, _("Upstream"),
        _("The address of the upstream. A cookie works only at the host it comes from."),
        _("an https origin (http for this machine only)"))
    api_path: str = text(
        "/billing/meter/get-user-request-usage", rules.path, COLLECTION, _("Path"),
        _("The path of the usage API at the upstream."), _("a path that starts with /"))
    token_base: str = text(
        "https://copilot.tencent.com", rules.origin, COLLECTION, _("Upstream for tokens"),
        _("The address that is asked with the token of a device login, where an archive has one."),
        _("an https origin (http for this machine only)"), listed=False)
    ssl_verify: bool = switch(
        True, COLLECTION, _("Check certificate"), _("Whether to check the upstream's certificate."))
    timeout: int = number(
        30, (3, 120), COLLECTION, _("Time limit, seconds"),
        _("How many seconds one request to the upstream may take."))
    page_size: int = number(
        200, (20, 1000), COLLECTION, _("Rows per page"), _("How many rows to request from the upstream per page."))
    max_prompt: int = number(
        20000, (0, 200000), COLLECTION, _("Prompt length kept"),
        _("How many characters of a prompt are kept; 0 keeps none."))
    rewind_minutes: int = number(
        180, (0, 10080), COLLECTION, _("Rewind, minutes"),
        _("By how many minutes a collection overlaps the last complete one."))
    verify_days: int = number(
        2, (0, 31), COLLECTION, _("Days verified"),
        _("How many days are checked for missing records after a collection."))
    packages: bool = switch(
        True, COLLECTION, _("Read credit packages"),
        _("Whether a collection also asks what is left of an account's credits, and when they expire."), listed=False)
    collect_min_interval_seconds: int = number(
        30, (0, 3600), COLLECTION, _("Minimum interval, seconds"),
        _("How many seconds must pass between two collections of an account."), listed=False)
    collect_max_range_days: int = number(
        31, (1, 31), COLLECTION, _("Longest span, days"),
        _("How many days one collection may span."), listed=False)

    schedule_enabled: bool = switch(
        True, SCHEDULE, _("Collect by schedule"), _("Whether collections start automatically."))
    schedule_times: list[str] = times(
        "08:00,12:30,18:00,23:50", SCHEDULE, _("Times"), _("The times of day at which collections start."))
    max_schedule_slots_per_day: int = number(
        12, (1, 48), SCHEDULE, _("Maximum times a day"),
        _("How many times a day the schedule may have."), listed=False)
    drift_tolerance_minutes: int = number(
        10, (0, 120), SCHEDULE, _("Tolerance, minutes"),
        _("How many minutes late a collection may start and still count as on time."))
    catch_up: bool = switch(
        True, SCHEDULE, _("Catch up"), _("Whether to catch up collections missed while the instance was down."))
    catch_up_grace_hours: int = number(
        6, (1, 48), SCHEDULE, _("Catch up within, hours"),
        _("For how many hours a missed collection can be caught up."))

    allow_register: bool = switch(
        False, ACCOUNTS, _("Registration open"), _("Whether visitors may register an account."))
    register_max_per_ip: int = number(
        3, (0, 1000), ACCOUNTS, _("Registrations per address"),
        _("How many accounts an address may register per day; 0 means no limit."))
    max_account_megabytes: int = number(
        0, (0, 1_000_000), ACCOUNTS, _("Limit of an account, megabytes"),
        _("How many megabytes of records and prompts an account may store; 0 means no limit."), listed=False)
    captcha_policy: str = choice(
        "always", {"always": _("Always"), "on_failure": _("After a failed sign-in"), "off": _("Never")},
        ACCOUNTS, _("Captcha"), _("When to require a captcha at sign-in."))
    captcha_length: int = number(
        4, (3, 8), ACCOUNTS, _("Captcha length"), _("How many characters a captcha shows."))
    require_second_factor: str = choice(
        "nobody", {"nobody": _("Nobody"), "admins": _("Administrators"), "everybody": _("Everybody")},
        ACCOUNTS, _("Second factor required of"),
        _("Whose accounts open nothing until they have set up a code or a passkey."), listed=False)

    backup_enabled: bool = switch(
        True, BACKUPS, _("Back up by schedule"), _("Whether to create backups automatically."), listed=False)
    backup_interval_hours: int = number(
        24, (1, 720), BACKUPS, _("Interval, hours"), _("How many hours to wait between two backups."), listed=False)
    backup_keep: int = number(
        14, (1, 365), BACKUPS, _("Backups kept"), _("How many backups to keep."), listed=False)


PERSONAL: dict[str, Key[str]] = {
    "cookie": personal(
        rules.cookie, _("Cookie"), _("The cookie of your account at CodeBuddy."),
        filled(_("a cookie of at most %(most)s characters, or a whole 'Copy as cURL'"),
               most=f"{rules.COOKIE_LENGTH:,}")),
    "user_agent": personal(
        rules.user_agent, _("User-Agent"), _("The User-Agent of the browser that the cookie comes from."),
        filled(_("at most %(most)s characters"), most=rules.USER_AGENT_LENGTH)),
}
# fmt: on


def keys_of(declared: type) -> dict[str, Key[Any]]:
    """The keys that the fields of a dataclass declare, in order of declaration."""
    return {field.name: field.metadata[METADATA] for field in fields(declared)}


KEYS: dict[str, Key[Any]] = {**keys_of(InstanceSettings), **PERSONAL}
GLOBAL_KEYS = sorted(name for name, key in KEYS.items() if key.listed)
INSTANCE_KEYS = sorted(name for name, key in KEYS.items() if key.scope == "instance")
USER_KEYS = sorted(name for name, key in KEYS.items() if key.scope == "personal")
