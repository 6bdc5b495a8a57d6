"""The packages and orders of an archive in the file of an account (docs/api.md#export-of-the-account)."""

import json
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime
from typing import Any, TypeGuard, TypeVar

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy

from archive_site.lib.i18n import filled
from archive_site.lib.stored_message import Message
from collection.transfer.imported_run import moment
from collection.transfer.staged_runs import lines_of
from usage.importing.file_source import Source
from usage.importing.unreadable_file import UnreadableFile
from usage.incoming import values as incoming_values
from usage.models import Order, Package, PackageReading, PackagesRead
from usage.packages import stored_orders, stored_packages, taken_over
from usage.packages.package import Kind, State
from usage.record_payloads import json_text

_READINGS = "readings"
_OF_PACKAGE = ("resource_id", "cycle")
_WORDS: Mapping[str, set[str]] = {"kind": {*Kind}, "state": {*State}}
# The times of all come last, since they say that the archive has read its own.
_FORMS: Mapping[str, type[models.Model]] = {"package": Package, "order": Order, "times": PackagesRead}
_MOST_LINES = stored_packages.MOST_KEPT + stored_orders.MOST_KEPT + 1
# The most that a source may say.
_MOST_NUMBER, _MOST_MONTHS = 10**18, 2**15 - 1
Row = TypeVar("Row", bound=models.Model)
_TABLE = "CREATE TABLE IF NOT EXISTS package_line (form TEXT)"


def has_any(archive_id: int) -> bool:
    return any(model.objects.filter(archive_id=archive_id).exists() for model in (PackagesRead, Order))


def lines(archive_id: int) -> Iterator[list[bytes]]:
    """The archive's packages with their courses, its orders, and when they were read, in pieces of whole lines."""
    for one in Package.objects.filter(archive_id=archive_id).order_by(*_OF_PACKAGE):
        own = PackageReading.objects.filter(archive_id=archive_id, resource_id=one.resource_id, cycle=one.cycle)
        readings = [_filed(reading, _OF_PACKAGE) for reading in own.order_by("read_at")]
        yield [_line("package", {**_filed(one), _READINGS: readings})]
    for order in Order.objects.filter(archive_id=archive_id).order_by("order_id"):
        yield [_line("order", _filed(order))]
    for read in PackagesRead.objects.filter(archive_id=archive_id):
        yield [_line("times", _filed(read))]


class StagedPackages:
    """The lines of a member in the private file of an import, from which they are stored one by one."""

    def __init__(self, store: sqlite3.Connection):
        self._store = store
        store.execute(_TABLE)

    def read(self, member: Source) -> int:
        """Take a member over; gives how many packages it has. Raises UnreadableFile, also for too many lines."""
        packages = 0
        self._store.execute("BEGIN")
        for number, values in lines_of(member):
            if number > _MOST_LINES or not _is_readable(values):
                words = gettext_lazy("%(name)s has a line that cannot be read: %(number)s.")
                raise UnreadableFile(filled(words, name=member.name, number=number))
            packages += "package" in values
            self._store.execute("INSERT INTO package_line VALUES (?)", [json.dumps(values)])
        self._store.execute("COMMIT")
        return packages

    def lines(self) -> Generator[Mapping[str, Any]]:
        """What `take` takes, one by one."""
        with closing(self._store.execute("SELECT form FROM package_line ORDER BY rowid")) as found:
            for (form,) in found:
                yield json.loads(form)


def take(archive_id: int, line: Mapping[str, Any]) -> None:
    """Keep what a line has and the archive has not, in the caller's transaction."""
    row, readings = _read(line)
    if isinstance(row, Package):
        taken_over.take_package(archive_id, row, readings)
    elif isinstance(row, Order):
        taken_over.take_order(archive_id, row)
    elif isinstance(row, PackagesRead):
        taken_over.take_times(archive_id, row)


def _filed(row: models.Model, beside: Sequence[str] = ()) -> dict[str, Any]:
    values = {field.name: getattr(row, field.name) for field in _fields(type(row)) if field.name not in beside}
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


def _fields(model: type[models.Model]) -> "list[models.Field[Any, Any]]":
    """All but whose they are."""
    return [field for field in model._meta.concrete_fields if field.name != "archive_id"]


def _line(name: str, values: Mapping[str, Any]) -> bytes:
    return f"{json_text({name: values})}\n".encode()


def _is_readable(values: Mapping[str, Any] | Message) -> TypeGuard[Mapping[str, Any]]:
    if isinstance(values, Message):
        return False
    try:
        _read(values)
    except (ValueError, ValidationError):
        return False
    return True


def _read(values: Mapping[str, Any]) -> tuple[models.Model, list[PackageReading]]:
    """What a line says, and of a package its course. Raises ValueError."""
    [(name, given)] = values.items()
    if name not in _FORMS or not isinstance(given, dict):
        raise ValueError(name)
    row = _row(_FORMS[name], given)
    if not isinstance(row, Package):
        return row, []
    listed = given.get(_READINGS)
    if not isinstance(listed, list) or len(listed) > stored_packages.MOST_READINGS:
        raise ValueError(name)
    mine = {each: getattr(row, each) for each in _OF_PACKAGE}
    readings = [_row(PackageReading, {**one, **mine} if isinstance(one, dict) else {}) for one in listed]
    if len({one.read_at for one in readings}) < len(readings):
        raise ValueError(name)
    return row, readings


def _row(model: type[Row], given: Mapping[str, Any]) -> Row:
    return model(**{field.name: _value(field, given.get(field.name)) for field in _fields(model)})


def _value(field: "models.Field[Any, Any]", given: object) -> object:
    """The value of a field in the file, as the store has it. Raises ValueError."""
    if given is None and field.null:
        return None
    found: object = None
    match field:
        case models.DateTimeField():
            found = moment(given)
        case models.BooleanField():
            found = given if isinstance(given, bool) else None
        case models.CharField():
            text = incoming_values.text(given)
            found = text if text == given and text in _WORDS.get(field.name, [text]) else None
        case models.PositiveSmallIntegerField():
            found = _number(given, 0, _MOST_MONTHS)
        case _:
            found = _number(given, -_MOST_NUMBER, _MOST_NUMBER)
    if found is None:
        raise ValueError(field.name)
    field.run_validators(found)
    return found


def _number(given: object, least: int, most: int) -> int | None:
    # The reader of JSON leaves numbers as texts.
    found = int(given) if isinstance(given, str) and len(given) <= len(str(-_MOST_NUMBER)) else None
    return found if found is not None and least <= found <= most else None
