"""A run as the file of an account holds it, read back (docs/api.md#export-of-the-account)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from accounts import archives
from archive_site.lib.storage import engine
from archive_site.lib.storage.sql import fetch, marks
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs.run_outcomes import INTERRUPTED
from collection.runs.runs import DETAIL_LIMIT
from collection.transfer.account_file import COUNTS, TIMES
from usage.incoming import values as incoming_values

# What of a line is looked at.
FIELDS = ("kind", "is_ranged", "status", *TIMES, "duration_ms", *COUNTS, "exit_code", "message", "detail")
_MOST_MESSAGE = 8 * 1024
# Of lists and messages in a text of a run: each takes time to show. The service writes a few thousand at most.
_MOST_PARTS = 10_000
_MOST_COUNT, _MOST_DURATION, _MOST_CODE = 2**31 - 1, 2**62, 99
_YEARS = range(1970, 2100)
_BYTES = " + ".join(engine.BYTES_OF.format(column) for column in ("message", "detail"))
_ENDED = {Run.Status.OK, Run.Status.FAILED, Run.Status.INTERRUPTED}


def run_of(values: Mapping[str, Any], archive_id: int) -> Run | None:
    """The run of a line; None where its beginning, kind or status cannot be read. It is never one that still works."""
    times = {name: moment(values.get(name)) for name in TIMES}
    kind, status = values.get("kind"), values.get("status")
    if times["created_at"] is None or kind not in Run.Kind.values or status not in Run.Status.values:
        return None
    run = Run(
        archive_id=archive_id,
        kind=kind,
        trigger=Run.Trigger.IMPORTED,
        is_ranged=values.get("is_ranged") is True,
        status=status,
        **times,
        duration_ms=_number(values.get("duration_ms"), _MOST_DURATION),
        **{name: _number(values.get(name), _MOST_COUNT) or 0 for name in COUNTS},
        exit_code=_number(values.get("exit_code"), _MOST_CODE),
        stored_message=_text(values.get("message"), _MOST_MESSAGE),
        stored_detail=_text(values.get("detail"), DETAIL_LIMIT),
    )
    if status not in _ENDED:
        run.status, run.exit_code = INTERRUPTED.status, INTERRUPTED.exit_code
        run.finished_at, run.stored_message = run.created_at, Message("broken_off").stored()
    return run


def text_bytes(run: Run) -> int:
    """How many bytes the texts of a run take."""
    return len(run.stored_message.encode()) + len(run.stored_detail.encode())


def texts_of(user_id: int) -> int:
    """How many bytes the texts of all runs take that an account has imported, and of its imports themselves."""
    of_account = archives.of_account(user_id)
    query = f"SELECT COALESCE(SUM({_BYTES}), 0) FROM collection_run WHERE user_id IN ({marks(of_account)})"  # noqa: S608 - placeholders
    [(size,)] = fetch(
        f'{query} AND ("trigger" = %s OR kind = %s)', [*of_account, Run.Trigger.IMPORTED, Run.Kind.IMPORT]
    )
    return int(size)


def moment(value: object) -> datetime | None:
    """An instant that the file has; None where it cannot be read."""
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment and moment.tzinfo and moment.year in _YEARS else None


def _number(value: object, most: int) -> int | None:
    # The reader of JSON leaves numbers as texts.
    if not isinstance(value, str) or not (value.isascii() and value.isdigit()) or len(value) > len(str(most)):
        return None
    return min(int(value), most)


def _text(value: object, most: int) -> str:
    text = incoming_values.text(value)[:most]
    return text if text.count("[") + text.count("{") <= _MOST_PARTS else ""
