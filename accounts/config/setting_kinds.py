"""The kinds of setting. The kind determines a setting's check, the type of its value and its control on the page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from django.utils.translation import gettext_lazy as _

from accounts.config import rules
from archive_site.lib.i18n import Words, filled

Value = TypeVar("Value")
Scope = Literal["instance", "personal"]
Kind = Literal["switch", "number", "choice", "times", "text"]
METADATA = "setting"


@dataclass(frozen=True)
class Group:
    """A section of the settings page."""

    name: str
    title: Words = field(compare=False)


@dataclass(frozen=True)
class Key(Generic[Value]):
    """One setting. An instance setting has a group, a personal one has none.

    `normalise` gives the stored form of a text, or raises ValueError with a sentence about the accepted values; `read`
    gives the value of a stored form. `listed` keys appear in `_globalKeys`, a closed list of 17 (docs/api.md#settings).
    """

    kind: Kind
    group: Group | None
    label: Words
    about: Words
    accepted: Words
    default: str
    normalise: rules.Rule
    read: Callable[[str], Value]
    listed: bool = True
    choices: Mapping[str, Words] = field(default_factory=dict)

    @property
    def scope(self) -> Scope:
        return "instance" if self.group else "personal"


def switch(default: bool, group: Group, label: Words, about: Words, *, listed: bool = True) -> bool:
    return _field(
        Key(
            "switch", group, label, about, accepted=_("1 or 0"),
            default="1" if default else "0", normalise=rules.boolean, read=_is_on, listed=listed,
        )
    )  # fmt: skip


def number(
    default: int, span: tuple[int, int], group: Group, label: Words, about: Words, *, listed: bool = True
) -> int:
    """A whole number within `span`, both ends included."""
    least, most = span
    return _field(
        Key(
            "number", group, label, about, accepted=filled(_("%(least)s to %(most)s"), least=least, most=most),
            default=str(default), normalise=rules.whole_number(least, most), read=int, listed=listed,
        )
    )  # fmt: skip


def choice(
    default: str, choices: Mapping[str, Words], group: Group, label: Words, about: Words, *, listed: bool = True
) -> str:
    """One of a few values; `choices` maps each value to its label."""
    return _field(
        Key(
            "choice", group, label, about, accepted=", ".join(choices),
            default=default, normalise=rules.one_of(*choices), read=str, choices=choices, listed=listed,
        )
    )  # fmt: skip


def times(default: str, group: Group, label: Words, about: Words, *, listed: bool = True) -> list[str]:
    """Times of day, as `HH:MM`."""
    return _field(
        Key(
            "times", group, label, about, accepted=_("times as HH:MM, separated by commas"),
            default=default, normalise=rules.times_of_day, read=_parts, listed=listed,
        )
    )  # fmt: skip


def text(
    default: str, rule: rules.Rule, group: Group, label: Words, about: Words, accepted: Words, *, listed: bool = True
) -> str:
    """A text that `rule` checks; `accepted` describes it."""
    return _field(Key("text", group, label, about, accepted, default, rule, str, listed=listed))


def personal(rule: rules.Rule, label: Words, about: Words, accepted: Words) -> Key[str]:
    """A setting of each account, empty by default; the settings page shows it apart from the groups."""
    return Key("text", None, label, about, accepted, "", rule, str, listed=False)


def _field(key: Key[Value]) -> Value:
    """A dataclass field with its key, typed as its value, so that mypy refuses `page_size: str = number(...)`."""
    return field(default_factory=lambda: key.read(key.default), metadata={METADATA: key})


def _is_on(stored: str) -> bool:
    return stored == "1"


def _parts(stored: str) -> list[str]:
    return stored.split(",")
