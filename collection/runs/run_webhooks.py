"""What webhooks are sent of a run that ended (docs/webhooks.md#events): no prompt, no text of the source."""

from datetime import datetime
from typing import Any

from accounts import archives
from accounts.delivery.events import COLLECTION
from accounts.webhooks import sent_events
from archive_site.lib import clock
from collection.models import Run
from collection.runs.run_outcomes import ERRORS

# A verification changes nothing.
_CHANGING = (Run.Kind.COLLECTION, Run.Kind.OLDER, Run.Kind.IMPORT)


def announce(run_id: int) -> None:
    """Tell the webhooks of its account that a run ended, in the transaction that ends it.

    The API has no runs of further archives, so a receiver could not ask for them.
    """
    run = Run.objects.defer("stored_detail").get(pk=run_id)
    if run.kind in _CHANGING and not archives.is_further(run.archive_id):
        sent_events.announce(archives.owner_of(run.archive_id), COLLECTION, {"run": _content(run)})


def _content(run: Run) -> dict[str, Any]:
    """The run with the names of the API; `outcome` is its status there."""
    return {
        "id": run.pk,
        "kind": run.kind,
        "trigger": run.trigger,
        "outcome": run.status,
        "error": ERRORS.get(run.exit_code, ""),
        "cause": run.cause,
        "started_at": _text(run.started_at),
        "ended_at": _text(run.finished_at),
        "window": {"from": _text(run.win_from), "to": _text(run.win_to)},
        "counts": {
            "fetched": run.fetched,
            "added": run.added,
            "dup": run.dup,
            "conflicts": run.conflicts,
            "total": run.total,
        },
    }


def _text(instant: datetime | None) -> str | None:
    return None if instant is None else clock.offset_text(instant)
