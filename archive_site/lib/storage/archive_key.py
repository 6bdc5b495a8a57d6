"""Migrations of the state: the column `user_id` of an archive's rows is the field `archive_id`."""

from collections.abc import Iterable
from typing import Any

from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState
from django.db.models import CompositePrimaryKey

_OLD, _NEW = "user_id", "archive_id"


class NameArchiveKey(Operation):
    """Name the key of these models, with its indexes and constraints. Nothing changes in the database.

    Django's own operation would rebuild tables, and leaves composite keys as they were.
    """

    def __init__(self, models: Iterable[str]) -> None:
        self.models = [name.lower() for name in models]

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        for name in self.models:
            model = state.models[app_label, name]
            model.fields = {_new(field): _renamed(field, value) for field, value in model.fields.items()}
            for option in ("indexes", "constraints"):
                model.options[option] = [_of_new_key(one) for one in model.options.get(option, [])]
            state.reload_model(app_label, name)

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """The column keeps its name."""

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """As forwards."""

    def describe(self) -> str:
        return f"Name the archive's key of {', '.join(self.models)}"


def _new(name: str) -> str:
    return _NEW if name == _OLD else name


def _renamed(name: str, field: Any) -> Any:
    _, _, arguments, keywords = field.deconstruct()
    if isinstance(field, CompositePrimaryKey):
        return CompositePrimaryKey(*map(_new, arguments), **keywords)
    return type(field)(*arguments, **{**keywords, "db_column": _OLD}) if name == _OLD else field


def _of_new_key(made: Any) -> Any:
    """An index or constraint, of the field's new name."""
    _, arguments, keywords = made.deconstruct()
    return type(made)(*arguments, **{**keywords, "fields": [_new(name) for name in keywords["fields"]]})
