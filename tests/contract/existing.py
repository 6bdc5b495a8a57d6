"""What is there: ids of rows and files for the paths of random requests, and fields that only a few texts fit."""

import random
import re
import secrets
from typing import Any
from urllib.parse import quote

from schemathesis import Case

from tests.contract.visitors import Visitor

_FILE = b"request_id,credits,model,client,ts\r\n" + b"".join(
    b"imported-%d,1.5,alpha,IDE,2026-09-07 12:%02d:00\r\n" % (number, number) for number in range(20)
)
# A receiver of notices that does not answer.
_ADDRESS = "json://127.0.0.1:9/"
_WEBHOOK = "http://127.0.0.1:9/"
_Post = tuple[str, dict[str, Any]]
# What makes one of each where its owner has none.
_MAKERS: dict[str, _Post] = {
    "/runs": ("/api/verify", {}),
    "/exports": ("/api/maintenance/export-csv", {}),
    "/api/runs": ("/api/collect", {}),
    "/api/views": ("/api/views", {"name": "one", "query": "model=alpha"}),
    "/api/budgets": ("/api/budgets", {"period": "month", "credits": 10}),
    "/api/tokens": ("/api/tokens", {"name": "one", "scopes": ["read"]}),
    "/api/users/invitations": ("/api/users/invitations", {}),
    "/api/backups": ("/api/backups", {}),
    "/api/webhooks": ("/api/webhooks", {"address": _WEBHOOK}),
}
_DELETION = "/api/archives/{archive_id}/delete"
# What comes just before a request that only then is heard: of the runs, the newest one waits; the first archive stays.
_BEFORE: dict[str, _Post] = {
    "/api/runs/{run_id}/stop": ("/api/collect", {"background": True}),
    "/api/notices/test": ("/api/notices", {"addresses": [_ADDRESS]}),
    _DELETION: ("/api/archives", {"kind": "codebuddy", "label": "one"}),
}
# What a new row needs, though the schema lets it be absent.
_NEEDED = {"/api/budgets": {"period", "credits"}, _DELETION: {"label"}}
# Each check of an address of notices is a process of its own.
_SHARE_BEFORE = 0.5
_EXPORT = re.compile(r"/exports/([\w.-]+)")
# The fields of a row that paths name it by; a backup has a name and no id.
_KEYS = ("id", "request_id", "name")


def use_existing(case: Case, owner: Visitor, dice: random.Random) -> None:
    """Let the path of a request name something that its owner has."""
    if case.path in _BEFORE and owner.may_write and dice.random() < _SHARE_BEFORE:
        owner.post(*_BEFORE[case.path])
    for name in case.path_parameters:
        found = _found(case.path.partition("/{")[0], owner)
        if found:
            newest = found[-1] if case.path == _DELETION else found[0]
            chosen = newest if case.path in _BEFORE else dice.choice(found)
            case.path_parameters[name] = quote(chosen, safe="")


def use_fitting(case: Case, visitor: Visitor) -> None:
    """Put fields into a body that random texts do not fit: passwords, names, and a file that can be read."""
    if not isinstance(case.body, dict) or not visitor.person:
        return
    name = f"made{secrets.token_hex(4)}"
    fitting = {
        **dict.fromkeys(("password", "password2", "old", "new", "new2"), visitor.person.password),
        **dict.fromkeys(("username", "name", "display_name"), name),
        "email": f"{name}@example.org",
        "query": "model=alpha",
        "period": "month",
        "credits": 12.5,
        "addresses": [_ADDRESS],
        "add": _ADDRESS,
        "address": _WEBHOOK,
        "events": {},
        "columns": "{}",
        "zone": "Asia/Shanghai",
        "file": _FILE,
        "label": _label(case, visitor) or name,
    }
    fields = case.body.keys() | _NEEDED.get(case.path, set())
    case.body.update({field: fitting[field] for field in fitting.keys() & fields})
    if "password" in case.body:
        case.body["password2"] = case.body["password"]
    # With an id it would change one that is not there.
    case.body.pop("id", None)


def _label(case: Case, visitor: Visitor) -> str:
    """The label of the archive that the path names, which its deletion repeats; empty where it names none."""
    named = str(case.path_parameters.get("archive_id", ""))
    answer = visitor.get("/api/archives") if named else None
    rows = answer.json()["items"] if answer is not None and answer.ok else []
    return next((str(row["label"]) for row in rows if str(row["id"]) == named), "")


def _found(group: str, owner: Visitor) -> list[str]:
    """The keys of the rows or files of an owner in the group that a path names; one is made where there is none."""
    found = _listed(group, owner)
    if not found and group in _MAKERS and owner.may_write:
        owner.post(*_MAKERS[group])
        found = _listed(group, owner)
    return found


def _listed(group: str, owner: Visitor) -> list[str]:
    """The keys that a list has; nothing where the owner may not read it, or where there is no list."""
    if group == "/exports":
        return _EXPORT.findall(owner.get("/config").text)
    is_report = group == "/runs"
    answer = owner.get("/api/runs" if is_report else group)
    rows = answer.json().get("items", []) if answer.ok else []
    return [
        str(next(row[key] for key in _KEYS if key in row))
        for row in rows
        if not is_report or (row["kind"] == "verification" and row["status"] == "ok")
    ]
