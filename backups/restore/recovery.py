"""What restores that were killed have left, cleared away at the next start (design 7)."""

from pathlib import Path

from backups.restore import store_switch, work_folder

_NOT_BEGUN = "A restore or a check of a backup was broken off, but not while it changed the store; its rest is removed."
_BEFORE = "A restore was broken off before its switch: the store is the old one, what it left is removed."
_AFTER = "A restore was broken off after its switch: the store is the backup's, what was left to do is done."


def clear_broken_restores() -> list[str]:
    """Remove what dead restores have left, and settle the key; a sentence for each. Those under way are left alone."""
    with work_folder.abandoned() as folders:
        found = [_told(folder) for folder in folders]
        for folder in folders:
            store_switch.settle(folder)
    store_switch.remove_strays()
    # One restore may have worked in two folders.
    return list(dict.fromkeys(found))


def _told(folder: Path) -> str:
    if not store_switch.was_announced(folder):
        return _NOT_BEGUN
    return _AFTER if store_switch.has_come(folder) else _BEFORE
