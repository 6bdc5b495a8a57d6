"""Replaces the live store and its key by new ones in one atomic step, in the way of the engine: `sqlite` turns a link,
`postgres` moves tables from one schema to another. `follow_up` has what is the same for both."""

from pathlib import Path

from archive_site.lib.storage import engine
from backups.restore.store_switch.follow_up import stage_key

if engine.IS_SQLITE:
    from backups.restore.store_switch.sqlite import (
        announce,
        complete,
        has_come,
        live_store_held,
        remove_strays,
        staged,
        switch,
        undo,
        was_announced,
    )  # fmt: skip
else:
    from backups.restore.store_switch.postgres import (
        announce,
        complete,
        has_come,
        live_store_held,
        remove_strays,
        staged,
        switch,
        undo,
        was_announced,
    )  # fmt: skip

__all__ = [
    "announce", "complete", "has_come", "live_store_held", "remove_strays", "settle", "stage_key", "staged", "switch",
    "undo", "was_announced",
]  # fmt: skip


def settle(folder: Path) -> None:
    """Finish a switch, or undo one that did not happen, also after the death of its process. May be repeated."""
    if has_come(folder):
        complete(folder)
    else:
        undo(folder)
