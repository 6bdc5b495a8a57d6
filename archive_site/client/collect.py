"""The verb `collect`: start a collection, and wait for its end if asked."""

import time
from typing import Any

from archive_site.client import answer_shapes as shapes
from archive_site.client.connection import Answer
from archive_site.client.outcome import ExitCode, Failure
from archive_site.client.verb import Call

RUN = shapes.object_of({
    **dict.fromkeys(("status", "message", "started_at"), shapes.text), "finished_at": shapes.nullable(shapes.text),
    **dict.fromkeys(("id", "fetched", "added", "dup", "conflicts", "total"), shapes.whole),
})  # fmt: skip
_QUEUED = shapes.object_of({"run_id": shapes.whole})
_WAITING = ("queued", "running")
# Seconds between two looks: short at first, since a collection of an hour is quick.
_FIRST, _LATER = 0.3, 2.0


def collect(call: Call) -> ExitCode:
    # A write with a wrong token is answered like one of a page, a read says that the token is wrong.
    call.server.get("/api/status")
    started = call.server.post("/api/collect", {**call.filters, "background": True})
    run_id = started.read(_QUEUED)["run_id"]
    if call.options.wait:
        return _result(call, _wait(call, run_id))
    if call.options.json:
        call.screen.json(started.text)
    else:
        call.screen.line(f"Run {run_id} is queued.")
    return ExitCode.FINE


def _wait(call: Call, run_id: int) -> Answer:
    """The run when it has ended. Ctrl-C, or a server that does not answer any more, leaves it running."""
    pause = _FIRST
    try:
        while True:
            answer = call.server.get(f"/api/runs/{run_id}")
            if answer.read(RUN)["status"] not in _WAITING:
                return answer
            time.sleep(pause)
            pause = min(2 * pause, _LATER)
    except (KeyboardInterrupt, Failure):
        call.screen.note(f"run {run_id} goes on without this command.")
        raise


def _result(call: Call, answer: Answer) -> ExitCode:
    run = answer.read(RUN)
    is_fine = run["status"] == "ok"
    if call.options.json:
        call.screen.json(answer.text)
    else:
        call.screen.line(counts(run))
    if is_fine:
        return ExitCode.FINE
    raise Failure(ExitCode.FAILED, f"run {run['id']} {run['status']}: {run['message']}")


def counts(run: dict[str, Any]) -> str:
    """What a run brought, in words."""
    return (
        f"{run['fetched']} fetched, {run['added']} new, {run['dup']} already known, "
        f"{run['conflicts']} changed, {run['total']} in all"
    )
