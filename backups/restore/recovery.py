"""Removes the leftovers of killed restores at the next start.

The rules: docs/decisions/backups.md#what-a-restore-leaves-behind.
"""

from pathlib import Path

from backups.restore import store_switch, work_folder

_NOT_BEGUN = "A restore or a check of a backup was killed before anything changed. Its files are removed."
_BEFORE = "A restore was killed before its switch. The old store stays in place; the files of the restore are removed."
_AFTER = "A restore was killed after its switch. The backup's store is in place; the remaining steps are done."


def clear_broken_restores() -> list[str]:
    """Remove the leftovers of dead restores and settle the key. Return a sentence for each. Skips running restores."""
    with work_folder.abandoned() as folders:
        found = [_sentence_about(folder) for folder in folders]
        for folder in folders:
            store_switch.settle(folder)
    store_switch.remove_strays()
    # One restore may have used two folders.
    return list(dict.fromkeys(found))


def _sentence_about(folder: Path) -> str:
    if not store_switch.was_announced(folder):
        return _NOT_BEGUN
    return _AFTER if store_switch.has_come(folder) else _BEFORE
