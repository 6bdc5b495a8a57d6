"""One declaration of a setting is enough for the registry, the typed settings, the settings page and the docs."""

from dataclasses import dataclass

import pytest

from accounts.config import KEYS, InstanceSettings
from accounts.config.declarations import COLLECTION, keys_of
from accounts.config.form import setting_groups
from accounts.config.setting_kinds import number
from tests.settings_table import BEGIN, DOCUMENT, END, table, with_table


@dataclass(frozen=True)
class OneMore(InstanceSettings):
    """The settings of an instance with one that this version does not have."""

    retries: int = number(3, (0, 9), COLLECTION, "Retries", "How often a page is asked for again.")


def test_a_new_setting_is_in_the_registry() -> None:
    key = keys_of(OneMore)["retries"]
    assert (key.scope, key.default, str(key.accepted), key.normalise(" 07 ")) == ("instance", "3", "0 to 9", "7")


def test_a_new_setting_is_a_typed_value() -> None:
    assert (OneMore().retries, keys_of(OneMore)["retries"].read("7")) == (3, 7)


def test_a_new_setting_is_on_the_settings_page_in_its_group() -> None:
    keys = keys_of(OneMore)
    groups = setting_groups({name: key.default for name, key in keys.items()}, keys)
    fields = next(group.fields for group in groups if group.name == "collection")
    assert [(fields[-1].name, fields[-1].label, fields[-1].kind)] == [("retries", "Retries", "number")]


def test_a_new_setting_is_in_the_table_of_the_docs() -> None:
    row = "| `retries` | Collection: Retries | `3` | 0 to 9 | How often a page is asked for again. |"
    assert row in table(keys_of(OneMore)).splitlines()


def test_the_docs_have_the_table_that_the_declarations_give() -> None:
    document = DOCUMENT.read_text(encoding="utf-8")
    assert with_table(document, KEYS) == document, "run `make settings-table`"


@pytest.mark.parametrize("document", ["", BEGIN, END])
def test_a_document_without_both_marks_gets_no_table(document: str) -> None:
    with pytest.raises(ValueError, match="both marks"):
        with_table(document, KEYS)


def test_the_typed_settings_have_the_value_of_each_default() -> None:
    values = vars(InstanceSettings())
    assert values == {name: key.read(key.default) for name, key in KEYS.items() if key.scope == "instance"}
