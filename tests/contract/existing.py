"""What is there: ids of rows and files for the paths of random requests, and fields that only a few texts fit."""

import random
import re
import secrets
from typing import Any
from urllib.parse import quote

from schemathesis import Case

from tests.contract.visitors import Person, Role, Visitor

_FILE = b"request_id,credits,model,client,ts\r\n" + b"".join(
    b"imported-%d,1.5,alpha,IDE,2026-09-07 12:%02d:00\r\n" % (number, number) for number in range(20)
)
# What makes one of each where the account has none: the path of a POST, and its body.
_MAKERS: dict[str, tuple[str, dict[str, Any]]] = {
    "/api/runs": ("/api/collect", {}),
    "/api/views": ("/api/views", {"name": "one", "query": "model=alpha"}),
    "/api/budgets": ("/api/budgets", {"period": "month", "credits": 10}),
    "/api/tokens": ("/api/tokens", {"name": "one", "scopes": ["read"]}),
    "/api/users/invitations": ("/api/users/invitations", {}),
    "/api/backups": ("/api/backups", {}),
    "/exports": ("/api/maintenance/export-csv", {}),
}
_EXPORT = re.compile(r"/exports/([\w.-]+)")
# The fields of a row that paths name it by; a backup has a name and no id.
_KEYS = ("id", "request_id", "name")


def use_existing(case: Case, owner: Visitor, dice: random.Random) -> None:
    """Let the path of a request name something that its owner has."""
    for name in case.path_parameters:
        found = _found(case.path.partition("/{")[0], owner)
        if found:
            case.path_parameters[name] = quote(dice.choice(found), safe="")


def use_fitting(case: Case, person: Person) -> None:
    """Put fields into a body that random texts do not fit: passwords, names, and a file that can be read."""
    fitting = {
        **dict.fromkeys(("password", "password2", "old", "new", "new2"), person.password),
        "username": f"made{secrets.token_hex(4)}",
        "file": _FILE,
    }
    if isinstance(case.body, dict):
        case.body.update({name: fitting[name] for name in fitting.keys() & case.body.keys()})


def _found(group: str, owner: Visitor) -> list[str]:
    """The keys of the rows or files of an owner in the group that a path names; one is made where there is none."""
    group = f"/api{group}" if group == "/runs" else group
    found = _listed(group, owner)
    if not found and group in _MAKERS and owner.role in (Role.USER, Role.ADMINISTRATOR):
        path, body = _MAKERS[group]
        owner.post(path, body)
        found = _listed(group, owner)
    return found


def _listed(group: str, owner: Visitor) -> list[str]:
    """The keys that a list has; nothing where the owner may not read it, or where there is no list."""
    if group == "/exports":
        return _EXPORT.findall(owner.get("/config").text)
    answer = owner.get(group)
    rows = answer.json().get("items", []) if answer.ok else []
    return [str(next(row[key] for key in _KEYS if key in row)) for row in rows]
