"""Read or write the instance's settings from the command line."""

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import transaction

from accounts import config
from accounts.models import INSTANCE
from accounts.second_factor import factors
from archive_site.lib.commands import ArchiveCommand
from archive_site.lib.stored_message import Message
from audit.log import record


class Command(ArchiveCommand):
    help = "Read or write the instance's settings."

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="get|set|list")
        get = actions.add_parser("get", help="print the value of a setting")
        get.add_argument("key")
        change = actions.add_parser("set", help="change a setting; an empty value resets it to its default")
        change.add_argument("key")
        change.add_argument("value")
        actions.add_parser("list", help="print all settings, one per line")

    def run(self, *args: Any, action: str = "", key: str = "", value: str = "", **options: Any) -> None:
        if action == "list":
            self._list()
        elif action == "get":
            self.stdout.write(config.instance_values()[_instance_key(key)])
        else:
            _set(_instance_key(key), value)

    def _list(self) -> None:
        for name, value in config.instance_values().items():
            mark = " (default)" if value == config.KEYS[name].default else ""
            self.stdout.write(f"{name} {value}{mark}")


def _instance_key(name: str) -> str:
    if name not in config.KEYS:
        raise CommandError(str(config.unknown_key(name)))
    if config.KEYS[name].scope == "personal":
        raise CommandError(f"{name} belongs to each account: use 'set_cookie NAME', or that account's settings page.")
    return name


def _set(name: str, value: str) -> None:
    with transaction.atomic():
        outcome = config.write({name: value}, archive_id=INSTANCE, may_edit_instance=True)
        if outcome.errors:
            raise CommandError(" ".join(map(str, outcome.errors)))
        if name == "require_second_factor":
            factors.settle()
        record("settings", actor="command line", user_id=None, detail=Message("settings_changed", keys=[name]))
