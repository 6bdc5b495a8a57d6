"""Views read the parameters and the fields of a body that are described, and no others."""

import json
from typing import Any

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.http import QueryDict

from archive_site.lib import clock
from archive_site.lib.environment import OpenId
from archive_site.lib.http import json_views, openapi
from archive_site.lib.http.operations import Operation, operations
from archive_site.lib.http.type_schemas import schema_of
from collection.models import Heartbeat
from collection.runs.run_start import HEARTBEAT
from tests.test_roles import ids as ids
from tests.test_roles import visitor

READS = [one for one in operations() if one.method == "GET"]
# A form with a file has no JSON; of settings each known key is looked for; a restore looks for its file first.
OTHER_BODIES = {"/api/import", "/api/settings", "/api/backups/{name}/restore"}
ORIGIN = "https://usage.example.org"
PROVIDER = OpenId(ORIGIN, "archive", "no secret", "Example ID", "openid", False, "", "", "")
CHANGES = [one for one in operations() if one.method == "POST" and one.path not in OTHER_BODIES]


class ReadNames(set[str]):
    """The names that views have looked for."""


class NotedQuery(QueryDict):
    """The parameters of an address, which note what is looked for."""

    names: ReadNames

    def __getitem__(self, key: str) -> Any:
        self.names.add(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.names.add(str(key))
        return super().__contains__(key)

    def getlist(self, key: str, default: Any = None) -> Any:
        self.names.add(key)
        return super().getlist(key, default)


class NotedName(str):
    """A name in a body, which notes that it is looked for in a copy of the body."""

    names: ReadNames

    def __eq__(self, other: object) -> bool:
        if str.__eq__(self, other):
            self.names.add(str(self))
            return True
        return False

    __hash__ = str.__hash__


class NotedBody(dict[str, Any]):
    """The fields of a body, which note what is looked for."""

    names: ReadNames

    def __getitem__(self, key: str) -> Any:
        self.names.add(str(key))
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.names.add(str(key))
        return super().__contains__(key)

    def get(self, key: str, default: Any = None) -> Any:
        self.names.add(str(key))
        return super().get(key, default)


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> ReadNames:
    read = ReadNames()
    query = type("Query", (NotedQuery,), {"names": read})
    name = type("Name", (NotedName,), {"names": read})
    body = type("Body", (NotedBody,), {"names": read})

    def parameters(request: WSGIRequest) -> QueryDict:
        asked: QueryDict = query(request.META.get("QUERY_STRING", ""))
        return asked

    def body_of(text: bytes, **_: object) -> Any:
        given = json.loads(text or b"{}")
        return body({name(key): value for key, value in given.items()})

    monkeypatch.setattr(WSGIRequest, "GET", property(parameters))
    parts = {"loads": staticmethod(body_of), "dumps": staticmethod(json.dumps)}
    monkeypatch.setattr(json_views, "json", type("Json", (), parts))
    return read


def path_of(operation: Operation, ids: dict[str, Any]) -> str:
    path = operation.path
    for name in operation.path_names:
        path = path.replace(f"{{{name}}}", str(ids[name]))
    return path.replace("recount", "export-csv")


@pytest.mark.django_db
@pytest.mark.parametrize("operation", READS, ids=lambda one: one.path)
def test_a_read_looks_for_the_parameters_that_are_described(
    operation: Operation, ids: dict[str, Any], names: ReadNames
) -> None:
    parameters = operation.description.parameters
    reader = visitor("admin" if operation.endpoint and operation.endpoint.admin else "user")
    path = path_of(operation, ids)
    for given in ({}, *({one.name: openapi.example_of(one.schema)} for one in parameters)):
        reader.get(path, **given)
    assert names == {one.name for one in parameters}


@pytest.mark.engine
@pytest.mark.django_db
@pytest.mark.parametrize("operation", CHANGES, ids=lambda one: one.path)
def test_a_change_looks_for_the_fields_that_are_described(
    operation: Operation, ids: dict[str, Any], names: ReadNames, settings: Any
) -> None:
    Heartbeat.objects.create(name=HEARTBEAT, at=clock.now())
    settings.ORIGIN, settings.OPENID = ORIGIN, PROVIDER
    body = schema_of(operation.description.body or {})
    given = {name: openapi.example_of(field) for name, field in body.get("properties", {}).items()}
    writer = visitor("admin" if operation.endpoint and operation.endpoint.admin else "user")
    # A field may lead to others, by its presence as by its absence.
    for left_out in (None, *given):
        changed = {name: value for name, value in given.items() if name != left_out}
        writer.entered().post(path_of(operation, ids), changed)
    of_address = {one.name for one in operation.description.parameters}
    assert names == given.keys() | of_address
