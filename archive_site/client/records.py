"""The verb `records`: a list of calls, read in parts of at most 500."""

import json
from collections.abc import Iterator
from typing import Any

from archive_site.client import answer_shapes as shapes
from archive_site.client.outcome import ExitCode
from archive_site.client.tables import Column, Table, exact, number, whole
from archive_site.client.verb import Call

_PART = 500
_RECORD = shapes.object_of({
    "ts": shapes.text, "credits": shapes.number, "model": shapes.text, "client": shapes.text, "prompt": shapes.text,
    "agent_purpose?": shapes.text,
})  # fmt: skip
_RECORDS = shapes.object_of({
    "items": shapes.list_of(_RECORD), "total": shapes.whole, "pages": shapes.whole,
    "next?": shapes.nullable(shapes.text),
})  # fmt: skip


def records(call: Call) -> ExitCode:
    if call.options.json:
        for part in _parts(call):
            for item in part["items"]:
                # The server writes numbers as Python does, so this gives the same digits.
                call.screen.json(json.dumps(item, ensure_ascii=False, default=float))
        return ExitCode.FINE
    more = [Column("purpose")] if call.options.columns else []
    columns = (whole("time"), number("credits"), Column("model"), Column("client"), *more, Column("prompt"))
    table, shown, total = Table(call.screen, *columns), 0, 0
    for part in _parts(call):
        table.add(_row(item, has_purpose=bool(more)) for item in part["items"])
        shown, total = shown + len(part["items"]), max(total, part["total"])
    if shown < total and call.screen.is_terminal:
        call.screen.line(f"{shown} of {total} calls: --limit or --all gives more.")
    return ExitCode.FINE


def _row(item: dict[str, Any], *, has_purpose: bool) -> tuple[str, ...]:
    purpose = (item.get("agent_purpose", ""),) if has_purpose else ()
    return item["ts"], exact(item["credits"]), item["model"], item["client"], *purpose, item["prompt"]


def _parts(call: Call) -> Iterator[dict[str, Any]]:
    """The parts of the list up to the limit.

    In an order of time each is asked for by the place after the one before, so that none is lost or comes twice while
    calls come in; in other orders by its page.
    """
    left = call.options.limit
    size = min(left or _PART, _PART)
    place: dict[str, Any] = {"page": 1}
    while True:
        part = call.server.get("/api/records", {**call.filters, **place, "size": size}).read(_RECORDS)
        # All parts have the same size, since pages are counted by it.
        part["items"] = part["items"][:left]
        yield part
        if left is not None:
            left -= len(part["items"])
        following = part["next"] if "next" in part else place["page"] < part["pages"]
        if not following or not part["items"] or left == 0:
            return
        place = {"after": following} if "next" in part else {"page": place["page"] + 1}
