"""The instance's settings as the settings page shows them: groups of fields, from the declarations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accounts.config.declarations import KEYS
from accounts.config.setting_kinds import Group, Key, Kind
from archive_site.lib.i18n import Words


@dataclass(frozen=True)
class SettingField:
    """One key as the settings page shows it. `choices` maps the values of a choice to their labels.

    The default of a choice is its label.
    """

    name: str
    label: Words
    value: str
    default: Words
    accepted: Words
    about: Words
    kind: Kind
    choices: Mapping[str, Words]


@dataclass(frozen=True)
class SettingGroup:
    name: str
    title: Words
    fields: list[SettingField]


def setting_groups(values: Mapping[str, str], keys: Mapping[str, Key[Any]] = KEYS) -> list[SettingGroup]:
    """The keys of the instance with their `values`, by group, in the order of their declarations."""
    groups: dict[Group, list[SettingField]] = {}
    for name, key in keys.items():
        if key.group:
            groups.setdefault(key.group, []).append(_field(name, key, values[name]))
    return [SettingGroup(group.name, group.title, fields) for group, fields in groups.items()]


def _field(name: str, key: Key[Any], value: str) -> SettingField:
    # People read a list more easily with blanks after the commas.
    default = key.choices.get(key.default, key.default.replace(",", ", "))
    return SettingField(name, key.label, value, default, key.accepted, key.about, key.kind, key.choices)
